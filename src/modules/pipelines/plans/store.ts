import { sql } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'
import type { CiJobRow } from '../tables.ts'

const shown = [
  ...(['id', 'name', 'stage', 'status', 'allow_failure', 'run_when', 'uses_needs', 'failure_reason'] as const),
  ...(['coverage', 'external', 'target_url', 'environment', 'start_at', 'started_at', 'finished_at'] as const),
] as const

/** What is read of a job for the plan of its pipeline. */
export type PlannedRow = Pick<CiJobRow, (typeof shown)[number]>

/** The latest jobs of a pipeline in the order of their stages, with the statuses of external systems. */
export async function plannedJobs(db: Reader, pipelineId: number, limit: number): Promise<PlannedRow[]> {
  return db
    .selectFrom('ci_jobs')
    .select(shown)
    .where('pipeline_id', '=', pipelineId)
    .where(sql<boolean>`retried = false`)
    .orderBy('external')
    .orderBy('stage_index')
    .orderBy('id')
    .limit(limit)
    .execute()
}
