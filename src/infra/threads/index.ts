/** Threads for work that would hold up all requests. */

export { limited } from './limited.ts'
export { type Ask, serveThread } from './program.ts'
export { runInThread, ThreadEnded } from './thread.ts'
