import { type ParamValues, t } from '../../api/index.ts'

export const jobPath = { id: t.id() }

/** Parameters of x.background_jobs. */
export const jobFilter = {
  state: t.oneOf(['pending', 'running', 'failed'], { description: 'A job that has ended well is not kept.' }),
  queue: t.string({ description: 'The name of a queue.' }),
}
export type JobFilter = ParamValues<typeof jobFilter>
