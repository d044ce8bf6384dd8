import { portions, type Reader } from '../../../infra/database/index.ts'
import { type ObjectStore, parseStorageKey, type StorageKey } from '../../../infra/objects/index.ts'
import { blobKey, blobsOf, parseDigest } from '../../container-registry/index.ts'
import { keysOfFiles } from '../replicables/checksum.ts'
import { everything, type ReplicableRow, replicablesAfter } from '../replicables/store.ts'
import { replicasOf } from '../secondary/store.ts'
import { type FileType, fileTypes, type ReplicableType } from '../types.ts'
import { copiesAfter, idsIn } from './store.ts'

const portion = 200

/** A file that the database names. */
export type NamedFile = {
  /** Where the primary has it. */
  key: StorageKey
  /** How people name it: `upload 5 of project 3`. */
  name: string
  sizeBytes: number
  /** Where the secondary has its copy; null: at the same place, or nowhere. */
  copy: StorageKey | null
}

async function* itemsOf(db: Reader, type: ReplicableType): AsyncGenerator<ReplicableRow[]> {
  for (let after = 0; ; ) {
    const rows = await replicablesAfter(db, type, everything, after, portion)
    if (rows.length > 0) yield rows
    if (rows.length < portion) return
    after = rows.at(-1)?.id ?? 0
  }
}

const ofProject = ({ project_id: id }: ReplicableRow) => (id === null ? '' : ` of project ${id}`)

/** What each type is for people, and the table that names its items. */
const kinds = {
  uploads: { noun: 'upload', table: 'uploads' },
  lfs_objects: { noun: 'LFS object', table: 'lfs_objects' },
  package_files: { noun: 'package file', table: 'package_blobs' },
  ci_secure_files: { noun: 'secure file', table: 'ci_secure_files' },
  pages_deployments: { noun: 'site', table: 'pages_deployments' },
  terraform_state_versions: { noun: 'version of a Terraform state', table: 'terraform_state_versions' },
} as const satisfies Record<FileType, unknown>

async function* filesOfType(
  { copies, primary }: { copies: Reader; primary: Reader },
  type: FileType,
): AsyncGenerator<NamedFile> {
  for await (const rows of itemsOf(primary, type)) {
    const ids = rows.map(({ id }) => id)
    const replicas = new Map((await replicasOf(copies, type, ids)).map((one) => [one.replicable_id, one.location]))
    const keys = await keysOfFiles(primary, type, ids)
    for (const row of rows) {
      const key = keys.get(row.id)
      if (!key) continue
      const location = replicas.get(row.id) ?? null
      const copy = location === null ? null : parseStorageKey(location)
      yield { key, name: `${kinds[type].noun} ${row.id}${ofProject(row)}`, sizeBytes: row.size_bytes, copy }
    }
  }
}

async function* partsOfImages(db: Reader): AsyncGenerator<NamedFile> {
  // Images share their parts.
  const seen = new Set<string>()
  for await (const rows of itemsOf(db, 'container_repositories')) {
    for (const row of rows) {
      for await (const { digest, size } of blobsOf(db, row.id)) {
        const parsed = seen.has(digest) ? null : parseDigest(digest)
        seen.add(digest)
        const name = `the part ${digest} of image repository ${row.id}${ofProject(row)}`
        if (parsed) yield { key: blobKey(parsed), name, sizeBytes: size, copy: null }
      }
    }
  }
}

/** All files of the kinds that are replicated: those of `fileTypes` and parts of images, each once. */
export async function* namedFiles(databases: { copies: Reader; primary: Reader }): AsyncGenerator<NamedFile> {
  for (const type of fileTypes) yield* filesOfType(databases, type)
  yield* partsOfImages(databases.primary)
}

/** How many copies of files the database has no row of: they were made at the primary after it. */
export async function countFilesWithoutRow({ copies, primary }: { copies: Reader; primary: Reader }): Promise<number> {
  let count = 0
  for (const type of fileTypes) {
    const replicasAfter = (afterId: number) => copiesAfter(copies, [type], afterId, portion)
    for await (const replicas of portions(replicasAfter)) {
      const ids = replicas.map(({ replicable_id: id }) => id)
      count += replicas.length - (await idsIn(primary, kinds[type].table, ids)).size
    }
  }
  return count
}

/**
 * Puts the copy of a file where the primary has it. Doing so twice changes nothing.
 * @returns where it was found; `missing`: nowhere
 */
export async function placeFile(
  objects: ObjectStore,
  { key, copy, sizeBytes }: NamedFile,
  { isDryRun }: { isDryRun: boolean },
): Promise<'there' | 'copied' | 'missing'> {
  if ((await objects.head(key))?.sizeBytes === sizeBytes) return 'there'
  if (copy === null || !(await objects.head(copy))) return 'missing'
  if (!isDryRun) await objects.copy(copy, key)
  return 'copied'
}

/** Deletes the copy of a file that is in its place. */
export async function removeCopy(objects: ObjectStore, { key, copy }: NamedFile): Promise<void> {
  if (copy !== null && (await objects.head(key))) await objects.delete(copy)
}
