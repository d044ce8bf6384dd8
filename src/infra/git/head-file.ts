/** HEAD of a bare repository. Read and written as the file that it is: no process needed. */
import { constants } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from './durable.ts'
import { GitError, RefConflict } from './errors.ts'
import { type RefName, refName } from './names.ts'

/**
 * What HEAD points at, whether or not that ref exists.
 * @throws GitError `repository_missing`; `command_failed` when HEAD is no symbolic ref
 */
export async function readHead(directory: string): Promise<RefName> {
  const text = await readFile(join(directory, 'HEAD'), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') {
      throw new GitError('repository_missing', `no repository: ${directory}`, { cause })
    }
    throw cause
  })
  const ref = text.startsWith('ref: ') ? refName(text.slice('ref: '.length).trimEnd()) : null
  if (ref === null) throw new GitError('command_failed', `HEAD is no symbolic ref: ${directory}`)
  return ref
}

/**
 * Points HEAD at a ref, durably, by git's own lock protocol (`HEAD.lock`, then rename), so that it excludes git's writers.
 * @throws RefConflict `locked` when another writer is at it; GitError `repository_missing`
 */
export async function writeHead(directory: string, ref: RefName): Promise<void> {
  await readHead(directory).catch((error: GitError) => {
    if (error.code === 'repository_missing') throw error
  })
  const lock = join(directory, 'HEAD.lock')
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
  const file = await open(lock, flags, 0o644).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EEXIST') throw new RefConflict('locked', ref)
    throw cause
  })
  try {
    await file.writeFile(`ref: ${ref}\n`)
    await file.sync()
    await file.close()
    await rename(lock, join(directory, 'HEAD'))
  } catch (error) {
    await file.close().catch(() => {})
    await rm(lock, { force: true })
    throw error
  }
  await syncDirectory(directory)
}
