import type { Worker } from 'node:worker_threads'
import type { ToPool } from './program.ts'
import { startThread } from './start.ts'
import { ThreadEnded } from './thread.ts'

/** More tasks wait than the pool accepts, or one has waited too long. */
export class ThreadsBusy extends Error {
  override name = 'ThreadsBusy'
}

/** The bounds of a pool. */
export type PoolBounds = {
  /** Threads at once. The last free one takes no slow task, so that quick ones never wait for slow ones only. */
  threads: number
  /** Tasks that may wait. */
  waiting: number
  longestWaitMs: number
  /** How long a task may run. Its thread is given up then: nothing can interrupt what runs outside of JavaScript. */
  longestMs: number
  /** A thread without work ends after so long. */
  idleMs: number
  mostMemoryMib: number
}

/** Threads that do one task after another. */
export type ThreadPool<Task, Result> = {
  /**
   * Does a task in a thread, in the order of the calls.
   * @param isSlow whether the task is known to take long
   * @throws ThreadsBusy, ThreadEnded; what the program throws
   */
  run(task: Task, isSlow: boolean): Promise<Result>
  /** Ends the threads. Tasks that wait or run fail. */
  close(): Promise<void>
}

type Waiting<Task, Result> = {
  task: Task
  isSlow: boolean
  resolve(result: Result): void
  reject(error: unknown): void
  timer?: NodeJS.Timeout
}

type Thread<Task, Result> = {
  worker: Worker
  /** What it does at the moment. */
  current: Waiting<Task, Result> | undefined
  timer: NodeJS.Timeout | undefined
}

/** Results are short-lived, and few at a time. */
const mostYoungMib = 8

/** A pool of threads, which are started when there is something to do. */
class Pool<Task, Result> implements ThreadPool<Task, Result> {
  readonly #start: () => Worker
  readonly #bounds: PoolBounds
  readonly #threads = new Set<Thread<Task, Result>>()
  /** Threads that were given up, and have not ended yet. */
  readonly #ending = new Set<Promise<unknown>>()
  #waiting: Waiting<Task, Result>[] = []
  #isClosed = false

  constructor(start: () => Worker, bounds: PoolBounds) {
    this.#start = start
    this.#bounds = bounds
  }

  run(task: Task, isSlow: boolean): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const waiting: Waiting<Task, Result> = { task, isSlow, resolve, reject }
      if (this.#isClosed) return reject(new ThreadEnded('the threads have ended'))
      if (this.#begin(waiting)) return
      if (this.#waiting.length >= this.#bounds.waiting)
        return reject(new ThreadsBusy('too many tasks wait for a thread'))
      waiting.timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting)
        reject(new ThreadsBusy('a task waited too long for a thread'))
      }, this.#bounds.longestWaitMs)
      this.#waiting.push(waiting)
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const waiting of this.#waiting.splice(0)) fail(waiting, 'the threads have ended')
    for (const thread of [...this.#threads]) this.#giveUp(thread, 'the threads have ended')
    await Promise.all(this.#ending)
  }

  /** Gives a task to a thread. @returns whether there was one */
  #begin(waiting: Waiting<Task, Result>): boolean {
    const { threads: most, longestMs } = this.#bounds
    const slow = [...this.#threads].filter(({ current }) => current?.isSlow).length
    if (waiting.isSlow && slow >= Math.max(1, most - 1)) return false
    const thread = [...this.#threads].find(({ current }) => !current) ?? this.#open()
    if (!thread) return false
    clearTimeout(waiting.timer)
    clearTimeout(thread.timer)
    thread.current = waiting
    thread.timer = setTimeout(() => this.#giveUp(thread, 'a task took too long in its thread'), longestMs)
    thread.worker.ref()
    try {
      thread.worker.postMessage(waiting.task)
    } catch (error) {
      // The task cannot be copied.
      this.#rest(thread)
      waiting.reject(error)
    }
    return true
  }

  #open(): Thread<Task, Result> | undefined {
    // Those that are still ending take processors as well.
    const { threads: most } = this.#bounds
    if (this.#threads.size >= most || this.#threads.size + this.#ending.size >= 2 * most) return undefined
    const thread: Thread<Task, Result> = { worker: this.#start(), current: undefined, timer: undefined }
    this.#threads.add(thread)
    thread.worker.on('message', (message: ToPool<Result>) => this.#end(thread, message))
    thread.worker.on('error', (error: NodeJS.ErrnoException) => {
      const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      this.#giveUp(thread, outOfMemory ? 'a task took too much memory in its thread' : error)
    })
    thread.worker.on('exit', () => this.#giveUp(thread, 'a thread ended without a result'))
    return thread
  }

  #end(thread: Thread<Task, Result>, message: ToPool<Result>): void {
    const ended = thread.current
    if (!ended) return
    this.#rest(thread)
    this.#next()
    if ('error' in message) ended.reject(Object.assign(message.error, message.members))
    else ended.resolve(message.result)
  }

  /** The thread has nothing to do, and holds up the end of the process no more. */
  #rest(thread: Thread<Task, Result>): void {
    clearTimeout(thread.timer)
    thread.current = undefined
    thread.worker.unref()
    thread.timer = setTimeout(() => this.#giveUp(thread, 'idle'), this.#bounds.idleMs)
    thread.timer.unref()
  }

  /** Begins what waits, as far as there are threads. */
  #next(): void {
    this.#waiting = this.#waiting.filter((waiting) => !this.#begin(waiting))
  }

  #giveUp(thread: Thread<Task, Result>, reason: string | Error): void {
    if (!this.#threads.delete(thread)) return
    clearTimeout(thread.timer)
    const ended = thread.worker.terminate().finally(() => {
      this.#ending.delete(ended)
      if (!this.#isClosed) this.#next()
    })
    this.#ending.add(ended)
    if (thread.current) fail(thread.current, reason)
  }
}

type Failing = { timer?: NodeJS.Timeout; reject(error: unknown): void }

function fail({ timer, reject }: Failing, reason: string | Error): void {
  clearTimeout(timer)
  reject(typeof reason === 'string' ? new ThreadEnded(reason) : reason)
}

/**
 * Opens a pool of threads that run a program, which calls `serveTasks`. What is passed in either direction is copied.
 * @param program path without extension, as a URL
 * @param data given to the program once
 */
export function openThreadPool<Task, Result>(
  program: URL,
  data: unknown,
  bounds: PoolBounds,
): ThreadPool<Task, Result> {
  const start = () => startThread(program, { data, mostMemoryMib: bounds.mostMemoryMib, mostYoungMib })
  return new Pool(start, bounds)
}
