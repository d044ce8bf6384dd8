import { diskPath, newDiskPath, type Repository } from '../../../infra/git/index.ts'
import { parseStorageKey, type StorageKey, storageKey } from '../../../infra/objects/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type BlobDigest, blobKey, parseDigest } from '../../container-registry/index.ts'
import type { ReplicaPartRow, ReplicaRow } from '../tables.ts'
import { classOf } from '../types.ts'
import { partsOf, usedDigests } from './store.ts'

/** The repository of a copy. @param location `<storage>:<path>` */
export function repositoryOf({ git }: Pick<Platform, 'git'>, location: string): Repository {
  const [storage = '', text = ''] = location.split(':', 2)
  const path = diskPath(text)
  if (path === null) throw new Error('a copy has no legal path')
  return git.repository({ storage, diskPath: path })
}

/** A place for a new copy of a repository: on the storage of the same name, if there is one. */
export function newRepositoryLocation({ config }: Pick<Platform, 'config'>, storage: string | null): string {
  const own = storage !== null && Object.hasOwn(config.storages, storage) ? storage : 'default'
  return `${own}:${newDiskPath()}`
}

/** A key for a new copy of a file. */
export function newFileLocation({ type, replicable_id: id }: ReplicaRow): StorageKey {
  return storageKey('replicas', type, `${id}-${randomHex(8)}`)
}

/** Where a part of an image is, once for all repositories. */
export function partKey({ kind, digest }: Pick<ReplicaPartRow, 'kind' | 'digest'>): StorageKey {
  const checked: BlobDigest | null = parseDigest(digest)
  if (!checked) throw new Error(`not a digest: ${digest}`)
  if (kind === 'blob') return blobKey(checked)
  const [algorithm = '', hex = ''] = digest.split(':', 2)
  return storageKey('replicas', 'manifests', algorithm, hex.slice(0, 2), hex)
}

/** Deletes parts that no copied image needs any more. */
export async function removeUnusedParts(
  { objects, database }: Pick<Platform, 'objects' | 'database'>,
  parts: readonly Pick<ReplicaPartRow, 'kind' | 'digest'>[],
): Promise<void> {
  const contents = parts.filter(({ kind }) => kind !== 'tag')
  const used = await usedDigests(
    database.read,
    contents.map(({ digest }) => digest),
  )
  for (const part of contents) if (!used.has(part.digest)) await objects.delete(partKey(part))
}

/** Deletes what was copied to a place. Nothing need be there. */
export async function removeContent(platform: Platform, replica: ReplicaRow, location: string): Promise<void> {
  const kind = classOf(replica.type)
  if (kind === 'files') await platform.objects.delete(parseStorageKey(location))
  else if (kind === 'repositories') await repositoryOf(platform, location).remove()
}

/** Deletes a copy with its row: its item was deleted, or is not to be copied any more. */
export async function dropReplica(
  platform: Platform,
  replica: ReplicaRow,
  removeRow: (id: number) => Promise<unknown>,
): Promise<void> {
  const parts =
    classOf(replica.type) === 'container_repositories' ? await partsOf(platform.database.read, replica.id) : []
  if (replica.location !== null) await removeContent(platform, replica, replica.location)
  await removeRow(replica.id)
  await removeUnusedParts(platform, parts)
}
