import type { Reader, Tx } from '../../../infra/database/index.ts'

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

/** Notes the start of a policy's run in the repositories without a deletion. @returns whether there are any */
export async function startPolicyRun(tx: Tx, projectId: number, now: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('registry_repositories')
    .set({ cleanup_policy_started_at: now })
    .where('project_id', '=', projectId)
    .where('status', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

type PolicyRun = { projectId: number; startedAt: string; after: number; limit: number }

/** The next repositories of a policy's run, by id; those whose deletion was requested meanwhile are left out. */
export async function repositoriesToClean(
  db: Reader,
  { projectId, startedAt, after, limit }: PolicyRun,
): Promise<number[]> {
  const rows = await db
    .selectFrom('registry_repositories')
    .select('id')
    .where('project_id', '=', projectId)
    .where('id', '>', after)
    .where('status', 'is', null)
    .where('cleanup_policy_started_at', '>=', startedAt)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
