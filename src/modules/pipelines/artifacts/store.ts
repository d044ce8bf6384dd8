import { sql } from 'kysely'
import { type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { type CiJobArtifactRow, ciJobArtifacts } from '../tables.ts'

export const { insert: insertArtifact } = rows(ciJobArtifacts)

export async function artifactOfType(db: Reader, jobId: number, fileType: string): Promise<CiJobArtifactRow | null> {
  const query = db.selectFrom('ci_job_artifacts').selectAll().where('job_id', '=', jobId)
  return (await query.where('file_type', '=', fileType).executeTakeFirst()) ?? null
}

/** The artifacts of jobs, by id. */
export async function artifactsOfJobs(db: Reader, jobIds: readonly number[]): Promise<CiJobArtifactRow[]> {
  if (jobIds.length === 0) return []
  return db
    .selectFrom('ci_job_artifacts')
    .selectAll()
    .where(within(db, 'job_id', jobIds))
    .orderBy('id')
    .execute()
}

/** Sets when the files of a job expire; null: never. */
export async function setExpiry(tx: Tx, jobId: number, expireAt: string | null): Promise<void> {
  await tx.updateTable('ci_jobs').set({ artifacts_expire_at: expireAt }).where('id', '=', jobId).execute()
}

/** Whether the pipeline of a job is the newest successful one of its ref, whose artifacts are kept. */
const isOfLatest = sql<boolean>`exists (select 1 from ci_jobs j join pipelines p on p.id = j.pipeline_id
  where j.id = ci_job_artifacts.job_id and p.id = (select max(q.id) from pipelines q
    where q.project_id = p.project_id and q.ref = p.ref and q.tag = p.tag and q.status = 'success'))`

/** Whether the artifacts of a job belong to the newest successful pipeline of its ref. */
export async function belongsToLatest(db: Reader, jobId: number): Promise<boolean> {
  const query = db.selectFrom('ci_job_artifacts').select('id').where('job_id', '=', jobId).where(isOfLatest)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

type Selection = { ids: readonly number[] } | { jobId: number }

/** Deletes artifacts. @returns their storage keys */
export async function deleteArtifacts(tx: Tx, selection: Selection): Promise<string[]> {
  const query = tx.deleteFrom('ci_job_artifacts').returning('storage_key')
  const chosen =
    'ids' in selection ? query.where(within(tx, 'id', selection.ids)) : query.where('job_id', '=', selection.jobId)
  return (await chosen.execute()).map(({ storage_key: key }) => key)
}

/** Artifacts that expired, after an id, with the setting of their project that keeps those of the latest pipelines. */
export async function expiredArtifacts(db: Reader, moment: string, afterId: number, limit: number) {
  return db
    .selectFrom('ci_job_artifacts')
    .innerJoin('projects', 'projects.id', 'ci_job_artifacts.project_id')
    .select(['ci_job_artifacts.id', 'projects.settings'])
    .select(isOfLatest.as('is_latest'))
    .where('ci_job_artifacts.expire_at', '<=', moment)
    .where('ci_job_artifacts.id', '>', afterId)
    .orderBy('ci_job_artifacts.id')
    .limit(limit)
    .execute()
}

/** Artifacts of a project that may be deleted, after an id: not those of the latest successful pipelines. */
export async function deletableArtifacts(db: Reader, projectId: number, afterId: number, limit: number) {
  return db
    .selectFrom('ci_job_artifacts')
    .select('id')
    .where('project_id', '=', projectId)
    .where('id', '>', afterId)
    .where(sql<boolean>`not ${isOfLatest}`)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/**
 * The successful job of a name in the newest successful pipeline of a ref that has it.
 * @returns its id; null when there is none
 */
export async function jobOfLatest(
  db: Reader,
  { projectId, ref, tag }: { projectId: number; ref: string; tag: boolean },
  name: string,
): Promise<number | null> {
  const row = await db
    .selectFrom('pipelines')
    .innerJoin('ci_jobs', 'ci_jobs.pipeline_id', 'pipelines.id')
    .select('ci_jobs.id')
    .where('pipelines.project_id', '=', projectId)
    .where('pipelines.ref', '=', ref)
    .where('pipelines.tag', '=', tag)
    .where('pipelines.status', '=', 'success')
    .where('ci_jobs.name', '=', name)
    .where('ci_jobs.status', '=', 'success')
    .where(sql<boolean>`ci_jobs.retried = false and ci_jobs.external = false`)
    .orderBy('pipelines.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}

/** Keeps the artifacts of a job for ever. */
export async function keepArtifacts(tx: Tx, jobId: number): Promise<void> {
  await tx.updateTable('ci_job_artifacts').set({ expire_at: null }).where('job_id', '=', jobId).execute()
  await setExpiry(tx, jobId, null)
}
