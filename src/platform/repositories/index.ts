export { careAfterPush, measureRepository, packRepository } from './care.ts'
export { repositoryProblems, requireEmptyStorages, strayRepositories, unsettledIntents } from './check.ts'
export { makeFirstCommit } from './first-commit.ts'
export { repositoryJobs } from './jobs.ts'
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
export {
  finishCopy,
  insertRepository,
  raiseGeneration,
  rememberRemoved,
  rememberRemovedOfGroups,
  removedRepositories,
  repositoriesOfProjects,
  repositoryOfNamespace,
  repositoryOfProject,
  setReadOnly,
} from './store.ts'
export type { RepositoryRow } from './tables.ts'
