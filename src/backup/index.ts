export { createBackup } from './create/create.ts'
export type { Progress, Unit } from './progress.ts'
export { type Contents, openContents } from './restore/contents.ts'
export { restoreBackup, verifyBackup } from './restore/restore.ts'
