import { chmod, lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { type Config, requestFolder } from '../../config.ts'
import { ignoreMissing, namesIn } from '../../infra/files/index.ts'
import { openStorages, ownStorage, prepareStorages, type Storages } from '../repositories/index.ts'

/** What others than the owner may do with a file. */
const othersMask = 0o077

/** The file of the database with those that SQLite keeps beside it. */
function databaseFiles({ databaseUrl }: Pick<Config, 'databaseUrl'>): string[] {
  const file = /^sqlite:(.+)$/.exec(databaseUrl)?.[1]
  return file === undefined ? [] : ['', '-wal', '-shm'].map((ending) => file + ending)
}

/** The folders and files whose content only the owner may read. Below a folder that others cannot enter, modes do not matter. */
async function privatePlaces(config: Config): Promise<string[]> {
  const { data, storages, objectsUrl } = config
  const inData = (await namesIn(data)).map((name) => join(data, name))
  return [
    data,
    ...inData,
    ...databaseFiles(config),
    requestFolder(config),
    // A storage may be the root of a file system; what the server has made is below.
    ...Object.values(storages).map((path) => (path === ownStorage(data) ? path : join(path, '@hashed'))),
    ...(objectsUrl.startsWith('file:') ? [fileURLToPath(objectsUrl)] : []),
  ]
}

/** Takes the rights of others from a place of this user. Never through a link. @returns whether others had any */
async function tighten(path: string): Promise<boolean> {
  const found = await lstat(path).catch(ignoreMissing)
  if (!found || !(found.isDirectory() || found.isFile())) return false
  if (found.uid !== process.getuid?.() || (found.mode & othersMask) === 0) return false
  await chmod(path, found.mode & 0o700)
  return true
}

/**
 * Makes what earlier releases and other programs have left in the places of the server readable by their owner only. What the server
 * makes from now on is so by the umask of the program.
 */
async function tightenPlaces(config: Config, log: Pick<Logger, 'warn'>): Promise<void> {
  const tightened: string[] = []
  for (const path of new Set(await privatePlaces(config))) if (await tighten(path)) tightened.push(path)
  if (tightened.length > 0)
    log.warn({ paths: tightened }, 'other users could read these places; now only the owner can')
}

/**
 * Makes the data folder, prepares the storages, and takes the rights of other users from what is there.
 * @throws Error as `prepareStorages`
 */
export async function openPlaces(config: Config, log: Pick<Logger, 'error' | 'warn'>): Promise<Storages> {
  await mkdir(config.data, { recursive: true, mode: 0o700 })
  const ids = await prepareStorages(config)
  await tightenPlaces(config, log)
  return openStorages(config.storages, ids, log)
}
