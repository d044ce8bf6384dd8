import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { sendEmpty } from '../http/answers.ts'
import type { RepositoryExchange } from '../http/endpoint.ts'
import { registryProblem } from '../http/problems.ts'
import { blobUnknown, requireDigest } from './read.ts'
import { deleteLink, holdLink, isNeededByManifest } from './store.ts'

/** DELETE of a blob: removes it from this repository (contract 02, x.v2_blob_delete). */
export async function deleteBlob(
  { database, clock }: Platform,
  { reply, reference, place: { repository } }: RepositoryExchange,
): Promise<void> {
  const digest = requireDigest(reference)
  if (!repository) throw blobUnknown(digest)
  await database.write(async (tx) => {
    const blob = await holdLink(tx, repository.id, digest)
    if (!blob) throw blobUnknown(digest)
    if (await isNeededByManifest(tx, repository.id, blob.id)) {
      throw registryProblem('UNSUPPORTED', { message: 'blob is referenced by a manifest' })
    }
    await deleteLink(tx, repository.id, blob.id, now(clock))
  })
  sendEmpty(reply, 202)
}
