import type { Insertable } from 'kysely'
import type { Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import type { UploadRow, UploadsTable } from '../tables.ts'
import * as store from './store.ts'

declare module '../../../platform/platform.ts' {
  interface Events {
    'upload.created': { uploadId: number }
    /** An upload is about to be deleted, other than with its project or group. */
    'upload.removed': { uploadId: number }
  }
}

/** Inserts the record of an upload whose bytes are stored. */
export async function insertUpload(platform: Platform, tx: Tx, upload: Insertable<UploadsTable>): Promise<UploadRow> {
  const row = await store.insertUpload(tx, upload)
  await react(platform, tx, 'upload.created', { uploadId: row.id })
  return row
}
