import type { Ports } from '../../../platform/index.ts'
import { objectsOfProject, openObject, storedObjects } from './objects.ts'
import { parsePointer } from './pointer.ts'

/** The object behind a pointer file; null when the content is no pointer, or the project does not have the object. */
export const lfsContent: Ports['files.lfs_content'] = async (platform, project, content) => {
  const pointer = parsePointer(content)
  const owned = pointer ? [...(await objectsOfProject(platform, project, [pointer.oid])).values()] : []
  const [row] = await storedObjects(platform, owned)
  if (!row) return null
  const open = async () => (await openObject(platform, row))?.stream ?? missing(row.oid)
  return { sizeBytes: row.size_bytes, open }
}

function missing(oid: string): never {
  throw new Error(`the bytes of the LFS object ${oid} are missing`)
}
