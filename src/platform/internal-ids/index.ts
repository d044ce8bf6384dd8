export { type InternalIdScope, largestProjects, nextInternalId, nextInternalIds, reserveInternalId } from './store.ts'
