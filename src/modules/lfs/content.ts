import type { Ports } from '../../platform/index.ts'
import { createLfsObjects } from './objects.ts'
import { parsePointer } from './pointer.ts'

/** The object behind a pointer file; null when the project has no such object. */
export const lfsContent: Ports['files.lfs_content'] = async (platform, project, content) => {
  const pointer = parsePointer(content)
  if (!pointer) return null
  const objects = createLfsObjects(platform)
  const [row] = await objects.whole([...(await objects.ownedBy(project, [pointer.oid])).values()])
  if (!row) return null
  return {
    sizeBytes: row.size_bytes,
    async open() {
      const opened = await objects.open(row)
      if (!opened) throw new Error(`the bytes of the LFS object ${row.oid} are missing`)
      return opened.stream
    },
  }
}
