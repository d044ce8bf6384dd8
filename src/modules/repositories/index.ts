export { createRepositoryCare, type RepositoryCare } from './care.ts'
export { type FirstCommit, makeFirstCommit } from './first-commit.ts'
export {
  type AppliedChange,
  type Gate,
  moverOf,
  type ProposedChange,
  type RecordRefs,
  type RefListener,
  type RefMover,
  type RefRule,
} from './gate.ts'
export { type OpenedRepository, type OpeningNeeds, openRepository, openRepositoryForWriting } from './opening.ts'
export { createRemovedFiles, type RemovedFiles } from './removed-files.ts'
export { createRepositories, type PushSession, RefRefused, type Repositories, readOnly } from './repositories.ts'
export {
  finishCopy,
  forgetRemoved,
  insertRepository,
  type RepositorySizes,
  raiseGeneration,
  rememberRemoved,
  rememberRemovedOfGroup,
  removedRepositories,
  repositoriesAfter,
  repositoriesOfProjects,
  repositoryOfNamespace,
  repositoryOfProject,
  saveSizes,
  setReadOnly,
} from './store.ts'
export type { RepositoryKind, RepositoryRow } from './tables.ts'
