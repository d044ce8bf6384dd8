import { jobsTrace } from '../../../operations.ts'
import { numberIn, page } from '../../../page.ts'
import { rawFrom } from './parts.ts'

/** The log as the job wrote it; from a byte on, what follows a running job reads. */
export const rawLog = page({
  at: 'project',
  path: 'jobs/:job/raw',
  async show(visit) {
    const call = { id: visit.project.id, job_id: numberIn(visit, 'job') }
    const { from = '' } = visit.query
    if (/^\d{1,12}$/.test(from)) return { file: await rawFrom(visit, call, Number(from)) }
    const file = await visit.read(jobsTrace, call)
    // Browsers download what has a disposition that they do not know.
    return { file: { ...file, headers: { ...file.headers, 'Content-Disposition': 'inline' } } }
  },
})
