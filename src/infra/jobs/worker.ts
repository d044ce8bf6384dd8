import type { Clock, Timer } from '../clock/index.ts'
import { createLaneWorker, type LaneWorker, type LaneWorkerOptions } from './lane-worker.ts'
import { createPoller } from './poller.ts'
import { claimRecurring, dueRecurring, registerRecurring } from './recurring.ts'
import type { Registry } from './registry.ts'
import type { RunningJob } from './runner.ts'
import { insertJob } from './store.ts'
import type { Jobs } from './types.ts'

/** How long aborted jobs are given to put themselves in order. */
const ABORT_GRACE_MS = 1000

type Options = Omit<LaneWorkerOptions, 'definitions' | 'isTaking'>

/** Takes jobs and runs them, for all queues. */
export interface Worker extends Pick<Jobs, 'start' | 'stop' | 'drain'> {
  /** Looks for jobs in a queue now, if the worker was started. */
  wake(queue: string): void
}

/** A worker for everything in the registry, which is closed when the worker begins. */
export function createWorker(registry: Registry, options: Options): Worker {
  const { database, clock, log } = options
  let state: 'new' | 'started' | 'stopped' = 'new'
  let lanes: LaneWorker[] = []
  let preparing: Promise<void> | undefined
  const poller = createPoller({ clock, poll: look, onError: logFailure })
  const running = () => lanes.flatMap((lane) => [...lane.running])
  const begunCount = () => lanes.reduce((sum, lane) => sum + lane.begunCount, 0)

  async function prepare(): Promise<void> {
    registry.close()
    const isTaking = () => state !== 'stopped'
    const { definitions } = registry
    lanes = registry.lanes().map((lane) => createLaneWorker(lane, { ...options, definitions, isTaking }))
    await database.write(async (tx) => {
      for (const each of registry.recurring.values()) await registerRecurring(tx, each, clock.now().getTime())
    })
  }

  function prepared(): Promise<void> {
    preparing ??= prepare()
    return preparing
  }

  /** Once around: what recurs, then every queue. */
  async function look(): Promise<void> {
    if (registry.recurring.size > 0) await fireRecurring(registry, options)
    await Promise.all(lanes.map((lane) => lane.fill()))
  }

  function logFailure(error: unknown): void {
    log.error({ err: error }, 'no jobs could be taken')
  }

  return {
    wake(queue) {
      if (state !== 'started') return
      lanes
        .find((lane) => lane.queue === queue)
        ?.fill()
        .catch(logFailure)
    },
    async start() {
      if (state !== 'new') throw new Error(`the jobs are ${state} already`)
      state = 'started'
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
        const before = begunCount()
        await look()
        const current = running()
        if (current.length === 0 && before === begunCount()) return
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

/** Enqueues what has fallen due, each in one transaction with the claim on its due time. */
async function fireRecurring(registry: Registry, { database, clock }: Options): Promise<void> {
  const now = clock.now()
  for (const due of await dueRecurring(database.read, now.toISOString())) {
    const recurring = registry.recurring.get(due.name)
    if (!recurring) continue
    const job = registry.newJob(recurring.kind, null, { uniqueKey: `recurring:${recurring.name}` }, now)
    await database.write(async (tx) => {
      if (await claimRecurring(tx, recurring, due.next_run_at, now.getTime())) await insertJob(tx, job)
    })
  }
}
