import { portions } from '../../../infra/database/index.ts'
import type { ExportedFiles, Platform } from '../../../platform/index.ts'
import { openObject } from '../objects/objects.ts'
import type { LfsObjectRow } from '../tables.ts'
import { projectObjectsAfter } from './store.ts'

async function open(platform: Platform, row: LfsObjectRow) {
  const opened = await openObject(platform, row)
  return opened && { sizeBytes: opened.sizeBytes, content: opened.stream }
}

/** The LFS objects of a project (contract 14). */
export const exportedLfsObjects: ExportedFiles = async function* (platform, { id: projectId }) {
  for await (const rows of portions((afterId) => projectObjectsAfter(platform.database.read, projectId, afterId))) {
    yield rows.map((row) => ({ path: row.oid, modifiedAt: row.created_at, open: () => open(platform, row) }))
  }
}

/** Which repositories of the project an object belongs to: 0 is that of the code, the only one with LFS. */
export const lfsIndex = {
  path: 'lfs_objects.json',
  contentOf: (oids: readonly string[]) => JSON.stringify(Object.fromEntries(oids.map((oid) => [oid, [0]]))),
}
