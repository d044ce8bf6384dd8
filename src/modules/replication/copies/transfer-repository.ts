import { type RefName, refName } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { PrimaryClient } from '../secondary/client.ts'
import type { ReplicaRow } from '../tables.ts'
import { newRepositoryLocation, repositoryOf } from './copies.ts'

/** No fetch takes longer (contract 15, "Tracking row of a replicable"). */
const timeoutMs = 8 * 3_600_000
const main = refName('refs/heads/main') as RefName

type Work = { client: PrimaryClient; signal: AbortSignal }

/**
 * Copies a repository, or the changes since the last copy. After a difference of checksums everything is copied anew.
 * @returns where the copy is
 */
export async function transferRepository(platform: Platform, replica: ReplicaRow, work: Work): Promise<string> {
  const { type, replicable_id: id, location: known, checksum_mismatch: isDamaged } = replica
  const { signal } = work
  const { address, authorization } = work.client.repository(type, id)
  const options = { timeoutMs, signal, config: [`http.extraHeader=Authorization: ${authorization}`] }
  const canGoOn = known !== null && !isDamaged && (await repositoryOf(platform, known).exists())
  const location = canGoOn ? known : newRepositoryLocation(platform, replica.storage)
  const repository = repositoryOf(platform, location)
  if (!canGoOn) await repository.init({ defaultBranch: main })
  try {
    const refs = await repository.remoteRefs(address, options)
    const [oid = ''] = refs.values()
    if (!canGoOn && oid.length === 64) {
      await repository.remove()
      await repository.init({ defaultBranch: main, objectFormat: 'sha256' })
    }
    await repository.mirrorRemote(address, options)
    const head = await repository.remoteHead(address, options)
    if (head) await repository.setHead(head)
  } catch (error) {
    if (!canGoOn) await repository.remove()
    throw error
  }
  return location
}
