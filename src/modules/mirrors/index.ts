export { pullFrom } from './following.ts'
export { createMirrorModule, type MirrorModule, type MirrorModuleNeeds } from './module.ts'
export { updatePushMirrors } from './pushed.ts'
export type { PullMirrorRow, RemoteMirrorRow } from './tables.ts'
