import { type Reader, type Tx, within } from '../../../infra/database/index.ts'

/** Marks a job as erased. @returns false when it is already */
export async function markErased(tx: Tx, jobId: number, moment: string): Promise<boolean> {
  const query = tx.updateTable('ci_jobs').set({ erased_at: moment, artifacts_expire_at: null, updated_at: moment })
  const rows = await query.where('id', '=', jobId).where('erased_at', 'is', null).returning('id').execute()
  return rows.length > 0
}

/** The storage keys of the logs and artifacts of jobs. */
export async function knownKeys(db: Reader, jobIds: readonly number[]): Promise<Set<string>> {
  if (jobIds.length === 0) return new Set()
  const keys = new Set<string>()
  for (const table of ['ci_job_artifacts', 'ci_job_traces', 'ci_job_trace_chunks'] as const) {
    const rows = await db
      .selectFrom(table)
      .select('storage_key')
      .where(within(db, 'job_id', jobIds))
      .execute()
    for (const { storage_key: key } of rows) if (key !== null) keys.add(key)
  }
  return keys
}
