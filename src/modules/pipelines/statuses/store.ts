import { sql, type Updateable } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { type CiJobRow, type CiJobsTable, ciJobs, type PipelineRow } from '../tables.ts'
import type { StatusFilter } from './params.ts'

export const { insert: insertStatus } = rows(ciJobs)

/** The newest pipeline of a commit; with a ref or an id, only one that matches. */
export async function newestPipeline(
  db: Reader,
  { projectId, sha, ref, id }: { projectId: number; sha: string; ref?: string | undefined; id?: number | undefined },
): Promise<PipelineRow | null> {
  let query = db.selectFrom('pipelines').selectAll().where('project_id', '=', projectId).where('sha', '=', sha)
  if (ref !== undefined) query = query.where('ref', '=', ref)
  if (id !== undefined) query = query.where('id', '=', id)
  return (await query.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

/** The newest pipeline of each of these commits, in one query. */
export async function newestPipelines(db: Reader, projectId: number, shas: readonly string[]) {
  if (shas.length === 0) return []
  const newest = db
    .selectFrom('pipelines')
    .select((eb) => eb.fn.max('id').as('id'))
    .where('project_id', '=', projectId)
    .where(within(db, 'sha', shas))
    .groupBy('sha')
  return db.selectFrom('pipelines').selectAll().where('id', 'in', newest).execute()
}

/** The current status of a name in a pipeline that an external system reports. */
export async function latestStatus(db: Reader, pipelineId: number, name: string): Promise<CiJobRow | null> {
  const query = db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where('name', '=', name)
    .where('external', '=', true)
    .where(sql<boolean>`retried = false`)
  return (await query.executeTakeFirst()) ?? null
}

export async function updateStatus(tx: Tx, id: number, changes: Updateable<CiJobsTable>) {
  return tx.updateTable('ci_jobs').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

function statusesOf(db: Reader, projectId: number, sha: string, filter: StatusFilter) {
  let query = db.selectFrom('ci_jobs').where('project_id', '=', projectId).where('sha', '=', sha)
  if (!filter.all) query = query.where(sql<boolean>`retried = false`)
  for (const column of ['ref', 'stage', 'name', 'pipeline_id'] as const) {
    const value = filter[column]
    if (value !== undefined) query = query.where(column, '=', value)
  }
  return query
}

/** A page of the statuses of a commit, by `id`, or by pipeline and `id`. */
export async function pageOfStatuses(
  db: Reader,
  { projectId, sha, filter }: { projectId: number; sha: string; filter: StatusFilter },
  page: PageRequest,
): Promise<Page<CiJobRow>> {
  const { sort = 'asc' } = filter
  const found = statusesOf(db, projectId, sha, filter).selectAll()
  const ordered = filter.order_by === 'pipeline_id' ? found.orderBy('pipeline_id', sort) : found
  return pageOfRows(db, ordered.orderBy('id', sort), page)
}

/** Whether a user has created a pipeline or a status. */
export async function hasStatuses(db: Reader, userId: number): Promise<boolean> {
  for (const table of ['pipelines', 'ci_jobs'] as const) {
    const query = db.selectFrom(table).select('id').where('user_id', '=', userId).limit(1)
    if (await query.executeTakeFirst()) return true
  }
  return false
}

/** Makes one user the author of another's pipelines and statuses. */
export async function giveStatusesTo(tx: Tx, from: number, to: number): Promise<void> {
  for (const table of ['pipelines', 'ci_jobs'] as const) {
    await tx.updateTable(table).set({ user_id: to }).where('user_id', '=', from).execute()
  }
}
