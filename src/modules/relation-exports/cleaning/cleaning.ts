import { acquireLock, now } from '../../../infra/database/index.ts'
import { sweep } from '../../../infra/objects/index.ts'
import { enqueue, type Job, type Platform } from '../../../platform/index.ts'
import { exportsPrefix, lockOf, type Owner, ownerOf, runOfKey } from '../core/portable.ts'
import { exportsOf, failFiles } from '../core/store.ts'
import { contributions } from '../relations.ts'
import { followEnd } from '../running/job.ts'
import { removeRunJob } from './removal.ts'
import * as store from './store.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Unfinished exports without progress for this time have failed (contract 14, Status of a relation). */
const stalledMs = 60 * minuteMs

const atOnce = 100

const before = ({ clock }: Platform, ageMs: number) => new Date(clock.now().getTime() - ageMs)

/** Deletes the files of exports that finished a day ago (contract 14, Status of a relation). */
async function expireExports(platform: Platform, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const rows = await store.expiredExports(platform.database.read, before(platform, dayMs).toISOString(), atOnce)
    if (rows.length === 0) return
    await platform.database.write(async (tx) => {
      for (const row of rows) {
        if (await store.expire(tx, row)) await enqueue(platform, tx, removeRunJob, { ...ownerOf(row), run: row.run })
      }
    })
  }
}

/** Fails the exports of a project or group that have stalled. Its users are exported still, unless that has stalled. */
async function failStalled(platform: Platform, owner: Owner, since: string): Promise<void> {
  const error = 'Export timed out'
  await platform.database.write(async (tx) => {
    await acquireLock(tx, lockOf(owner))
    const rows = await exportsOf(tx, owner)
    if (rows.some(({ updated_at }) => updated_at >= since)) return
    const unfinished = rows.filter(({ status }) => status === 0)
    const others = unfinished.filter(({ relation }) => relation !== contributions)
    const stalled = others.length > 0 ? others : unfinished
    const at = now(platform.clock)
    await store.failExports(
      tx,
      stalled.map(({ id }) => id),
      error,
      at,
    )
    for (const { id, run } of stalled) {
      await failFiles(tx, id, error, at)
      if (run !== null) await enqueue(platform, tx, removeRunJob, { ...owner, run })
    }
    if (others.length > 0) await followEnd(platform, tx, owner)
  })
}

/** Expires finished exports, and fails those that have stalled. */
export const watchExportsJob: Job<null> = {
  kind: 'relation_exports.watch',
  queue: 'maintenance',
  every: { seconds: 600 },
  async run(platform, _, { signal }) {
    await expireExports(platform, signal)
    const since = before(platform, stalledMs).toISOString()
    for (const owner of await store.stalledOwners(platform.database.read, since, atOnce)) {
      await failStalled(platform, owner, since)
    }
  },
}

/** Removes files that no export has: of runs whose process was killed. */
export const sweepExportsJob: Job<null> = {
  kind: 'relation_exports.sweep',
  queue: 'maintenance',
  every: { seconds: dayMs / 1000, offsetSeconds: 5.75 * 3600 },
  async run(platform, _, { signal }) {
    await sweep(platform.objects, exportsPrefix, {
      signal,
      before: before(platform, dayMs),
      async recorded(keys) {
        const runs = await store.knownRuns(
          platform.database.read,
          keys.flatMap((key) => runOfKey(key) ?? []),
        )
        return new Set(keys.filter((key) => runs.has(runOfKey(key) ?? '')))
      },
    })
  },
}
