import { sql, type Updateable } from 'kysely'
import { prepareQuery, type Reader, type Tx, within } from '../../../../infra/database/index.ts'
import type { CiJobRow, CiJobsTable, CiState, PipelineRow, PipelinesTable } from '../../tables.ts'
import type { JobState } from '../decisions.ts'

const pipelineOfId = prepareQuery((db, { id }: { id: number }) =>
  db.selectFrom('pipelines').selectAll().where('id', '=', id),
)

export async function pipelineById(db: Reader, id: number): Promise<PipelineRow | null> {
  return (await pipelineOfId(db, { id }))[0] ?? null
}

export async function updatePipeline(tx: Tx, id: number, changes: Updateable<PipelinesTable>): Promise<void> {
  await tx.updateTable('pipelines').set(changes).where('id', '=', id).execute()
}

/** The states of the latest jobs of a pipeline, by id. */
export async function latestStates(db: Reader, pipelineId: number): Promise<(JobState & Pick<CiJobRow, 'external'>)[]> {
  return db
    .selectFrom('ci_jobs')
    .select(['id', 'name', 'status', 'stage_index', 'allow_failure', 'run_when', 'uses_needs'])
    .select(['resource_group', 'start_in_seconds', 'environment', 'user_id', 'external'])
    .where('pipeline_id', '=', pipelineId)
    .where(sql<boolean>`retried = false`)
    .orderBy('id')
    .execute()
}

/** The names that jobs need, by the id of the job. */
export async function needsOf(db: Reader, jobIds: readonly number[]): Promise<Map<number, string[]>> {
  if (jobIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('ci_job_needs')
    .select(['job_id', 'name'])
    .where(within(db, 'job_id', jobIds))
    .execute()
  const grouped = Map.groupBy(rows, ({ job_id }) => job_id)
  return new Map([...grouped].map(([id, needs]) => [id, needs.map(({ name }) => name)]))
}

/** Changes those of the jobs that are in one of the states. @returns the changed jobs */
export async function moveJobs(
  tx: Tx,
  ids: readonly number[],
  from: readonly CiState[],
  changes: Updateable<CiJobsTable>,
): Promise<CiJobRow[]> {
  if (ids.length === 0) return []
  return tx
    .updateTable('ci_jobs')
    .set(changes)
    .where(within(tx, 'id', ids))
    .where('status', 'in', from)
    .returningAll()
    .execute()
}

/** Like `moveJobs`, for many jobs of which nothing more is asked. */
export async function setJobs(
  tx: Tx,
  ids: readonly number[],
  from: readonly CiState[],
  changes: Updateable<CiJobsTable>,
): Promise<void> {
  const query = tx
    .updateTable('ci_jobs')
    .set(changes)
    .where(within(tx, 'id', ids))
  await query.where('status', 'in', from).execute()
}

const byId = prepareQuery((db, { id }: { id: number }) => db.selectFrom('ci_jobs').selectAll().where('id', '=', id))

/** A job of a pipeline; null for statuses of external systems. */
export async function jobById(db: Reader, id: number): Promise<CiJobRow | null> {
  const [row] = await byId(db, { id })
  return row && !row.external ? row : null
}

const withDefinition = prepareQuery((db, { id }: { id: number }) =>
  db
    .selectFrom('ci_jobs')
    .innerJoin('ci_job_definitions', 'ci_job_definitions.job_id', 'ci_jobs.id')
    .selectAll('ci_jobs')
    .select('ci_job_definitions.definition')
    .where('ci_jobs.id', '=', id),
)

/** A job of a pipeline with its definition; null when there is none. */
export async function jobWithDefinition(db: Reader, id: number) {
  const [row] = await withDefinition(db, { id })
  if (!row) return null
  const { definition, ...job } = row
  return { job: job as CiJobRow, definition }
}

/** Those of these jobs that have an environment, with their definitions, by id. */
export async function jobsWithEnvironment(db: Reader, ids: readonly number[]) {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('ci_jobs')
    .innerJoin('ci_job_definitions', 'ci_job_definitions.job_id', 'ci_jobs.id')
    .selectAll('ci_jobs')
    .select('ci_job_definitions.definition')
    .where(within(db, 'ci_jobs.id', ids))
    .where('ci_jobs.environment', 'is not', null)
    .orderBy('ci_jobs.id')
    .execute()
  return rows.map(({ definition, ...job }) => ({ job: job as CiJobRow & { environment: string }, definition }))
}

/** Those of these jobs that were successful, with their definitions, by id. */
export async function successfulWithDefinition(db: Reader, ids: readonly number[]) {
  if (ids.length === 0) return []
  return db
    .selectFrom('ci_jobs')
    .innerJoin('ci_job_definitions', 'ci_job_definitions.job_id', 'ci_jobs.id')
    .select(['ci_jobs.id', 'ci_job_definitions.definition'])
    .where(within(db, 'ci_jobs.id', ids))
    .where('ci_jobs.status', '=', 'success')
    .orderBy('ci_jobs.id')
    .execute()
}

export async function jobsByIds(db: Reader, ids: readonly number[]): Promise<CiJobRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('ci_jobs')
    .selectAll()
    .where(within(db, 'id', ids))
    .orderBy('id')
    .execute()
}

/** Records that the runner of a job is at work. */
export async function noteHeartbeat(tx: Tx, jobId: number, moment: string): Promise<void> {
  await tx.updateTable('ci_jobs').set({ heartbeat_at: moment }).where('id', '=', jobId).execute()
}

const byDigest = prepareQuery((db, { digest }: { digest: string }) =>
  db.selectFrom('ci_jobs').selectAll().where('token_digest', '=', digest),
)

/** The job of a token, whatever its state. */
export async function jobByTokenDigest(db: Reader, digest: string): Promise<CiJobRow | null> {
  return (await byDigest(db, { digest }))[0] ?? null
}

export async function definitionOf(db: Reader, jobId: number) {
  const query = db.selectFrom('ci_job_definitions').select('definition').where('job_id', '=', jobId)
  return (await query.executeTakeFirst())?.definition ?? null
}

/** The latest jobs of a pipeline that have not ended, without those of external systems. */
export async function unfinishedJobs(db: Reader, pipelineId: number): Promise<CiJobRow[]> {
  return db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where(sql<boolean>`retried = false and external = false`)
    .where('status', 'not in', ['success', 'failed', 'canceled', 'skipped'])
    .orderBy('id')
    .execute()
}
