import { countRows, type Reader, within } from '../../../../infra/database/index.ts'
import type { CiJobRow } from '../../../pipelines/index.ts'

/** Jobs that a payload shows. */
const mostJobs = 1_000

/** The latest jobs of a pipeline, by stage; the statuses of external systems are none. */
export async function jobsOfPipeline(db: Reader, pipelineId: number): Promise<CiJobRow[]> {
  const query = db.selectFrom('ci_jobs').selectAll().where('pipeline_id', '=', pipelineId)
  const latest = query.where('external', '=', false).where('retried', '=', false)
  return latest.orderBy('stage_index').orderBy('id').limit(mostJobs).execute()
}

/** These jobs without the statuses of external systems. */
export async function jobsByIds(db: Reader, ids: readonly number[]): Promise<CiJobRow[]> {
  const query = db
    .selectFrom('ci_jobs')
    .selectAll()
    .where(within(db, 'id', ids))
  return query.where('external', '=', false).orderBy('id').limit(mostJobs).execute()
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

export async function runnersByIds(db: Reader, ids: readonly number[]) {
  if (ids.length === 0) return []
  const query = db.selectFrom('runners').select(['id', 'description', 'runner_type', 'paused', 'tag_list'])
  return query.where(within(db, 'id', [...new Set(ids)])).execute()
}

/** Whether a project has jobs besides the statuses of external systems. */
export async function hasJobs(db: Reader, projectId: number): Promise<boolean> {
  const query = db.selectFrom('ci_jobs').where('project_id', '=', projectId).where('external', '=', false)
  return (await countRows(query)) > 0
}
