import type { UserActor } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { storedSetting } from '../../../platform/settings/index.ts'
import { projectById } from '../core/store.ts'
import type { ProjectRow } from '../tables.ts'
import { isListed, isOpenToJobs } from './store.ts'

/** What a project admits of a job of another project; `refusal` is the sentence for what it does not (contract 24). */
export type JobReach = { isAdmitted: true; refusal?: undefined } | { isAdmitted: false; refusal: string }

/** Whether a project asks for a listed job: by its own setting, or as the instance demands it of all. */
export async function asksForListedJobs(db: Reader, projectId: number): Promise<boolean> {
  if (await storedSetting(db, 'enforce_ci_inbound_job_token_scope_enabled')) return true
  return !(await isOpenToJobs(db, projectId))
}

/**
 * What a project admits of the job that the caller is (contract 24, "Job token scope"). Read anew at each request, so that a job
 * ends to reach a project when it is no longer listed.
 * @returns undefined when the caller is no job, or one of this project
 */
export async function reachOfJob(db: Reader, project: ProjectRow, caller: UserActor): Promise<JobReach | undefined> {
  const { projectId: sourceId } = caller.credential
  if (sourceId === undefined || sourceId === project.id) return undefined
  const isAdmitted = (await isListed(db, project.id, sourceId)) || !(await asksForListedJobs(db, project.id))
  if (isAdmitted) return { isAdmitted }
  const source = await projectById(db, sourceId)
  const names = `from ${source?.path} to ${project.path}`
  return { isAdmitted, refusal: `Authentication by CI/CD job token not allowed ${names}.` }
}
