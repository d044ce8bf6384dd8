import { acquireLock, type Tx, within } from '../../../infra/database/index.ts'

/** Serialises changes of the manifests and tags of a repository, until the transaction ends. */
export function lockManifests(tx: Tx, repositoryId: number): Promise<void> {
  return acquireLock(tx, `registry_manifests:${repositoryId}`)
}

/** To be called when manifests lost a tag: their grace period begins, and garbage collection looks at them after it. */
export async function releaseManifests(tx: Tx, ids: readonly number[], now: string): Promise<void> {
  await tx
    .updateTable('registry_manifests')
    .set({ used_at: now, is_referenced: false })
    .where(within(tx, 'id', ids))
    .execute()
}
