import { type Actor, dayOf, type Page, type PageRequest, type Static, Type } from '../../../api/index.ts'
import type { TestUse } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { JobObject, type PresentedJob, presentJobsOf } from '../../pipelines/index.ts'
import {
  callerOf,
  isMemberOf,
  ProjectSummary,
  projectSummaries,
  projectsByIds,
  visibleProjects,
} from '../../projects/index.ts'
import { requireManaged } from '../core/access.ts'
import type { JobFilter } from '../core/params.ts'
import * as store from './store.ts'

const {
  artifacts_file: _file,
  artifacts: _files,
  artifacts_expire_at: _expiry,
  project: _project,
  ...members
} = JobObject.properties

/** A job of a runner, without its artifacts and with its project (contract 04, x.runner_jobs). */
export const RunnerJob = Type.Object({ ...members, project: ProjectSummary }, { title: 'RunnerJob' })

function withProject(
  { artifacts_file: _file, artifacts: _files, artifacts_expire_at: _expiry, ...job }: PresentedJob,
  project: Static<typeof ProjectSummary>,
): Static<typeof RunnerJob> {
  return { ...job, project }
}

/** The jobs of a runner whose pipelines the caller can read (contract 04, x.runner_jobs). @throws ApiError 403, 404 */
export async function listRunnerJobs(
  platform: Platform,
  id: number,
  actor: Actor,
  filter: JobFilter,
  page: PageRequest,
): Promise<Page<Static<typeof RunnerJob>>> {
  const db = platform.database.read
  await requireManaged(platform, db, id, actor)
  const caller = await callerOf(db, actor, dayOf(platform.clock.now()))
  const visible = (use: TestUse) => visibleProjects(db, caller, ['builds_access_level'], use)
  const isReporter = (use: TestUse) => isMemberOf(db, caller.roles, role.reporter, use)
  const found = await store.pageOfJobs(db, id, { ...filter, visible, isReporter, actor }, page)
  const projectIds = found.items.map(({ project_id }) => project_id)
  const [projects, summaries] = await Promise.all([projectsByIds(db, projectIds), projectSummaries(db, projectIds)])
  const jobs = new Map((await presentJobsOf(platform, projects, actor, found.items)).map((job) => [job.id, job]))
  const items = found.items.flatMap((row) => {
    const [job, project] = [jobs.get(row.id), summaries.get(row.project_id)]
    return job && project ? [withProject(job, project)] : []
  })
  return { ...found, items }
}
