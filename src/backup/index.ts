export { type BackupOptions, createBackup } from './create/create.ts'
export { BackupRefused } from './format/refused.ts'
export type { Progress } from './progress.ts'
export { type RestoreOptions, restoreBackup, verifyBackup } from './restore/restore.ts'
