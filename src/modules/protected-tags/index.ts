export { createProtectedTagModule, type ProtectedTagModule } from './module.ts'
export type { TagJudge, TagProtection } from './protection.ts'
