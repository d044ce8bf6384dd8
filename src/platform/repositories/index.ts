import type { AnyJob } from '../jobs.ts'
import { packAllJob, packJob } from './care.ts'
import { settleJob } from './recovery.ts'
import { removeFilesJob, sweepJob } from './removed-files.ts'

export { careAfterPush, measureRepository, packRepository } from './care.ts'
export { repositoryProblems, requireEmptyStorages, strayRepositories, unsettledIntents } from './check.ts'
export { deferWhileAway } from './deferred.ts'
export { makeFirstCommit } from './first-commit.ts'
export { moverOf, type RefMover } from './mover.ts'
export { openRow } from './on-disk.ts'
export { type OpenedRepository, openRepository, openRepositoryForWriting } from './opening.ts'
export { recoverAtStart, recoverRefs, settleEnded, watchProcesses } from './recovery.ts'
export { refsAt, refsOf } from './refs.ts'
export { RefRefused, RepositoryMoving, readOnly } from './refusals.ts'
export {
  CopyDiffers,
  copyPlaces,
  copyToStorage,
  type DiskPlace,
  isPlaceInUse,
  removePlace,
  requireInPlace,
  switchStorage,
  untilSettled,
} from './relocation.ts'
export { removeFilesLater } from './removed-files.ts'
export {
  changeRefs,
  outsideGate,
  pushGate,
} from './repositories.ts'
export { oneAtATime } from './serial.ts'
export {
  folderId,
  isFolder,
  openStorages,
  ownStorage,
  prepareStorages,
  StorageAway,
  type Storages,
} from './storages.ts'
export { hasIntentOf, hasIntentsSince } from './store/intents.ts'
export {
  claimReadOnly,
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
  setReadOnly,
} from './store/repositories.ts'
export type { RepositoryRow } from './tables.ts'
export { readTextFile } from './text-files.ts'

/** The jobs of repositories, to be registered at the start. */
export const repositoryJobs: readonly AnyJob[] = [settleJob, packJob, packAllJob, removeFilesJob, sweepJob]
