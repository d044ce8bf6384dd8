export { type FirstCommit, makeFirstCommit } from './first-commit.ts'
export type { AppliedChange, Gate, ProposedChange, RecordRefs, RefListener, RefMover, RefRule } from './gate.ts'
export { createRemovedFiles, type RemovedFiles } from './removed-files.ts'
export { createRepositories, type PushSession, RefRefused, type Repositories } from './repositories.ts'
export {
  finishCopy,
  forgetRemoved,
  insertRepository,
  type RepositorySizes,
  raiseGeneration,
  rememberRemoved,
  removedRepositories,
  repositoriesAfter,
  repositoryOfProject,
  saveSizes,
  setReadOnly,
} from './store.ts'
export type { RepositoryRow } from './tables.ts'
