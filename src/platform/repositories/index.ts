import type { AnyJob } from '../jobs/jobs.ts'
import { settleJob } from './gate/recovery.ts'
import { packAllJob, packJob } from './maintenance.ts'
import { removeFilesJob, sweepJob } from './removed-files.ts'

export { BundleRefused, bundleOf, importBundle } from './bundles.ts'
export { repositoryProblems, requireEmptyStorages, strayRepositories, unsettledIntents } from './check.ts'
export { makeFirstCommit } from './first-commit.ts'
export { changeRefs, outsideGate, pushGate } from './gate/gate.ts'
export { recoverAtStart, recoverRefs, watchProcesses } from './gate/recovery.ts'
export { type RefWriter, writerOf } from './gate/writer.ts'
export { maintainAfterPush, measureRepository, packRepository } from './maintenance.ts'
export { openRow } from './on-disk.ts'
export { type OpenedRepository, openRepository, openRepositoryForWriting } from './opening.ts'
export { refsAt, refsOf } from './refs.ts'
export { RefRefused, RepositoryMoving, readOnly } from './refusals.ts'
export { removeFilesLater } from './removed-files.ts'
export { oneAtATime } from './serial.ts'
export {
  copyPlaces,
  copyToStorage,
  type DiskPlace,
  isPlaceInUse,
  removePlace,
  requireInPlace,
  switchStorage,
  untilSettled,
} from './storages/relocation.ts'
export {
  deferWhileAway,
  folderId,
  isFolder,
  openStorages,
  ownStorage,
  prepareStorages,
  type Storages,
} from './storages/storages.ts'
export { hasIntentOf, hasIntentsSince } from './store/intents.ts'
export {
  claimReadOnly,
  countRepositories,
  finishCopy,
  holdRepositories,
  holdWritable,
  insertRepository,
  type OwnerColumn,
  ownersIn,
  type RepositoryOwner,
  raiseGeneration,
  releaseReadOnly,
  rememberRemoved,
  rememberRemovedOfGroups,
  rememberRemovedOfSnippets,
  removedRepositories,
  repositoriesAfter,
  repositoriesOfOwner,
  repositoriesOfProjects,
  repositoryById,
  repositoryOfNamespace,
  repositoryOfProject,
  repositoryOfSnippet,
  setPlaces,
  setReadOnly,
} from './store/repositories.ts'
export type { RepositoryRow } from './tables.ts'
export { readTextFile } from './text-files.ts'

/** The jobs of repositories, to be registered at the start. */
export const repositoryJobs: readonly AnyJob[] = [settleJob, packJob, packAllJob, removeFilesJob, sweepJob]
