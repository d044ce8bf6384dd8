import { now, type Tx } from '../../infra/database/index.ts'
import type { Job, Platform } from '../../platform/index.ts'
import { requireWorker } from '../features/index.ts'
import { failureOf } from './failures.ts'
import {
  anyMirrorIsDue,
  beginRun,
  duePulls,
  duePushes,
  endRun,
  type MirrorTable,
  makeDue,
  mirrorById,
  postpone,
} from './store.ts'
import type { PullMirrorRow, RemoteMirrorRow } from './tables.ts'

const jobKinds = { remote_mirrors: 'mirrors.push', pull_mirrors: 'mirrors.pull' } as const satisfies Record<
  MirrorTable,
  string
>

/** Longer than a run may take; a run that has not ended after this time was lost, and the mirror runs again. */
const lostMs = 3 * 3_600_000

/** No mirror waits longer for its next run: that of a pull after many failures. */
const longestWaitMs = 8 * 3_600_000
/** How long a mirror waits when its repository cannot be used now. */
const busyMs = 5 * 60_000

/** Failures in a row after which a pull mirror stops until a user starts it. */
const maximumFailures = 14

const workers = { remote_mirrors: 'push_mirror_worker', pull_mirrors: 'pull_mirror_worker' } as const

type State = Pick<RemoteMirrorRow | PullMirrorRow, 'id' | 'project_id' | 'failures'>

/** How the mirrors of a table run. */
export type Runs<Mirror extends State> = {
  table: MirrorTable
  /** @returns the work; `wait` when it cannot be done now, null when there is none */
  prepare(platform: Platform, mirror: Mirror): Promise<((signal: AbortSignal) => Promise<void>) | 'wait' | null>
  /** Milliseconds until the next run; null when the mirror runs only on request. */
  nextAfterMs(mirror: Mirror, outcome: { failures: number; isPassing: boolean }): number | null
}

const inMs = ({ clock }: Platform, ms: number) => new Date(clock.now().getTime() + ms).toISOString()

async function enqueueRuns({ jobs }: Platform, tx: Tx, table: MirrorTable, ids: readonly number[]): Promise<void> {
  for (const id of ids) await jobs.enqueue(tx, jobKinds[table], { mirrorId: id }, { uniqueKey: String(id) })
}

/** Runs mirrors as soon as possible; one that is running runs once more. */
export async function runNow(platform: Platform, tx: Tx, table: MirrorTable, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await makeDue(tx, table, ids, now(platform.clock))
  await enqueueRuns(platform, tx, table, ids)
}

/** Runs mirrors after a delay. */
export async function runAfter(
  platform: Platform,
  tx: Tx,
  table: MirrorTable,
  ids: readonly number[],
  ms: number,
): Promise<void> {
  if (ids.length > 0) await makeDue(tx, table, ids, inMs(platform, ms))
}

/** Starts the mirrors that are due. */
export const sweepJob: Job<null> = {
  kind: 'mirrors.sweep',
  every: { seconds: 60 },
  when: ({ clock }) => anyMirrorIsDue(now(clock), maximumFailures),
  times: [
    { table: 'remote_mirrors', column: 'due_at', longestMs: longestWaitMs },
    { table: 'pull_mirrors', column: 'due_at', longestMs: longestWaitMs },
  ],
  async run(platform) {
    const { database, clock, settings } = platform
    const { mirror_max_capacity: limit } = await settings.current()
    const [pushes, pulls] = await Promise.all([
      duePushes(database.read, now(clock), limit),
      duePulls(database.read, now(clock), { limit, maximumFailures }),
    ])
    if (pushes.length + pulls.length === 0) return
    await database.write(async (tx) => {
      await enqueueRuns(platform, tx, 'remote_mirrors', pushes)
      await enqueueRuns(platform, tx, 'pull_mirrors', pulls)
    })
  },
}

/** Runs a mirror once. @returns whether another run was requested meanwhile */
async function run<Mirror extends State>(
  platform: Platform,
  runs: Runs<Mirror>,
  mirror: Mirror,
  signal: AbortSignal,
): Promise<boolean> {
  const { database, clock } = platform
  const { table } = runs
  const work = await runs.prepare(platform, mirror)
  if (typeof work !== 'function') {
    await database.write((tx) => postpone(tx, table, mirror.id, work === 'wait' ? inMs(platform, busyMs) : null))
    return false
  }
  const lostAt = inMs(platform, lostMs)
  await database.write((tx) => beginRun(tx, table, mirror.id, { now: now(clock), lostAt }))
  const error = await work(signal).then(
    () => null,
    (cause: unknown) => ({ cause, known: failureOf(cause) }),
  )
  // The server is stopping; the job runs again after the start.
  if (error && signal.aborted) throw error.cause
  const failures = error ? mirror.failures + 1 : 0
  const nextMs = runs.nextAfterMs(mirror, { failures, isPassing: error?.known?.isPassing ?? true })
  const nextAt = nextMs === null ? null : inMs(platform, nextMs)
  const sentence = error ? (error.known?.message ?? 'The mirror could not be updated.') : null
  const dueAt = await database.write((tx) =>
    endRun(tx, table, mirror.id, { now: now(clock), lostAt, error: sentence, failures, nextAt }),
  )
  // Unknown errors are logged as failures of the job.
  if (error && !error.known) throw error.cause
  return dueAt !== null && dueAt <= now(clock)
}

/** The job that runs the mirrors of a table. */
export function mirrorJob<Mirror extends State>(runs: Runs<Mirror>): Job<{ mirrorId: number }> {
  return {
    kind: jobKinds[runs.table],
    queue: 'mirrors',
    async run(platform, { mirrorId }, { signal }) {
      // While this job exists, no other is stored for the mirror, so it also does what is requested meanwhile.
      for (let isWanted = true; isWanted; ) {
        const mirror = await mirrorById<Mirror>(platform.database.read, runs.table, mirrorId)
        if (mirror) await requireWorker(platform, workers[runs.table], { projectId: mirror.project_id })
        isWanted = mirror !== null && (await run(platform, runs, mirror, signal))
      }
    },
  }
}
