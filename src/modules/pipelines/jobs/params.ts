import { type ParamValues, t } from '../../../api/index.ts'
import { ciStates } from '../tables.ts'

const scope = t.array(t.string(), { description: `Only jobs in one of these states: ${ciStates.join(', ')}.` })

export const jobFilter = { scope }
export const pipelineJobs = {
  pipeline_id: t.id(),
  scope,
  include_retried: t.boolean({ description: 'Whether to list jobs that were replaced as well; default false.' }),
}
export type JobFilter = { scope?: readonly string[] | undefined; include_retried?: boolean | undefined }

export const jobId = { job_id: t.id() }

const jobVariable = t.object({ key: t.required(t.string({ blank: false })), value: t.required(t.string()) })

export const jobToPlay = { ...jobId, job_variables_attributes: t.array(jobVariable, { maximum: 1000 }) }
export type JobToPlay = Omit<ParamValues<typeof jobToPlay>, 'job_id'>

export const jobToCancel = {
  ...jobId,
  force: t.boolean({ description: 'Does not wait for the runner; for maintainers.' }),
}
