import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now, type Tx } from '../../infra/database/index.ts'
import type { JobContext, Jobs } from '../../infra/jobs/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { Settings } from '../settings/index.ts'
import { failureOf } from './failures.ts'
import { beginRun, duePulls, duePushes, endRun, type MirrorTable, makeDue, postpone } from './store.ts'
import type { PullMirrorRow, RemoteMirrorRow } from './tables.ts'

export type ScheduleNeeds = {
  database: Database
  jobs: Jobs
  clock: Clock
  settings: Pick<Settings, 'current'>
}

/** When mirrors run: at most once at a time each, and again when something asks for it meanwhile. */
export type Schedule = ReturnType<typeof createSchedule>

const sweepJob = 'mirrors.sweep'
const sweepSeconds = 60
const jobKinds = { remote_mirrors: 'mirrors.push', pull_mirrors: 'mirrors.pull' } as const satisfies Record<
  MirrorTable,
  string
>

/** Longer than a run may take: one of which nothing was heard for so long is begun anew. */
const lostMs = 3 * 3_600_000
/** How long a mirror waits whose repository cannot be worked with just now. */
const busyMs = 5 * 60_000

/** Runs after which a pull mirror is left alone until somebody asks for it. */
export const maximumFailures = 14

type State = Pick<RemoteMirrorRow | PullMirrorRow, 'id' | 'failures'>

/** How the mirrors of a table are run. */
export type Runs<Mirror extends State> = {
  table: MirrorTable
  load(id: number): Promise<Mirror | null>
  /** What is to be done; `wait` when it cannot be done now, null when nothing is to be. */
  prepare(mirror: Mirror): Promise<((signal: AbortSignal) => Promise<void>) | 'wait' | null>
  /** When it runs next without anybody asking, in milliseconds from now; null for never. */
  nextAfterMs(mirror: Mirror, outcome: { failures: number; isPassing: boolean }): number | null
}

export function createSchedule({ database, jobs, clock, settings }: ScheduleNeeds) {
  const inMs = (ms: number) => new Date(clock.now().getTime() + ms).toISOString()

  async function enqueue(tx: Tx, table: MirrorTable, ids: readonly number[]): Promise<void> {
    for (const id of ids) await jobs.enqueue(tx, jobKinds[table], { mirrorId: id }, { uniqueKey: String(id) })
  }

  async function sweep(): Promise<void> {
    const { mirror_max_capacity: limit } = await settings.current()
    const [pushes, pulls] = await Promise.all([
      duePushes(database.read, now(clock), limit),
      duePulls(database.read, now(clock), { limit, maximumFailures }),
    ])
    if (pushes.length + pulls.length === 0) return
    await database.write(async (tx) => {
      await enqueue(tx, 'remote_mirrors', pushes)
      await enqueue(tx, 'pull_mirrors', pulls)
    })
  }

  jobs.define<null>({ kind: sweepJob, run: sweep })
  jobs.every(sweepJob, sweepSeconds, sweepJob)

  /** Runs a mirror once. @returns whether it was asked for once more meanwhile */
  async function run<Mirror extends State>(runs: Runs<Mirror>, mirror: Mirror, signal: AbortSignal): Promise<boolean> {
    const { table } = runs
    const work = await runs.prepare(mirror)
    if (typeof work !== 'function') {
      await database.write((tx) => postpone(tx, table, mirror.id, work === 'wait' ? inMs(busyMs) : null))
      return false
    }
    const lostAt = inMs(lostMs)
    await database.write((tx) => beginRun(tx, table, mirror.id, { now: now(clock), lostAt }))
    const error = await work(signal).then(
      () => null,
      (cause: unknown) => ({ cause, told: failureOf(cause) }),
    )
    // The process is being stopped: whoever takes the job next begins anew.
    if (error && signal.aborted) throw error.cause
    const failures = error ? mirror.failures + 1 : 0
    const nextMs = runs.nextAfterMs(mirror, { failures, isPassing: error?.told?.isPassing ?? true })
    const nextAt = nextMs === null ? null : inMs(nextMs)
    const sentence = error ? (error.told?.message ?? 'The mirror could not be updated.') : null
    const dueAt = await database.write((tx) =>
      endRun(tx, table, mirror.id, { now: now(clock), lostAt, error: sentence, failures, nextAt }),
    )
    // What nobody expected is for the log.
    if (error && !error.told) throw error.cause
    return dueAt !== null && dueAt <= now(clock)
  }

  return {
    /** Has a job do the work of a table's mirrors. To be called once for each, before the jobs start. */
    define<Mirror extends State>(runs: Runs<Mirror>): void {
      jobs.define<{ mirrorId: number }>({
        kind: jobKinds[runs.table],
        queue: 'mirrors',
        async run({ mirrorId }, { signal }: JobContext) {
          // While this job is there no other is stored for the mirror: what is asked for meanwhile is done by this one.
          for (let isWanted = true; isWanted; ) {
            const mirror = await runs.load(mirrorId)
            isWanted = mirror !== null && (await run(runs, mirror, signal))
          }
        },
      })
    },

    /** Lets mirrors run as soon as may be; one that is running runs once more. */
    async now(tx: Tx, table: MirrorTable, ids: readonly number[]): Promise<void> {
      if (ids.length === 0) return
      await makeDue(tx, table, ids, now(clock))
      await enqueue(tx, table, ids)
    },

    /** Lets mirrors run after a while. */
    async after(tx: Tx, table: MirrorTable, ids: readonly number[], ms: number): Promise<void> {
      if (ids.length > 0) await makeDue(tx, table, ids, inMs(ms))
    },
  }
}

/** Runs a pull mirror as soon as possible; one that is running runs once more. */
export async function pullNow({ jobs, clock }: Pick<Platform, 'jobs' | 'clock'>, tx: Tx, id: number): Promise<void> {
  await makeDue(tx, 'pull_mirrors', [id], now(clock))
  await jobs.enqueue(tx, jobKinds.pull_mirrors, { mirrorId: id }, { uniqueKey: String(id) })
}
