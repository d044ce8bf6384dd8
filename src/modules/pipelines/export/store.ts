import { type Reader, within } from '../../../infra/database/index.ts'
import type { CiJobRow, PipelineRow } from '../tables.ts'

/** Each has its jobs with it. */
const rowsAtOnce = 50

/** Pipelines of a project after an id, in the order of the ids. */
export function pipelinesAfter(db: Reader, projectId: number, afterId: number): Promise<PipelineRow[]> {
  const query = db.selectFrom('pipelines').selectAll().where('project_id', '=', projectId).where('id', '>', afterId)
  return query.orderBy('id').limit(rowsAtOnce).execute()
}

/** The jobs of these pipelines, by pipeline, in the order of the ids. */
export async function jobsOfPipelines(
  db: Reader,
  pipelineIds: readonly number[],
): Promise<ReadonlyMap<number, CiJobRow[]>> {
  const rows = await db
    .selectFrom('ci_jobs')
    .selectAll()
    .where(within(db, 'pipeline_id', pipelineIds))
    .orderBy('id')
    .execute()
  return Map.groupBy(rows, ({ pipeline_id }) => pipeline_id)
}
