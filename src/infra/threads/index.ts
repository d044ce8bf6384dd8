/** Threads for work that would hold up all requests. */

export { limited } from './limited.ts'
export { openThreadPool, type PoolBounds, type ThreadPool, ThreadsBusy } from './pool.ts'
export { type Ask, serveTasks, serveThread } from './program.ts'
export { runInThread, ThreadEnded } from './thread.ts'
