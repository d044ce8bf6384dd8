import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { now } from '../../../infra/database/index.ts'
import { handled, through } from '../../../infra/streams/index.ts'
import type { Platform, Portable } from '../../../platform/index.ts'
import { keyOf, ownerOf } from '../core/portable.ts'
import * as store from '../core/store.ts'
import type { ExportRow } from '../tables.ts'
import { archive, ndjson, singleObject, type Written } from './content.ts'
import type { Relation } from './relation.ts'
import { Rows } from './rows.ts'

/** Another run has taken the place of this one, or the project or group was deleted. */
export class Superseded extends Error {
  override name = 'Superseded'
}

/** A run of an export, with what it has written. */
export type Running = { row: ExportRow; run: store.Run; portable: Portable; signal: AbortSignal }

/** Rows in a batch (contract 14, Background work). */
const batchRows = 1000

/** How often a long file reports progress. */
const progressMs = 60_000

/** Reports progress. @throws Superseded */
async function progress({ database, clock }: Platform, { run }: Running): Promise<void> {
  const isCurrent = await database.write((tx) => store.updateRun(tx, run, { updated_at: now(clock) }))
  if (!isCurrent) throw new Superseded()
}

/** Passes portions on, and reports progress from time to time. */
async function* watched<Row>(platform: Platform, running: Running, portions: AsyncIterable<Row>): AsyncGenerator<Row> {
  const nowMs = () => platform.clock.now().getTime()
  let reportedMs = nowMs()
  for await (const portion of portions) {
    running.signal.throwIfAborted()
    if (nowMs() - reportedMs >= progressMs) {
      await progress(platform, running)
      reportedMs = nowMs()
    }
    yield portion
  }
}

/** Compresses and stores one file, and records it. */
async function storeFile(
  platform: Platform,
  { row, run }: Running,
  number: number,
  content: AsyncIterable<Uint8Array>,
  written: Written,
): Promise<void> {
  const { objects, database, clock } = platform
  // The store may not have begun to read when the source fails, and destroys nothing itself.
  const gzip = through(handled(Readable.from(content, { objectMode: false })), handled(createGzip()))
  try {
    const { sizeBytes, sha256 } = await objects.put(keyOf(ownerOf(row), run.run, number), gzip)
    const at = now(clock)
    await database.write(async (tx) => {
      if (!(await store.updateRun(tx, run, { updated_at: at }))) throw new Superseded()
      const file = { export_id: run.id, number, status: 1 as const, error: null, objects_count: written.objects }
      await store.insertFile(tx, { ...file, size_bytes: sizeBytes, sha256, updated_at: at })
    })
  } finally {
    gzip.destroy()
  }
}

/** Stores the rows as one file, or as one for each batch. @returns the number of objects, and the users they refer to */
async function storeRows<Row>(
  platform: Platform,
  running: Running,
  portions: AsyncIterable<readonly Row[]>,
  contentOf: (portions: AsyncIterable<readonly Row[]>, written: Written) => AsyncIterable<Uint8Array>,
): Promise<Written> {
  const total: Written = { objects: 0, users: new Set() }
  await using rows = new Rows(watched(platform, running, portions))
  const { batched } = running.row
  for (let number = batched ? 1 : 0; !batched || !(await rows.isAtEnd()); number += 1) {
    const written: Written = { objects: 0, users: total.users }
    const taken = rows.take(batched ? batchRows : Number.POSITIVE_INFINITY)
    await storeFile(platform, running, number, contentOf(taken, written), written)
    total.objects += written.objects
    if (!batched) break
  }
  return total
}

/** Writes all files of a relation, of one state of the database. */
export function writeFiles(platform: Platform, relation: Relation, running: Running): Promise<Written> {
  const { portable } = running
  if (relation.form === 'archive') {
    const contentOf = (portions: Parameters<typeof archive>[0], written: Written) =>
      archive(portions, relation.index, written)
    return storeRows(platform, running, relation.files(platform, portable), contentOf)
  }
  const contentOf = relation.form === 'object' ? singleObject : ndjson
  return platform.database.snapshot((db) =>
    storeRows(platform, running, relation.lines(platform, db, portable), contentOf),
  )
}
