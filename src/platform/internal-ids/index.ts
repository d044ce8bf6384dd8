export { type InternalIdScope, nextInternalId } from './store.ts'
