export { authenticatorOf } from './callers.ts'
export { enqueue, enqueueAll, type Job, registerJobs } from './jobs/jobs.ts'
export { deliverMail, deliverNow, type Mail, mailJobs, sendMail, sendMails, sendsMail } from './mail.ts'
export { maintenanceSentence } from './maintenance.ts'
export type { Check, Measure, Module, RefCheck, Stored } from './module.ts'
export { openPlatform } from './open.ts'
export { type Act, type ActTarget, instanceTarget, recordAct, recordChanges, type Told } from './operations/acts.ts'
export { nested, operation, pathNumber, type Subject } from './operations/operation.ts'
export { refusing } from './operations/refusing.ts'
export { originOf, type PagesBase, pagesBase } from './pages-base.ts'
export {
  type AppliedChange,
  type Events,
  type Gate,
  newGeneration,
  type Platform,
  type Ports,
  type ProposedChange,
  perPlatform,
  type Reaction,
  type Reactions,
  type RecordRefs,
  type RefListener,
  type RefRule,
  registryHost,
} from './platform.ts'
export { openPresence, type Presence } from './presence.ts'
export { react } from './reactions.ts'
export * from './relations/index.ts'
export type { FirstBoot, RootAccount, RootPassword } from './root-account.ts'
export { clearObjects, clearStorages } from './storage/clearing.ts'
export { backupLock, deferDuringBackup, refsLock, retainedDuringBackup } from './storage/during-backup.ts'
export { openServerObjects } from './storage/objects.ts'
export { openPlaces } from './storage/places.ts'
export { spooled } from './storage/spooling.ts'
export {
  countApiRequest,
  countFailure,
  mayMailLink,
  pruneRateWindows,
  requireFewFailures,
  throttleAlerts,
  throttleAnonymousGit,
  throttleAnonymousLfs,
  throttleLfsOf,
  throttleOpenForm,
  throttleProtectedPath,
  throttleRegistry,
} from './throttles.ts'
