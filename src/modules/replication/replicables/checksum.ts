import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import type { Reader } from '../../../infra/database/index.ts'
import type { ObjectStore, StorageKey } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRow, repositoryById } from '../../../platform/repositories/index.ts'
import { containerRepository, tagsOf } from '../../container-registry/index.ts'
import { lfsObjectKeys } from '../../lfs/index.ts'
import { packageBlobKeys } from '../../packages/index.ts'
import { siteKeys } from '../../pages/index.ts'
import { secureFileKeys } from '../../secure-files/index.ts'
import { stateVersionKeys } from '../../terraform-states/index.ts'
import { uploadKeys } from '../../uploads/index.ts'
import { type FileType, isFileType, type ReplicableType } from '../types.ts'

/** The checksum of a repository without refs, and of an image repository without tags (contract 15, "What is replicated"). */
export const emptyChecksum = '0'.repeat(64)

/** The primary has the record of an item, and its content is gone. */
export class ContentMissing extends Error {
  override name = 'ContentMissing'
  constructor() {
    super('The content is missing')
  }
}

/** The checksum of an object's bytes. @throws ContentMissing */
export async function checksumOfObject(objects: ObjectStore, key: StorageKey, signal?: AbortSignal): Promise<string> {
  const opened = await objects.get(key)
  if (!opened) throw new ContentMissing()
  const hash = createHash('sha256')
  await pipeline(opened.stream, hash, { signal })
  return hash.digest('hex')
}

/** The checksum of an image repository: that of its tags, each with the digest of its manifest. */
export async function checksumOfTags(tags: AsyncIterable<{ name: string; digest: string }>): Promise<string> {
  const hash = createHash('sha256')
  let isEmpty = true
  for await (const { name, digest } of tags) {
    isEmpty = false
    hash.update(`${name} ${digest}\n`)
  }
  return isEmpty ? emptyChecksum : hash.digest('hex')
}

const keys: Record<FileType, typeof uploadKeys> = {
  uploads: uploadKeys,
  lfs_objects: lfsObjectKeys,
  package_files: packageBlobKeys,
  ci_secure_files: secureFileKeys,
  pages_deployments: siteKeys,
  terraform_state_versions: stateVersionKeys,
}

/** Where the bytes of files of a type are, by their ids; of those that there are. */
export const keysOfFiles = (db: Reader, type: FileType, ids: readonly number[]): Promise<Map<number, StorageKey>> =>
  keys[type](db, ids)

/** Where the bytes of a file are; null when there is no such record. */
export const keyOfFile = async (db: Reader, type: FileType, id: number): Promise<StorageKey | null> =>
  (await keysOfFiles(db, type, [id])).get(id) ?? null

/**
 * Computes the checksum of an item of the primary.
 * @returns null when there is no such item
 * @throws ContentMissing; GitError
 */
export async function checksumOf(
  platform: Platform,
  type: ReplicableType,
  id: number,
  signal?: AbortSignal,
): Promise<string | null> {
  const { database, objects } = platform
  if (isFileType(type)) {
    const key = await keyOfFile(database.read, type, id)
    return key && checksumOfObject(objects, key, signal)
  }
  if (type === 'container_repositories') {
    return (await containerRepository(database.read, id)) && checksumOfTags(tagsOf(database.read, id))
  }
  const row = await repositoryById(database.read, id)
  if (!row) return null
  if (row.generation === 0) return emptyChecksum
  return (await openRow(platform, row)).refsChecksum({ signal })
}
