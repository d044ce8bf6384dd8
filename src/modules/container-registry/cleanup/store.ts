import type { Tx } from '../../../infra/database/index.ts'

/**
 * Accepts a bulk deletion of a repository unless one was accepted after `limit`; of simultaneous calls one is accepted.
 * @returns whether it was accepted
 */
export async function acceptBulkDeletion(tx: Tx, repositoryId: number, now: string, limit: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('registry_repositories')
    .set({ bulk_deletion_at: now })
    .where('id', '=', repositoryId)
    .where((eb) => eb.or([eb('bulk_deletion_at', 'is', null), eb('bulk_deletion_at', '<=', limit)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
