export { careAfterPush, measureRepository, packRepository } from './care.ts'
export { repositoryProblems, requireEmptyStorages, strayRepositories, unsettledIntents } from './check.ts'
export { type FirstCommit, makeFirstCommit } from './first-commit.ts'
export { repositoryJobs } from './jobs.ts'
export { moverOf, type RefMover } from './mover.ts'
export { type OpenedRepository, openRepository, openRepositoryForWriting } from './opening.ts'
export { recoverRefs } from './recovery.ts'
export { removeFilesLater } from './removed-files.ts'
export {
  changeRefs,
  openRow,
  type PushSession,
  pushGate,
  RefRefused,
  readOnly,
  refsOf,
} from './repositories.ts'
export {
  finishCopy,
  forgetRemoved,
  insertRepository,
  type RepositorySizes,
  raiseGeneration,
  rememberRemoved,
  rememberRemovedOfGroups,
  removedRepositories,
  repositoriesAfter,
  repositoriesOfProjects,
  repositoryOfNamespace,
  repositoryOfProject,
  saveSizes,
  setReadOnly,
} from './store.ts'
export type { RepositoryKind, RepositoryRow } from './tables.ts'
