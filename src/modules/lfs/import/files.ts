import { BadLine, type ImportFile } from '../../../platform/index.ts'
import { lfsIndex } from '../export/files.ts'
import { importedObject } from '../objects/objects.ts'
import { isOid } from '../objects/pointer.ts'

/** Imports an LFS object of a project; its name is the digest of its content (contract 14, lfs_objects). */
export const importLfsObject: ImportFile = async (platform, into, file) => {
  // The index says to which repositories an object belongs, of which this server has one.
  if (file.path === lfsIndex.path) return async () => {}
  if (!isOid(file.path)) throw new BadLine('The name is no LFS object')
  return importedObject(platform, into, { oid: file.path, sizeBytes: file.sizeBytes }, file.open())
}
