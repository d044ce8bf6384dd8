/** Several processes that serve the same addresses, below one that starts them. Loaded only where there are several. */
export { joinWorkers, type Siblings, type WorkerPlace } from './member.ts'
export { type Supervisor, startWorkers, WorkerNotStarted } from './supervisor.ts'
