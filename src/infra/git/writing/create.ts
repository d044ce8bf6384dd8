/** Creates and removes repositories. A directory is filled under a temporary name and renamed, so a crash leaves all or nothing. */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ignoreMissing, namesIn, syncDirectories, syncDirectory, syncFiles, syncTree } from '../../files/index.ts'
import { GitError } from '../model/errors.ts'
import { branchName, type DiskPath, diskPath, type RefName } from '../model/names.ts'
import type { ObjectFormat } from '../model/types.ts'

const SKELETON = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'] as const

/** The repository's configuration file: only its format. All other settings are passed with each command. */
export function configFile(objectFormat: ObjectFormat): string {
  const version = objectFormat === 'sha1' ? 0 : 1
  const extensions = objectFormat === 'sha1' ? '' : `[extensions]\n\tobjectformat = ${objectFormat}\n`
  return `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = true\n${extensions}`
}

/** Whether the repository exists. */
export async function repositoryExists(directory: string): Promise<boolean> {
  const head = await stat(join(directory, 'HEAD')).catch(ignoreMissing)
  return head?.isFile() === true
}

/**
 * Creates an empty bare repository, durably. An empty one that exists stays as it is: creation may be repeated after a crash.
 * @throws GitError `repository_exists` when the directory holds objects, so belongs to another repository
 */
export async function initRepository(
  directory: string,
  { defaultBranch, objectFormat = 'sha1' }: { defaultBranch: RefName; objectFormat?: ObjectFormat },
): Promise<void> {
  if (branchName(defaultBranch) === null) throw new GitError('invalid_input', `not a branch: ${defaultBranch}`)
  if (await repositoryExists(directory)) return requireEmpty(directory)
  await makeBeside(directory, (made) => writeSkeleton(made, defaultBranch, objectFormat), 'keep')
}

async function requireEmpty(directory: string): Promise<void> {
  const objects = await readdir(join(directory, 'objects'), { recursive: true })
  if (objects.some((name) => name !== 'info' && name !== 'pack')) throw repositoryInTheWay(directory)
}

/** The error for a directory that holds a repository already. */
export function repositoryInTheWay(directory: string): GitError {
  return new GitError('repository_exists', `a repository exists already: ${directory}`)
}

async function writeSkeleton(directory: string, head: RefName, objectFormat: ObjectFormat): Promise<void> {
  for (const path of SKELETON) await mkdir(join(directory, path), { recursive: true })
  await writeFile(join(directory, 'config'), configFile(objectFormat), { mode: 0o644 })
  await writeFile(join(directory, 'HEAD'), `ref: ${head}\n`, { mode: 0o644 })
  await Promise.all([syncFiles(directory), syncTree(directory)])
}

/**
 * Fills a temporary directory by `make`, and renames it to `directory`.
 * @param ifExists when `directory` was created meanwhile: `keep` it if it is empty, or throw `repository_exists`
 */
export async function makeBeside(
  directory: string,
  make: (made: string) => Promise<void>,
  ifExists: 'keep' | 'throw',
): Promise<void> {
  const made = `${directory}.new-${randomUUID()}`
  const parent = dirname(directory)
  const firstMade = await mkdir(parent, { recursive: true })
  try {
    await mkdir(made)
    await make(made)
    await rename(made, directory).catch(async (cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOTEMPTY' && cause.code !== 'EEXIST') throw cause
      if (ifExists === 'throw') throw repositoryInTheWay(directory)
      await requireEmpty(directory)
    })
  } finally {
    await rm(made, { recursive: true, force: true })
  }
  const changed = [parent]
  // Parents that were created must be durable as well.
  if (firstMade !== undefined) {
    for (let path = parent; path !== dirname(firstMade); path = dirname(path)) changed.push(dirname(path))
  }
  await syncDirectories(changed)
}

/** Renames a repository, then deletes it. Does nothing when it does not exist. */
export async function removeRepository(directory: string): Promise<void> {
  const removed = `${directory}.removed-${randomUUID()}`
  const found = await rename(directory, removed).then(() => true, ignoreMissing)
  if (found === null) return
  await syncDirectory(dirname(directory))
  await rm(removed, { recursive: true, force: true, maxRetries: 3 })
}

/** Reads the object format of a repository. @throws GitError `repository_missing` */
export async function objectFormatOf(directory: string): Promise<ObjectFormat> {
  const config = await readFile(join(directory, 'config'), 'utf8').catch(ignoreMissing)
  if (config === null) throw new GitError('repository_missing', `no repository: ${directory}`)
  return /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? 'sha256' : 'sha1'
}

const LEFTOVER = /\.git\.(?:new|removed)-[0-9a-f-]{36}$/

/** Yields the paths of all repositories in a storage. */
export async function* repositoriesIn(root: string): AsyncGenerator<DiskPath> {
  for await (const { parent, name } of hashedEntries(root)) {
    const path = diskPath(`${parent}/${name}`)
    if (path !== null) yield path
  }
}

/** The entries of a storage's hashed directories. `parent` is relative to the storage. */
async function* hashedEntries(root: string): AsyncGenerator<{ parent: string; name: string }> {
  const list = (path: string) => namesIn(join(root, path))
  for (const first of await list('@hashed')) {
    for (const second of await list(`@hashed/${first}`)) {
      const parent = `@hashed/${first}/${second}`
      for (const name of await list(parent)) yield { parent, name }
    }
  }
}

/** Deletes half-created and half-removed repositories that crashes left in a storage. @returns their number */
export async function sweepStorage(
  root: string,
  { olderThanMs, now }: { olderThanMs: number; now: Date },
): Promise<number> {
  let count = 0
  for await (const { parent, name } of hashedEntries(root)) {
    if (!LEFTOVER.test(name)) continue
    const path = join(root, parent, name)
    const found = await stat(path).catch(ignoreMissing)
    if (found === null || found.ctimeMs > now.getTime() - olderThanMs) continue
    await rm(path, { recursive: true, force: true })
    count += 1
  }
  return count
}
