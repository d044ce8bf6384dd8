/** Reads and writes HEAD of a bare repository as a file, without a process. */
import { constants } from 'node:fs'
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ignoreMissing, syncDirectory, syncFile } from '../../files/index.ts'
import { GitError, RefConflict } from '../model/errors.ts'
import { type RefName, refName } from '../model/names.ts'

/**
 * Reads the target of HEAD, which need not exist.
 * @throws GitError `repository_missing`; `command_failed` when HEAD is not a symbolic ref
 */
export async function readHead(directory: string): Promise<RefName> {
  const text = await readFile(join(directory, 'HEAD'), 'utf8').catch(ignoreMissing)
  if (text === null) throw new GitError('repository_missing', `no repository: ${directory}`)
  const ref = text.startsWith('ref: ') ? refName(text.slice('ref: '.length).trimEnd()) : null
  if (ref === null) throw new GitError('command_failed', `HEAD is not a symbolic ref: ${directory}`)
  return ref
}

/** Checks that a repository exists; its HEAD may be malformed. @throws GitError `repository_missing` */
export async function expectRepository(directory: string): Promise<void> {
  await readHeadIfSound(directory)
}

/** As `readHead`; null for a malformed HEAD, which may be overwritten. */
function readHeadIfSound(directory: string): Promise<RefName | null> {
  return readHead(directory).catch((error: unknown) => {
    if (error instanceof GitError && error.code === 'command_failed') return null
    throw error
  })
}

/** How long to wait for another writer: as long as git waits for the lock of a ref (`core.filesRefLockTimeout`). */
const LOCK_TIMEOUT_MS = 2_000
const FIRST_WAIT_MS = 2
const LONGEST_WAIT_MS = 50

/**
 * Points HEAD at a ref, durably. Uses git's lock protocol (`HEAD.lock`, then rename), which excludes git's own writers.
 * Takes no lock when HEAD has this target already.
 * @throws RefConflict `locked` when another writer holds the lock for more than two seconds; GitError `repository_missing`
 */
export async function writeHead(directory: string, ref: RefName): Promise<void> {
  const isDone = async () => (await readHeadIfSound(directory)) === ref
  if (await isDone()) return
  const lock = join(directory, 'HEAD.lock')
  const file = await openLock(lock, ref, isDone)
  if (file === null) return
  try {
    await file.writeFile(`ref: ${ref}\n`)
    await syncFile(file, lock)
    await file.close()
    await rename(lock, join(directory, 'HEAD'))
  } catch (error) {
    await file.close().catch(() => {})
    await rm(lock, { force: true })
    throw error
  }
  await syncDirectory(directory)
}

/** Creates the lock file. @returns null when the previous holder of the lock has set the same target */
async function openLock(lock: string, ref: RefName, isDone: () => Promise<boolean>): Promise<FileHandle | null> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
  const end = performance.now() + LOCK_TIMEOUT_MS
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const file = await open(lock, flags, 0o644).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'EEXIST') return null
      throw cause
    })
    if (file !== null) return file
    if (await isDone()) return null
    if (performance.now() > end) throw new RefConflict('locked', ref)
    await setTimeout(waitMs)
  }
}
