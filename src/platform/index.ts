export { authenticatorOf } from './callers.ts'
export { enqueue, enqueueAll, type Job, registerJobs } from './jobs/jobs.ts'
export { deliverMail, type Mail, sendMail, sendMails, sendsMail } from './mail.ts'
export type { Check, Measure, Module, RefCheck, Stored } from './module.ts'
export { openPlatform } from './open.ts'
export { type Act, instanceTarget, recordAct } from './operations/acts.ts'
export { nested, pathNumber } from './operations/nested.ts'
export { operation, type Subject } from './operations/operation.ts'
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
export { clearObjects, clearStorages } from './storage/clearing.ts'
export { backupLock, deferDuringBackup, refsLock, retainedDuringBackup } from './storage/during-backup.ts'
export { openServerObjects } from './storage/objects.ts'
export { openPlaces } from './storage/places.ts'
export {
  countApiRequest,
  countFailure,
  mayMailLink,
  pruneRateWindows,
  requireFewFailures,
  throttleAlerts,
  throttleAnonymousGit,
  throttleOpenForm,
  throttleProtectedPath,
  throttleRegistry,
} from './throttles.ts'
