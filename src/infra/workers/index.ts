/** Several processes that serve the same addresses, below one that starts them. Loaded only where there are several. */
export { joinWorkers, type Siblings } from './member.ts'
export { startWorkers, WorkerNotStarted } from './supervisor.ts'
