export { createJobs, type JobsOptions } from './jobs.ts'
export {
  type EnqueueOptions,
  type Job,
  type JobContext,
  type JobDefinition,
  type JobFilter,
  type JobState,
  type Jobs,
  type JobsLog,
  LeaseLost,
  type RecurringOptions,
} from './types.ts'
