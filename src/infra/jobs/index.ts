export { createJobs, type JobsOptions } from './jobs.ts'
export {
  type EnqueueOptions,
  type JobContext,
  type JobDefinition,
  type Jobs,
  LeaseLost,
} from './types.ts'
