import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../infra/clock/index.ts'
import {
  type Database,
  describeTables,
  type Held,
  LockHeld,
  type Reader,
  readRows,
} from '../../infra/database/index.ts'
import { isAnyRunning } from '../../infra/jobs/index.ts'
import { backupLock, refsLock } from '../../platform/index.ts'
import { hasIntentsSince } from '../../platform/repositories/index.ts'
import { BackupRefused } from '../format/refused.ts'
import type { BackupWriter } from '../format/writer.ts'
import type { Progress } from '../progress.ts'
import type { CapturedRefs } from './refs.ts'

/** Queues whose jobs pack or delete repositories. One that began before the lock may still do so. */
const deletingQueues = ['maintenance', 'removal']
const pollMs = 20
/** How long changes of refs that have begun may take before the snapshot is taken. Others are settled by the next start. */
const drainMs = 5_000
/** A change of refs that is this old was interrupted. */
const interruptedMs = 60_000
const mostPasses = 5
const fewRepositories = 100

/** Stops deletions, in all servers of the installation. @throws BackupRefused while another backup is made */
export async function stopDeletions(database: Database, clock: Clock, progress: Progress): Promise<Held> {
  const held = await database.hold(backupLock).catch((error) => {
    throw error instanceof LockHeld ? new BackupRefused('another backup of this installation is being made') : error
  })
  const isDeleting = () => isAnyRunning(database.read, deletingQueues, clock.now().toISOString())
  let isNoted = false
  while (await isDeleting()) {
    if (!isNoted) progress.note('waiting for running maintenance to end')
    isNoted = true
    await sleep(pollMs)
  }
  return held
}

/**
 * Runs work in a snapshot of the database that fits the captured refs exactly: while it is taken, no change of refs begins, and
 * those that have begun are recorded.
 */
export async function inSnapshot(
  { database, clock }: { database: Database; clock: Clock },
  refs: CapturedRefs,
  work: (reader: Reader) => Promise<void>,
): Promise<void> {
  // What can be read before is read before: changes of refs wait for the rest.
  for (let pass = 1; pass <= mostPasses; pass += 1) if ((await refs.update(database.read)) <= fewRepositories) break
  const since = new Date(clock.now().getTime() - interruptedMs).toISOString()
  let frozen: Held | undefined = await database.hold(refsLock)
  try {
    for (let waitedMs = 0; waitedMs < drainMs; waitedMs += pollMs) {
      if (!(await hasIntentsSince(database.read, since))) break
      await sleep(pollMs)
    }
    await database.snapshot(async (reader) => {
      await refs.update(reader)
      await frozen?.release()
      frozen = undefined
      await work(reader)
    })
  } finally {
    await frozen?.release()
  }
}

const chunkBytes = 1024 * 1024

/** Copies all rows. */
export async function copyTables(reader: Reader, writer: BackupWriter, progress: Progress): Promise<void> {
  const tables = await describeTables(reader)
  await progress.step('database', tables.length)
  for (const table of tables) {
    await writer.line({ kind: 'table', ...table })
    let lines: string[] = []
    let bytes = 0
    const flush = async () => {
      if (lines.length > 0) await writer.whole({ kind: 'rows' }, Buffer.from(`${lines.join('\n')}\n`))
      lines = []
      bytes = 0
    }
    for await (const portion of readRows(reader, table)) {
      for (const line of portion) {
        lines.push(line)
        bytes += line.length
        if (bytes >= chunkBytes) await flush()
      }
    }
    await flush()
    progress.advance(1)
  }
}
