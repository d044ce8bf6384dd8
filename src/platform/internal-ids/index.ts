export { type InternalIdScope, nextInternalId, nextInternalIds } from './store.ts'
