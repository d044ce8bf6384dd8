export { type Act, type ActName, type ActTarget, instanceTarget, recordAct } from './acts.ts'
export { authenticatorOf } from './callers.ts'
export { clearObjects, clearStorages } from './clearing.ts'
export { backupLock, deferDuringBackup, refsLock, retainedDuringBackup } from './during-backup.ts'
export { enqueue, enqueueAll, type Job, registerJobs } from './jobs.ts'
export { deliverMail, type Mail, sendMail, sendMails, sendsMail } from './mail.ts'
export type { Check, Measure, Module, RefCheck, Stored } from './module.ts'
export { nested, pathNumber } from './nested.ts'
export { openServerObjects } from './objects.ts'
export { openPlatform } from './open.ts'
export { operation, type Subject } from './operation.ts'
export { openPlaces } from './places.ts'
export type {
  AppliedChange,
  Events,
  Gate,
  Platform,
  Ports,
  ProposedChange,
  Reaction,
  Reactions,
  RecordRefs,
  RefListener,
  RefRule,
} from './platform.ts'
export { perPlatform } from './platform.ts'
export { openPresence, type Presence } from './presence.ts'
export { react } from './reactions.ts'
export { registryHost } from './registry-host.ts'
export type { ExportedFile, ExportedFiles, ExportedLine, ExportedLines, OpenedFile, Portable } from './relations.ts'
export type { FirstBoot, RootAccount, RootPassword } from './root-account.ts'
export {
  countApiRequest,
  countFailure,
  pruneRateWindows,
  requireFewFailures,
  throttleAlerts,
  throttleAnonymousGit,
  throttleProtectedPath,
  throttleRegistry,
} from './throttles.ts'
