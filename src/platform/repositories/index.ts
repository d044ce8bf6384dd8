import type { AnyJob } from '../jobs.ts'
import { packAllJob, packJob } from './care.ts'
import { settleJob } from './recovery.ts'
import { removeFilesJob, sweepJob } from './removed-files.ts'

export { careAfterPush, measureRepository, packRepository } from './care.ts'
export { repositoryProblems, requireEmptyStorages, strayRepositories, unsettledIntents } from './check.ts'
export { makeFirstCommit } from './first-commit.ts'
export { moverOf, type RefMover } from './mover.ts'
export { type OpenedRepository, openRepository, openRepositoryForWriting } from './opening.ts'
export { recoverRefs } from './recovery.ts'
export { removeFilesLater } from './removed-files.ts'
export {
  changeRefs,
  openRow,
  pushGate,
  RefRefused,
  readOnly,
  refsOf,
} from './repositories.ts'
export { oneAtATime } from './serial.ts'
export {
  finishCopy,
  insertRepository,
  raiseGeneration,
  rememberRemoved,
  rememberRemovedOfGroups,
  rememberRemovedOfSnippets,
  removedRepositories,
  repositoriesOfProjects,
  repositoryById,
  repositoryOfNamespace,
  repositoryOfProject,
  repositoryOfSnippet,
  setReadOnly,
} from './store.ts'
export type { RepositoryRow } from './tables.ts'
export { readTextFile } from './text-files.ts'

/** The jobs of repositories, to be registered at the start. */
export const repositoryJobs: readonly AnyJob[] = [settleJob, packJob, packAllJob, removeFilesJob, sweepJob]
