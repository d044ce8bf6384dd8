import { randomUUID } from 'node:crypto'
import { access, constants, mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { ApiError } from '../../../api/index.ts'
import type { Config } from '../../../config.ts'
import { ignoreMissing, syncDirectory, writeDurably } from '../../../infra/files/index.ts'
import { RunLater } from '../../../infra/jobs/index.ts'

/** A storage cannot be used, for instance because its file system is not mounted. */
class StorageUnusable extends Error {
  constructor(name: string, path: string, reason: string) {
    super(`the folder ${path} of the storage ${name} ${reason}`)
    this.name = 'StorageUnusable'
  }
}

/** The folder of a storage is not the one that was there at the start: its file system is not mounted (contract 10, Storage shard). */
export class StorageAway extends ApiError {
  constructor() {
    const message = 'The storage of the repository is not available. Please try again later.'
    super('storage_away', 503, { message }, { 'Retry-After': '60' })
    this.name = 'StorageAway'
  }
}

const identityFile = '.fennec-storage'

/** The id in a folder; null when it has none. @throws Error when the file cannot be read */
async function readFolderId(path: string): Promise<string | null> {
  const text = await readFile(join(path, identityFile), 'utf8').catch(ignoreMissing)
  return text === null ? null : String((JSON.parse(text) as { filesystem_id?: unknown }).filesystem_id)
}

/** The id of a folder, such as a storage. It is chosen when the folder is first used (contract 10, Storage shard). */
export async function folderId(path: string): Promise<string> {
  const known = await readFolderId(path)
  if (known !== null) return known
  const content = JSON.stringify({ filesystem_id: randomUUID() })
  await writeDurably(join(path, identityFile), `${content}\n`, 0o644, 'wx').catch((error: NodeJS.ErrnoException) => {
    // Another process of the server was faster.
    if (error.code !== 'EEXIST') throw error
  })
  await syncDirectory(path)
  return folderId(path)
}

/** Whether a folder is the one with an id. Without an answer it is not. */
export async function isFolder(path: string, id: string): Promise<boolean> {
  return (await readFolderId(path).catch(() => null)) === id
}

/** The folder that is used without a setting. */
export const ownStorage = (data: string) => join(data, 'repositories')

/**
 * Prepares the storages. The server makes its own folder; others must exist, because one that is missing may not be mounted.
 * @returns the id of each, by name
 * @throws StorageUnusable
 */
export async function prepareStorages({
  storages,
  data,
}: Pick<Config, 'storages' | 'data'>): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for (const [name, path] of Object.entries(storages)) {
    if (path === ownStorage(data)) await mkdir(path, { recursive: true, mode: 0o700 })
    const found = await stat(path).catch(ignoreMissing)
    if (!found?.isDirectory()) throw new StorageUnusable(name, path, 'does not exist')
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK).catch(() => {
      throw new StorageUnusable(name, path, 'is not writable')
    })
    const id = await folderId(path).catch((error: Error) => {
      throw new StorageUnusable(name, path, `has no usable file ${identityFile}: ${error.message}`)
    })
    ids.set(name, id)
  }
  return ids
}

/** The storages of a running server. */
export type Storages = {
  /**
   * Looks whether the folder of a storage is still the one of the start. Asked before a repository is made or removed there: below
   * the mount point of a file system that was unmounted is another folder. Reads one small file; nothing is remembered.
   * @throws StorageAway; nothing for a name that is not configured, of which git has its own error
   */
  require(name: string): Promise<void>
  /** The names of those that cannot be used now. */
  away(): Promise<string[]>
  /** Whether two storages are the same folder, by one name or by two, for instance of two mounts. */
  areSame(one: string, other: string): boolean
}

/**
 * Watches the folders of the storages.
 * @param ids the ids that `prepareStorages` has found
 */
export function openStorages(
  storages: Readonly<Record<string, string>>,
  ids: ReadonlyMap<string, string>,
  log: Pick<Logger, 'error'>,
): Storages {
  const isThere = async (name: string) => {
    const id = ids.get(name)
    return id === undefined || (await isFolder(storages[name] ?? '', id))
  }
  return {
    async require(name) {
      if (await isThere(name)) return
      log.error(
        { storage: name },
        'the folder of a storage is not the one of the start: its file system is not mounted',
      )
      throw new StorageAway()
    },
    async away() {
      const found = await Promise.all([...ids.keys()].map(async (name) => ((await isThere(name)) ? [] : name)))
      return found.flat()
    },
    areSame: (one, other) => one === other || (ids.has(one) && ids.get(one) === ids.get(other)),
  }
}

const awayDelayMs = 60_000

/** Postpones a job that makes a repository or gives it up. @throws RunLater while a storage is not mounted */
export async function deferWhileAway({ storages }: { storages: Storages }, storage: string): Promise<void> {
  await storages.require(storage).catch((error) => {
    throw error instanceof StorageAway ? new RunLater(awayDelayMs, { cause: error }) : error
  })
}
