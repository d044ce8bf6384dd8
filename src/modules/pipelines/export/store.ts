import { type Reader, within } from '../../../infra/database/index.ts'
import type { CiJobRow } from '../tables.ts'

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
