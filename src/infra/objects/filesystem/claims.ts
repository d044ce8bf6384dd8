import { copyFile, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFile } from '../../files/index.ts'
import { randomHex } from '../../secrets/index.ts'
import { busyWriter, unknownWriter } from '../writer-errors.ts'
import { FILE_MODE, ignoreAbsent } from './files.ts'

/*
 * A writer is a folder with one file. The file is named `idle` while the writer is free. A process that appends renames it to a
 * unique name, which succeeds for one process only, and back afterwards. So two nodes on a shared mount cannot mix their bytes,
 * and no lock can outlive its owner.
 */
const IDLE = 'idle'
const BUSY = /^busy-(\d+)-/

/** After this time without a new byte, a holder is considered dead, in milliseconds. */
const STALE_MS = 60_000

/** Creates the empty file of a new writer. */
export async function createIdle(folder: string): Promise<void> {
  const path = join(folder, IDLE)
  await using file = await open(path, 'wx', FILE_MODE)
  await syncFile(file, path)
}

/**
 * Claims a writer.
 * @returns the path of its file, which only the caller may write until `release`
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
 * Releases a writer.
 * @throws ObjectError `writer_unknown` when it was cancelled or taken over meanwhile
 */
export async function release(folder: string, held: string): Promise<void> {
  if (!(await renamed(held, join(folder, IDLE)))) throw unknownWriter()
}

/** The size of a writer's file, claimed or not; null when the writer does not exist. */
export async function sizeOf(folder: string): Promise<number | null> {
  // The file may be renamed between the two calls, so they are retried a few times.
  for (let attempt = 0; attempt < 10; attempt++) {
    const [name] = (await readdir(folder).catch(ignoreAbsent)) ?? []
    if (name === undefined) return null
    const found = await stat(join(folder, name)).catch(ignoreAbsent)
    if (found) return found.size
  }
  throw busyWriter()
}

/**
 * The holder may only be slow, so it is fenced off: the bytes are copied, the holder writes on into an unlinked file, and its
 * `release` fails.
 */
async function takeOver(folder: string, held: string, mine: string): Promise<string> {
  const fenced = join(folder, `fenced-${randomHex(8)}`)
  if (!(await renamed(join(folder, held), fenced))) throw busyWriter()
  await copyFile(fenced, mine)
  await rm(fenced, { force: true })
  return mine
}

/** Renaming does not change the file's time, so the name contains the time of the claim. */
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
