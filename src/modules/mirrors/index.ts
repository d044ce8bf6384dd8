export { createMirrorModule, type MirrorModule, type MirrorModuleNeeds } from './module.ts'
export type { PullMirrorRow, RemoteMirrorRow } from './tables.ts'
