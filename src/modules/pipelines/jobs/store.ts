import { type Insertable, sql } from 'kysely'
import { cursorFor, type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { prepareQuery, type Reader, type Tx, unindexed, within } from '../../../infra/database/index.ts'
import type { CiJobRow, CiJobVariablesTable, CiState, PipelineRow } from '../tables.ts'

type Filter = { states?: readonly CiState[] | undefined; withRetried?: boolean | undefined }

const ofProject = prepareQuery((db, { id, projectId }: { id: number; projectId: number }) =>
  db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .where(sql<boolean>`external = false`),
)

/** A job of a project; null for statuses of external systems. */
export async function jobOfProject(db: Reader, projectId: number, id: number): Promise<CiJobRow | null> {
  return (await ofProject(db, { id, projectId }))[0] ?? null
}

/** A page of the jobs of a project, or of one of its pipelines, the newest first. */
export async function pageOfJobs(
  db: Reader,
  { projectId, pipelineId }: { projectId: number; pipelineId?: number },
  { states, withRetried = true }: Filter,
  page: PageRequest,
): Promise<Page<CiJobRow>> {
  // The jobs of a pipeline are found by it; SQLite would read all jobs of the project.
  const project = pipelineId === undefined ? sql.ref('project_id') : unindexed(db, 'project_id')
  let query = db.selectFrom('ci_jobs').where(sql<boolean>`${project} = ${projectId} and external = false`)
  if (pipelineId !== undefined) query = query.where('pipeline_id', '=', pipelineId)
  if (states && states.length > 0) query = query.where('status', 'in', states)
  if (!withRetried) query = query.where(sql<boolean>`retried = false`)
  const [after] = page.kind === 'keyset' ? (page.after ?? []) : []
  if (after !== undefined) query = query.where('id', '<', Number(after))
  const found = await pageOfRows(db, query.selectAll().orderBy('id', 'desc'), page)
  const last = found.items.at(-1)
  if (page.kind !== 'keyset' || !last || found.items.length < page.limit) return found
  return { ...found, next: { cursor: cursorFor([last.id]) } }
}

export async function pipelinesByIds(db: Reader, ids: readonly number[]): Promise<Map<number, PipelineRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('pipelines')
    .selectAll()
    .where(within(db, 'id', [...new Set(ids)]))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Sizes of the logs of jobs. */
export async function traceSizes(db: Reader, jobIds: readonly number[]): Promise<Map<number, number>> {
  if (jobIds.length === 0) return new Map()
  const query = db.selectFrom('ci_job_traces').select(['job_id', 'size_bytes'])
  const rows = await query.where(within(db, 'job_id', jobIds)).execute()
  return new Map(rows.map((row) => [row.job_id, row.size_bytes]))
}

export async function insertJobVariables(tx: Tx, rows: readonly Insertable<CiJobVariablesTable>[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('ci_job_variables')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['job_id', 'key', 'from_report'])
        .doUpdateSet((eb) => ({ sealed_value: eb.ref('excluded.sealed_value') })),
    )
    .execute()
}

export async function jobVariablesOf(db: Reader, jobIds: readonly number[]) {
  if (jobIds.length === 0) return []
  return db
    .selectFrom('ci_job_variables')
    .selectAll()
    .where(within(db, 'job_id', jobIds))
    .orderBy('key')
    .execute()
}

/** The latest jobs of a pipeline, by stage; the statuses of external systems are none. */
export async function latestJobsOf(db: Reader, pipelineId: number, limit: number): Promise<CiJobRow[]> {
  const query = db.selectFrom('ci_jobs').selectAll().where('pipeline_id', '=', pipelineId)
  const latest = query.where('external', '=', false).where('retried', '=', false)
  return latest.orderBy('stage_index').orderBy('id').limit(limit).execute()
}

/** The latest jobs of a pipeline that have these names. */
export async function latestJobsNamed(db: Reader, pipelineId: number, names: readonly string[]): Promise<CiJobRow[]> {
  if (names.length === 0) return []
  const query = db.selectFrom('ci_jobs').selectAll().where('pipeline_id', '=', pipelineId)
  const latest = query.where(sql<boolean>`external = false and retried = false`)
  return latest
    .where(within(db, 'name', names))
    .orderBy('id')
    .execute()
}

/** These jobs without the statuses of external systems, by id. */
export async function ownJobsByIds(db: Reader, ids: readonly number[], limit: number): Promise<CiJobRow[]> {
  const query = db
    .selectFrom('ci_jobs')
    .selectAll()
    .where(within(db, 'id', ids))
  return query.where('external', '=', false).orderBy('id').limit(limit).execute()
}

/** How often each job of a pipeline was replaced, by name. */
export async function retriesOf(db: Reader, pipelineId: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('ci_jobs')
    .select(['name', (eb) => eb.fn.countAll<number>().as('count')])
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', true)
    .groupBy('name')
    .execute()
  return new Map(rows.map(({ name, count }) => [name, Number(count)]))
}
