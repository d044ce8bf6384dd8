import { rows as rowsOf } from '../../../infra/database/index.ts'
import type { ExportedFiles, Platform } from '../../../platform/index.ts'
import { keyOf, ownerOf } from '../owner.ts'
import { type UploadRow, uploads } from '../tables.ts'

async function open({ objects }: Platform, upload: UploadRow) {
  const opened = await objects.get(keyOf(ownerOf(upload), upload.secret))
  return opened && { sizeBytes: opened.sizeBytes, content: opened.stream }
}

/** The uploads of a project or group (contract 14). */
export const exportedUploads: ExportedFiles = async function* (platform, owner) {
  const own = owner.kind === 'project' ? { project_id: owner.id } : { namespace_id: owner.id }
  for await (const rows of rowsOf(uploads).portions(platform.database.read, own, 500)) {
    yield rows.map((row) => ({
      path: `${row.secret}/${row.filename}`,
      modifiedAt: row.created_at,
      open: () => open(platform, row),
    }))
  }
}
