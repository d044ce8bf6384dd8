import { copyFile, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { randomHex } from '../../secrets/index.ts'
import { ObjectError } from '../object-error.ts'
import { FILE_MODE, ignoreAbsent } from './files.ts'

/*
 * A writer is a folder with one file. Nobody holds it while the file is called `idle`; whoever wants to append renames
 * it to a name of his own, which succeeds for one process only, and renames it back. So two nodes on a shared mount
 * cannot mix their bytes, and there is no lock that could outlive its owner's data.
 */
const IDLE = 'idle'
const BUSY = /^busy-(\d+)-/

/** After so long without a new byte a holder is taken for dead. */
const STALE_MS = 60_000

/** Puts the empty file into a new writer's folder. */
export async function createIdle(folder: string): Promise<void> {
  const file = await open(join(folder, IDLE), 'wx', FILE_MODE)
  await file.sync().finally(() => file.close())
}

/**
 * Takes hold of a writer.
 * @returns path of its file, which is the caller's alone until `release`
 * @throws ObjectError `writer_unknown`, `writer_busy`
 */
export async function claim(folder: string, nowMs: number): Promise<string> {
  const mine = join(folder, `busy-${nowMs}-${randomHex(8)}`)
  if (await renamed(join(folder, IDLE), mine)) return mine
  const names = await readdir(folder).catch(ignoreAbsent)
  if (!names?.length) throw unknownWriter()
  const held = names.find((name) => BUSY.test(name))
  if (held === undefined || (await lastSignOfLifeMs(folder, held)) > nowMs - STALE_MS) throw busyWriter()
  return takeOver(folder, held, mine)
}

/**
 * Gives the writer free again.
 * @throws ObjectError `writer_unknown` when it was cancelled or taken over meanwhile
 */
export async function release(folder: string, held: string): Promise<void> {
  if (!(await renamed(held, join(folder, IDLE)))) throw unknownWriter()
}

/** Size of a writer's file, whoever holds it; null when there is no such writer. */
export async function sizeOf(folder: string): Promise<number | null> {
  // The file may be renamed between the two calls, but not again and again.
  for (let attempt = 0; attempt < 10; attempt++) {
    const [name] = (await readdir(folder).catch(ignoreAbsent)) ?? []
    if (name === undefined) return null
    const found = await stat(join(folder, name)).catch(ignoreAbsent)
    if (found) return found.size
  }
  throw busyWriter()
}

/**
 * The dead holder may only be slow, so it is fenced off: the bytes are copied, what it still writes goes into a file
 * without a name, and its `release` fails.
 */
async function takeOver(folder: string, held: string, mine: string): Promise<string> {
  const fenced = join(folder, `fenced-${randomHex(8)}`)
  if (!(await renamed(join(folder, held), fenced))) throw busyWriter()
  await copyFile(fenced, mine)
  await rm(fenced, { force: true })
  return mine
}

/** Renaming leaves the file's own time alone, so the time of the claim stands in its name. */
async function lastSignOfLifeMs(folder: string, held: string): Promise<number> {
  const claimedMs = Number(BUSY.exec(held)?.[1])
  const found = await stat(join(folder, held)).catch(ignoreAbsent)
  return found ? Math.max(claimedMs, found.mtimeMs) : Number.POSITIVE_INFINITY
}

async function renamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    return ignoreAbsent(error) !== null
  }
}

function busyWriter(): ObjectError {
  return new ObjectError('writer_busy', 'another request is writing to this upload')
}

/** The error for an upload that is not there. */
export function unknownWriter(): ObjectError {
  return new ObjectError('writer_unknown', 'there is no such upload')
}
