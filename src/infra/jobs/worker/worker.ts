import type { Clock, Timer } from '../../clock/index.ts'
import type { Registry } from '../registry.ts'
import { expireLeases, hastenJob, insertJob } from '../store.ts'
import type { Jobs } from '../types.ts'
import { createLaneWorker, type LaneWorker, type LaneWorkerOptions } from './lane-worker.ts'
import { createPoller } from './poller.ts'
import { claimRecurring, dueRecurring, registerRecurring } from './recurring.ts'
import type { RunningJob } from './runner.ts'

/** How long `stop` waits for aborted jobs. */
const ABORT_GRACE_MS = 1000

/** Options of `createWorker`. */
type WorkerOptions = Omit<LaneWorkerOptions, 'definitions' | 'isClaiming'> & { alone: boolean }

/** Claims and runs jobs of all queues. */
interface Worker extends Pick<Jobs, 'start' | 'stop' | 'drain' | 'schedule'> {
  /** Polls a queue now, if the worker has been started. */
  wake(queue: string): void
}

/** Creates a worker for the jobs of a registry. The registry is closed when the worker starts. */
export function createWorker(registry: Registry, options: WorkerOptions): Worker {
  const { database, clock, log } = options
  let state: 'new' | 'started' | 'stopped' = 'new'
  let lanes: LaneWorker[] = []
  let preparing: Promise<void> | undefined
  const poller = createPoller({ clock, poll, onError: logFailure })
  const running = () => lanes.flatMap((lane) => [...lane.running])
  const startedCount = () => lanes.reduce((sum, lane) => sum + lane.startedCount, 0)

  async function prepare(): Promise<void> {
    registry.close()
    const isClaiming = () => state !== 'stopped'
    const { definitions } = registry
    lanes = registry.lanes().map((lane) => createLaneWorker(lane, { ...options, definitions, isClaiming }))
    await schedule()
  }

  function schedule(): Promise<void> {
    return database.write(async (tx) => {
      for (const [kind, period] of registry.periods) await registerRecurring(tx, kind, period, clock.now().getTime())
    })
  }

  function prepared(): Promise<void> {
    preparing ??= prepare()
    return preparing
  }

  /** Enqueues recurring jobs that are due, then fills the slots of every queue. */
  async function poll(): Promise<void> {
    if (registry.periods.size > 0) await fireRecurring(registry, options)
    await Promise.all(lanes.map((lane) => lane.fill()))
  }

  function logFailure(error: unknown): void {
    log.error({ err: error }, 'jobs could not be claimed')
  }

  return {
    schedule,
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
    async drain() {
      await prepared()
      for (;;) {
        const before = startedCount()
        await poll()
        const current = running()
        if (current.length === 0 && before === startedCount()) return
        await Promise.all(current.map(({ ended }) => ended))
      }
    },
  }
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

/** Enqueues recurring jobs that are due, each in one transaction with the claim of its due time. */
async function fireRecurring(registry: Registry, { database, clock }: WorkerOptions): Promise<void> {
  const now = clock.now()
  for (const due of await dueRecurring(database.read, now.getTime())) {
    const period = registry.periods.get(due.name)
    if (!period) continue
    const job = registry.newJob(due.name, null, { uniqueKey: `recurring:${due.name}` }, now)
    await database.write(async (tx) => {
      if (!(await claimRecurring(tx, due, period, now.getTime()))) return
      if ((await insertJob(tx, job)) === null) await hastenJob(tx, job)
    })
  }
}
