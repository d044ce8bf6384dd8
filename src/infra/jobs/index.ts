export { createJobs, type JobsOptions } from './jobs.ts'
export { isAnyRunning } from './store.ts'
export type { EnqueueOptions, JobContext, JobDefinition, Jobs } from './types.ts'
export { LeaseLost, RunLater } from './types.ts'
