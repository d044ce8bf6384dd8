/** A program for the tests of pools of threads. */
import { threadId } from 'node:worker_threads'
import { serveTasks } from './index.ts'

type Task = { value?: unknown; fail?: string; exit?: boolean; until?: SharedArrayBuffer }

serveTasks<string, Task, unknown>((data) => ({ value, fail, exit, until }) => {
  if (fail) throw Object.assign(new RangeError(fail), { code: 'ERR_FIXTURE', detail: 7 })
  if (exit) process.exit()
  // Like a query, which nothing can interrupt.
  if (until) Atomics.wait(new Int32Array(until), 0, 0)
  return { data, value, thread: threadId }
})
