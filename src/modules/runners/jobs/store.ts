import { sql } from 'kysely'
import { type Actor, isAdministrator, type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Condition, type Reader, type TestUse, unindexed } from '../../../infra/database/index.ts'
import type { CiJobRow } from '../../pipelines/index.ts'
import { hasProject } from '../../projects/index.ts'
import type { JobFilter } from '../core/params.ts'

type Selection = JobFilter & {
  /** Projects that the caller can see. */
  visible: (use: TestUse) => readonly Condition[]
  /** Projects in which the caller is at least Reporter. */
  isReporter: (use: TestUse) => Condition
  actor: Actor
}

/** A page of the jobs that a runner took, of projects whose pipelines the caller can read. */
export async function pageOfJobs(
  db: Reader,
  runnerId: number,
  { status, system_id: systemId, sort = 'desc', visible, isReporter, actor }: Selection,
  page: PageRequest,
): Promise<Page<CiJobRow>> {
  const isPublic = sql<boolean>`coalesce(cast(projects.settings -> 'public_jobs' as text), 'true') <> 'false'`
  const readable = (use: TestUse) =>
    isAdministrator(actor) ? visible(use) : [...visible(use), sql<boolean>`(${isReporter(use)} or ${isPublic})`]
  let query = db.selectFrom('ci_jobs')
  if (systemId === undefined) query = query.where('runner_id', '=', runnerId)
  else {
    // A manager has jobs of its runner only, and SQLite would read all jobs of the runner.
    query = query.where(sql<boolean>`${unindexed(db, 'ci_jobs.runner_id')} = ${runnerId}`)
    query = query.where(sql<boolean>`ci_jobs.runner_manager_id in (
      select m.id from runner_managers m where m.runner_id = ${runnerId} and m.system_id = ${systemId})`)
  }
  if (status !== undefined) query = query.where('status', '=', status)
  const ordered = query.selectAll('ci_jobs').orderBy('ci_jobs.id', sort)
  const selected = (use: TestUse) => ordered.where(hasProject(db, 'ci_jobs.project_id', readable(use)))
  return pageOfRows(db, selected('tests'), page, selected('counts'))
}
