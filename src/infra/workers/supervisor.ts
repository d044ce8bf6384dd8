import cluster, { type Worker } from 'node:cluster'
import { restartDelays } from '../restarts/index.ts'
import type { FromWorker, ToWorker } from './messages.ts'
import { openQuestions } from './questions.ts'

type Options = {
  count: number
  /** Parameters of the program that make it a worker. */
  parameters: readonly string[]
  /** What each worker is given. It is cloned. */
  given: unknown
  /** How long workers may take to stop before they are killed. */
  stopWithinMs: number
  log(text: string, detail: object): void
}

/** A process whose workers serve. */
export type Supervisor<Found> = {
  /** What the first worker reported when it was ready. */
  found: Found
  /** Asks all workers to stop, and waits for their ends. */
  stop(): Promise<void>
}

/** How a process ended: one of both is null. */
type End = { status: number | null; signal: string | null }

/** A worker ended before it was ready. When it ended with a status, it has said why. */
export class WorkerNotStarted extends Error {
  readonly saidWhy: boolean

  constructor(number: number, { status, signal }: End) {
    super(`worker ${number} ended by ${signal ?? `status ${status}`} before it was ready`)
    this.name = 'WorkerNotStarted'
    this.saidWhy = signal === null
  }
}

/** A worker that ends more often within a minute is started again after a delay. */
const restartsAtOnce = 3

function tell(worker: Worker, message: ToWorker): void {
  // One that has just ended is not there any more; its `exit` follows.
  if (worker.isConnected()) worker.send(message, () => {})
}

/**
 * Starts workers, which share the addresses on which they listen: connections are given to them in turn. The first one starts
 * alone; the others follow when it is ready, with what it reported. From then on a worker that ends is started again.
 * @throws WorkerNotStarted when one ends before it is ready; the others have ended then
 */
export async function startWorkers<Found>(options: Options): Promise<Supervisor<Found>> {
  const { count, parameters, given, stopWithinMs, log } = options
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ serialization: 'advanced', args: [...parameters] })
  const running = new Set<Worker>()
  const serving = new Set<Worker>()
  const questions = openQuestions(serving, tell)
  const delayed = new Set<NodeJS.Timeout>()
  let found: Found | undefined
  let isStopping = false
  let onEmpty: () => void = () => {}

  function endServing(worker: Worker): void {
    serving.delete(worker)
    questions.forget(worker)
  }

  /** Starts a worker. Resolves when it is ready. */
  function launch(number: number, onEnd: (end: End) => void): Promise<Found> {
    const { promise, resolve, reject } = Promise.withResolvers<Found>()
    const worker = cluster.fork()
    running.add(worker)
    worker.on('error', (err) => log('a worker could not be reached', { worker: number, err }))
    worker.on('message', async (message: FromWorker) => {
      if (message.kind === 'ready') {
        serving.add(worker)
        resolve(message.found as Found)
      } else if (message.kind === 'leaving') endServing(worker)
      else if (message.kind === 'answer') questions.answer(worker, message.id, message.value)
      else tell(worker, { kind: 'answers', id: message.id, values: await questions.ask(message.name) })
    })
    worker.once('exit', (status: number | null, signal: string | null) => {
      running.delete(worker)
      endServing(worker)
      reject(new WorkerNotStarted(number, { status, signal }))
      onEnd({ status, signal })
      if (running.size === 0) onEmpty()
    })
    tell(worker, { kind: 'start', number, given, found })
    return promise
  }

  /** Starts a worker, and from the first time that it is ready starts it again whenever it ends. */
  async function keep(number: number): Promise<Found> {
    const delayAfter = restartDelays({ atOnce: restartsAtOnce })
    let wasReady = false
    function replace(end: End): void {
      if (isStopping || !wasReady) return
      const delayMs = delayAfter(performance.now())
      log('a worker ended, and is started again', { worker: number, ...end, delayMs })
      const timer = setTimeout(() => {
        delayed.delete(timer)
        // Its end is logged.
        launch(number, replace).catch(() => {})
      }, delayMs)
      delayed.add(timer)
    }
    const reported = await launch(number, replace)
    wasReady = true
    return reported
  }

  async function stop(): Promise<void> {
    isStopping = true
    for (const timer of delayed) clearTimeout(timer)
    const killing = setTimeout(() => {
      for (const worker of running) worker.process.kill('SIGKILL')
    }, stopWithinMs)
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    onEmpty = resolve
    for (const worker of running) worker.process.kill('SIGTERM')
    if (running.size > 0) await ended
    clearTimeout(killing)
  }

  try {
    found = await keep(1)
    await Promise.all(Array.from({ length: count - 1 }, (_, index) => keep(index + 2)))
  } catch (error) {
    await stop()
    throw error
  }
  return { found, stop }
}
