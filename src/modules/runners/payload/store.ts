import { sql } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'
import type { CiJobRow } from '../../pipelines/index.ts'

/** A job that another one may depend on. */
export type Prerequisite = Pick<CiJobRow, 'id' | 'name' | 'erased_at' | 'artifacts_expire_at'>

/** The latest jobs of a pipeline that succeeded, in stages before that of a job or needed by it, by id. */
export async function successfulBefore(db: Reader, job: CiJobRow): Promise<Prerequisite[]> {
  const needed = sql<boolean>`ci_jobs.name in (
    select n.name from ci_job_needs n where n.job_id = ${job.id} and n.artifacts = true)`
  return db
    .selectFrom('ci_jobs')
    .select(['id', 'name', 'erased_at', 'artifacts_expire_at'])
    .where('pipeline_id', '=', job.pipeline_id)
    .where(sql<boolean>`retried = false and external = false and status = 'success'`)
    .where(job.uses_needs ? needed : sql<boolean>`stage_index < ${job.stage_index}`)
    .orderBy('id')
    .execute()
}

/** The number of jobs of a project on which runners of the instance work, besides one. */
export async function runningOnShared(db: Reader, { id, project_id }: CiJobRow): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ci_jobs join runners on runners.id = ci_jobs.runner_id
    where runners.runner_type = 'instance_type' and ci_jobs.status in ('running', 'canceling') and ci_jobs.external = false
      and ci_jobs.project_id = ${project_id} and ci_jobs.id <> ${id}`.execute(db as never)
  return Number(rows[0]?.count ?? 0)
}
