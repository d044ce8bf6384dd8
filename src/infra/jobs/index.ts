export { createJobs, type JobsOptions } from './jobs.ts'
export {
  type EnqueueOptions,
  type Job,
  type JobContext,
  type Jobs,
  LeaseLost,
} from './types.ts'
