import type { Clock, Timer } from '../../clock/index.ts'
import type { Registry } from '../registry.ts'
import { expireLeases, type NextJobs, whatIsNext } from '../store.ts'
import type { Jobs, Watch } from '../types.ts'
import { createLaneWorker, type LaneWorker, type LaneWorkerOptions } from './lane-worker.ts'
import { createPoller } from './poller.ts'
import { registerRecurring } from './recurring.ts'
import type { RunningJob } from './runner.ts'
import { createSchedule, type Schedule } from './schedule.ts'

/** How long `stop` waits for aborted jobs. */
const ABORT_GRACE_MS = 1000

/** Options of `createWorker`. */
type WorkerOptions = Omit<LaneWorkerOptions, 'definitions' | 'isClaiming' | 'onReturned'> & { alone: boolean }

/** Longest time between two polls: the longest delay for a job that another process enqueued. */
const IDLE_MS = 3_000

/** Time between two polls while there is something to do. */
const BUSY_MS = 1_000

/** Claims and runs jobs of all queues. */
interface Worker extends Pick<Jobs, 'start' | 'stop' | 'drain' | 'settle' | 'schedule' | 'watch'> {
  /** Polls a queue now, if the worker has been started. */
  wake(queue: string): void
  /** Polls all queues at a time, in milliseconds since 1970. */
  pollAt(atMs: number): void
}

/** Creates a worker for the jobs of a registry. The registry is closed when the worker starts. */
export function createWorker(registry: Registry, options: WorkerOptions): Worker {
  const { database, clock, log } = options
  let state: 'new' | 'started' | 'stopped' = 'new'
  let lanes: LaneWorker[] = []
  const watches: Watch[] = []
  const recurrence = createSchedule(registry, options)
  let preparing: Promise<void> | undefined
  const poll = () => pollOnce({ lanes, watches, recurrence }, options)
  const poller = createPoller({ clock, poll, onError: logFailure })
  const running = () => lanes.flatMap((lane) => [...lane.running])
  const startedCount = () => lanes.reduce((sum, lane) => sum + lane.startedCount, 0)

  async function prepare(): Promise<void> {
    registry.close()
    const isClaiming = () => state !== 'stopped'
    const { definitions } = registry
    const onReturned = poller.pollAt
    const parts = { ...options, definitions, isClaiming, onReturned }
    lanes = registry.lanes().map((lane) => createLaneWorker(lane, parts))
    await schedule()
  }

  function schedule(): Promise<void> {
    recurrence.forget()
    return registerPeriods(registry, options)
  }

  function prepared(): Promise<void> {
    preparing ??= prepare()
    return preparing
  }

  async function pollAll(): Promise<void> {
    await recurrence.fire({ isForced: true })
    await Promise.all(lanes.map((lane) => lane.fill()))
  }

  function logFailure(error: unknown): void {
    log.error({ err: error }, 'jobs could not be claimed')
  }

  return {
    schedule,
    watch(watch) {
      if (state !== 'new') throw new Error('watches must be added before the jobs are started')
      watches.push(watch)
    },
    pollAt: poller.pollAt,
    wake(queue) {
      if (state !== 'started') return
      lanes
        .find((lane) => lane.queue === queue)
        ?.fill()
        .catch(logFailure)
    },
    async start() {
      if (state !== 'new') throw new Error(`the jobs are already ${state}`)
      state = 'started'
      if (options.alone) await database.write((tx) => expireLeases(tx, clock.now().toISOString()))
      await prepared()
      await poller.start()
    },
    async stop({ timeoutMs }) {
      state = 'stopped'
      await poller.stop()
      await Promise.allSettled(lanes.map((lane) => lane.fill()))
      await allEndedWithin(timeoutMs, running(), clock)
      for (const job of running()) job.abort()
      await allEndedWithin(ABORT_GRACE_MS, running(), clock)
    },
    async settle() {
      for (;;) {
        const due = await dueLanes(lanes, options)
        const current = running()
        if (due.length + current.length === 0) return
        await Promise.all([...due.map((lane) => lane.fill()), ...current.map(({ ended }) => ended)])
      }
    },
    async drain() {
      await prepared()
      for (;;) {
        // A job that ends during the poll may let others run that the poll has not found.
        const [wereRunning, before] = [running().length, startedCount()]
        await pollAll()
        const current = running()
        if (wereRunning + current.length === 0 && before === startedCount()) return
        await Promise.all(current.map(({ ended }) => ended))
      }
    },
  }
}

/** Stores the recurring jobs that are not stored yet. */
function registerPeriods({ periods }: Registry, { database, clock }: WorkerOptions): Promise<void> {
  return database.write(async (tx) => {
    for (const [kind, period] of periods) await registerRecurring(tx, kind, period, clock.now().getTime())
  })
}

/** What is polled. */
type Polled = { lanes: readonly LaneWorker[]; watches: readonly Watch[]; recurrence: Schedule }

/**
 * Enqueues recurring jobs that are due, then fills the slots of the queues that have jobs. An idle process makes one query.
 * @returns the time until the next poll
 */
async function pollOnce(
  { lanes, watches, recurrence }: Polled,
  { database, clock, log }: WorkerOptions,
): Promise<number> {
  await recurrence.fire()
  const queues = lanes.map(({ queue }) => queue)
  const conditions = watches.map(({ condition }) => condition())
  const { next, isTrue } = await whatIsNext(database.read, queues, conditions)
  const nowMs = clock.now().getTime()
  const waitOf = new Map(next.map((jobs) => [jobs.queue, earliestMs(jobs) - nowMs]))
  const due = lanes.filter(({ queue }) => (waitOf.get(queue) ?? 0) <= 0)
  const logFailure = (error: unknown) => log.error({ err: error }, 'what is watched beside the jobs failed')
  await Promise.all([
    ...due.map((lane) => lane.fill()),
    ...watches.map((watch, index) => (isTrue.has(index) ? watch.act().catch(logFailure) : undefined)),
  ])
  if (due.length > 0 || isTrue.size > 0) return BUSY_MS
  return Math.max(1, Math.min(IDLE_MS, ...waitOf.values(), recurrence.nextMs() - nowMs))
}

/** The queues that have jobs which are due. */
async function dueLanes(lanes: readonly LaneWorker[], { database, clock }: WorkerOptions): Promise<LaneWorker[]> {
  const { next } = await whatIsNext(
    database.read,
    lanes.map(({ queue }) => queue),
    [],
  )
  const nowMs = clock.now().getTime()
  const due = new Set(next.flatMap((jobs) => (earliestMs(jobs) <= nowMs ? [jobs.queue] : [])))
  return lanes.filter(({ queue }) => due.has(queue))
}

/** When a job of a queue can run next, in milliseconds since 1970. */
function earliestMs({ pending, abandoned }: NextJobs): number {
  return Math.min(...[pending, abandoned].map((time) => (time === null ? Number.POSITIVE_INFINITY : Date.parse(time))))
}

async function allEndedWithin(timeoutMs: number, jobs: RunningJob[], clock: Clock): Promise<void> {
  if (jobs.length === 0) return
  let giveUp: Timer | undefined
  const timeout = new Promise<void>((resolve) => {
    giveUp = clock.setTimer(resolve, timeoutMs)
  })
  await Promise.race([Promise.all(jobs.map(({ ended }) => ended)), timeout])
  giveUp?.cancel()
}
