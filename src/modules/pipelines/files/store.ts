import type { Tx } from '../../../infra/database/index.ts'

/** Marks a job as erased. @returns false when it is already */
export async function markErased(tx: Tx, jobId: number, moment: string): Promise<boolean> {
  const query = tx.updateTable('ci_jobs').set({ erased_at: moment, artifacts_expire_at: null, updated_at: moment })
  const rows = await query.where('id', '=', jobId).where('erased_at', 'is', null).returning('id').execute()
  return rows.length > 0
}
