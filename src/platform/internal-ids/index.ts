export { type InternalIdScope, nextInternalId, nextInternalIds, reserveInternalId } from './store.ts'
