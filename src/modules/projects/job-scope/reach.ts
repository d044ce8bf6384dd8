import type { Actor } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { storedSetting } from '../../../platform/settings/index.ts'
import { projectById } from '../core/store.ts'
import type { ProjectRow } from '../tables.ts'
import { listing, openToJobs } from './store.ts'

/** What a project admits of a job of another project; `refusal` is the sentence for what it does not (contract 24). */
export type JobReach = { isAdmitted: true; refusal?: undefined } | { isAdmitted: false; refusal: string }

const isDemanded = (db: Reader) => storedSetting(db, 'enforce_ci_inbound_job_token_scope_enabled')

/** Whether a project asks for a listed job: by its own setting, or as the instance demands it of all. */
export async function asksForListedJobs(db: Reader, projectId: number): Promise<boolean> {
  return (await isDemanded(db)) || !(await openToJobs(db, [projectId])).has(projectId)
}

/**
 * What projects admit of the job that the caller is, by id (contract 24, "Job token scope"), in a constant number of queries. Read anew
 * at each request, so that a job ends to reach a project when it is no longer listed.
 * @returns without the project of the job; empty when the caller is no job
 */
export async function reachesOfJob(
  db: Reader,
  projects: readonly ProjectRow[],
  caller: Actor,
): Promise<Map<number, JobReach>> {
  const sourceId = caller.kind === 'user' ? caller.credential.projectId : undefined
  const others = sourceId === undefined ? [] : projects.filter(({ id }) => id !== sourceId)
  if (sourceId === undefined || others.length === 0) return new Map()
  const ids = others.map(({ id }) => id)
  const listed = await listing(db, ids, sourceId)
  const open = (await isDemanded(db)) ? new Set<number>() : await openToJobs(db, ids)
  const source = await projectById(db, sourceId)
  const refusal = ({ path }: ProjectRow) =>
    `Authentication by CI/CD job token not allowed from ${source?.path} to ${path}.`
  return new Map(
    others.map((one): [number, JobReach] => {
      const isAdmitted = listed.has(one.id) || open.has(one.id)
      return [one.id, isAdmitted ? { isAdmitted } : { isAdmitted, refusal: refusal(one) }]
    }),
  )
}
