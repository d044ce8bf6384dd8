import { randomUUID } from 'node:crypto'
import { access, constants, mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { ignoreMissing, syncDirectory, writeDurably } from '../../infra/files/index.ts'

type Storages = Pick<Config, 'storages' | 'data'>

/** A storage cannot be used, for instance because its file system is not mounted. */
class StorageUnusable extends Error {
  constructor(name: string, path: string, reason: string) {
    super(`the folder ${path} of the storage ${name} ${reason}`)
    this.name = 'StorageUnusable'
  }
}

const identityFile = '.fennec-storage'

/** The id of a folder, such as a storage. It is chosen when the folder is first used (contract 10, Storage shard). */
export async function folderId(path: string): Promise<string> {
  const file = join(path, identityFile)
  const text = await readFile(file, 'utf8').catch(ignoreMissing)
  if (text !== null) return String((JSON.parse(text) as { filesystem_id?: unknown }).filesystem_id)
  const content = JSON.stringify({ filesystem_id: randomUUID() })
  await writeDurably(file, `${content}\n`, 0o644, 'wx').catch((error: NodeJS.ErrnoException) => {
    // Another process of the server was faster.
    if (error.code !== 'EEXIST') throw error
  })
  await syncDirectory(path)
  return folderId(path)
}

/** The folder that is used without a setting. */
export const ownStorage = (data: string) => join(data, 'repositories')

/**
 * Prepares the storages. The server makes its own folder; others must exist, because one that is missing may not be mounted.
 * @throws StorageUnusable
 */
export async function prepareStorages({ storages, data }: Storages): Promise<void> {
  for (const [name, path] of Object.entries(storages)) {
    if (path === ownStorage(data)) await mkdir(path, { recursive: true })
    const found = await stat(path).catch(ignoreMissing)
    if (!found?.isDirectory()) throw new StorageUnusable(name, path, 'does not exist')
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK).catch(() => {
      throw new StorageUnusable(name, path, 'is not writable')
    })
    await folderId(path).catch((error: Error) => {
      throw new StorageUnusable(name, path, `has no usable file ${identityFile}: ${error.message}`)
    })
  }
}

/** Whether two storages are the same folder, by one name or by two, for instance of two mounts. */
export async function areSameStorage({ storages }: Storages, one: string, other: string): Promise<boolean> {
  const [first, second] = [storages[one], storages[other]]
  if (one === other || first === undefined || second === undefined) return one === other
  return (await folderId(first)) === (await folderId(second))
}
