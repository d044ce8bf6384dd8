export { authenticatorOf } from './callers.ts'
export { type AnyJob, enqueue, type Job, registerJobs } from './jobs.ts'
export type { Check, Module, RefCheck, Stored } from './module.ts'
export { type Nesting, nested } from './nested.ts'
export { openPlatform } from './open.ts'
export { operation, type Subject } from './operation.ts'
export type {
  AppliedChange,
  Events,
  Gate,
  Platform,
  Ports,
  ProposedChange,
  Questions,
  Reaction,
  Reactions,
  RecordRefs,
  RefListener,
  RefRule,
  Secrets,
} from './platform.ts'
export { react } from './reactions.ts'
export type { FirstBoot, RootAccount, RootPassword } from './root-account.ts'
export { countApiRequest, pruneRateWindows, throttleAnonymousGit } from './throttles.ts'
