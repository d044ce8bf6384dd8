import { createReadStream } from 'node:fs'
import { type Actor, failure, type RequestInfo, requireSignedIn, type UploadedFile } from '../../../api/index.ts'
import { DatabaseUnavailable } from '../../../infra/database/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import { enqueue, type Platform } from '../../../platform/index.ts'
import { createImportedGroup, parentFor } from '../../groups/index.ts'
import { discardArchive, limitTransfers, recordImport, storeForImport } from '../../transfer-archives/index.ts'
import { importGroupJob } from './job.ts'

type Wanted = { name: string; path: string; parent_id?: number }

/** Imports a group from an uploaded archive (contract 25, x.group_import). @throws ApiError 400, 403, 404, 422, 429 */
export async function importGroup(
  platform: Platform,
  { actor: anyone, request }: { actor: Actor; request: Pick<RequestInfo, 'id'> },
  file: UploadedFile,
  wanted: Wanted,
): Promise<void> {
  const actor = requireSignedIn(anyone)
  if (!file.filename.endsWith('.gz')) {
    const error = 'You need to upload a GitLab project export archive (ending in .gz).'
    throw failure(422, { error })
  }
  await parentFor(platform, actor, wanted.parent_id)
  await limitTransfers(platform, actor, 'group_import_limit')
  const secret = await storeForImport(platform, handled(createReadStream(file.path)))
  const described = { source: 'gitlab_project' as const, correlation_id: request.id, secret, userId: actor.userId }
  try {
    await createImportedGroup(platform, actor, wanted, async (tx, { id }) => {
      const { id: importId } = await recordImport(platform, tx, { kind: 'group', id }, described)
      await enqueue(platform, tx, importGroupJob, { importId })
    })
  } catch (error) {
    // Without an answer of the database the row may name it; archives without a row are swept.
    if (!(error instanceof DatabaseUnavailable)) await discardArchive(platform, secret)
    throw error
  }
}
