/** Binds the operations on repositories to one repository. Each operation is documented at its function. */

import { blame } from './history/blame.ts'
import { refsContaining } from './history/containing.ts'
import { countFiles } from './history/count-files.ts'
import { changedPaths, diff, patchText } from './history/diff.ts'
import { divergencesFrom } from './history/divergence.ts'
import { fileStats } from './history/file-stats.ts'
import { commitsWith, grep } from './history/grep.ts'
import { isAncestor, mergedInto, newCommits } from './history/history.ts'
import { lastChangesOf } from './history/last-changes.ts'
import { contributors, countCommits, lastCommitOf, log, mergeBase } from './history/log.ts'
import { changesOf, objectSizes, quarantinedBlobs, signedCommits } from './history/push-reading.ts'
import { commitStats } from './history/stats.ts'
import { commitsByWeek } from './history/weeks.ts'
import { objectFiles, restoreRepository } from './maintenance/copying.ts'
import {
  clearLocks,
  clearStale,
  commitCount,
  derivedDirectoryOf,
  fsck,
  sizeBytes,
} from './maintenance/locks-and-size.ts'
import { maintenanceNeeded, type Optimizer } from './maintenance/optimize.ts'
import { GitError } from './model/errors.ts'
import type { RefName } from './model/names.ts'
import type { GitLog, RefChange, RepositoryLocation } from './model/types.ts'
import type { Incoming } from './model/writing-types.ts'
import type { SharedContext } from './objects/context.ts'
import {
  objectInfo,
  readCommits,
  readObject,
  readTagObjects,
  resolveBlob,
  resolveCommit,
  streamBlob,
} from './objects/objects.ts'
import { commitSignature } from './objects/signature.ts'
import { entryAt, treeEntries, walkTree } from './objects/tree.ts'
import { syncRefFiles } from './process/durable.ts'
import { readAllRefs } from './refs/all-refs.ts'
import { refsChecksum } from './refs/checksum.ts'
import { readHead, writeHead } from './refs/head-file.ts'
import { updateRefs } from './refs/ref-update.ts'
import type { RefCache } from './refs/refs.ts'
import { repairRefs } from './refs/repair.ts'
import { fetchFrom, fetchObjectsFromRemote } from './remote/fetch.ts'
import { fetchBundle, fetchObjects } from './remote/local-fetch.ts'
import { mirrorRemote } from './remote/mirror-remote.ts'
import { pushTo } from './remote/remote-push.ts'
import { remoteHead, remoteRefs } from './remote/remote-refs.ts'
import { advertise } from './transport/advertisement.ts'
import { archive } from './transport/archive.ts'
import { bundle } from './transport/bundle.ts'
import { isBeingFetched, whileFetching } from './transport/fetches.ts'
import { receivePack } from './transport/receive-pack.ts'
import type { RunningPushes } from './transport/running-pushes.ts'
import { tarball } from './transport/tarball.ts'
import { uploadArchive } from './transport/upload-archive.ts'
import { uploadPack } from './transport/upload-pack.ts'
import { copyRepository, mirrorRepository } from './writing/copy.ts'
import { initRepository, objectFormatOf, removeRepository, repositoryExists } from './writing/create.ts'
import { withIncoming } from './writing/incoming.ts'
import { commitTree, mergeHeads, mergeTrees } from './writing/merge.ts'
import { replay } from './writing/replay.ts'
import { createCommit, createTagObject } from './writing/write.ts'

/** What all repositories share. */
type Shared = SharedContext & {
  hooksPath: string
  log: GitLog
  requireStorage(storage: string): Promise<void>
  refs: RefCache
  optimizer: Optimizer
  pushes: RunningPushes
}

/** The parameters of an operation behind its context. */
// biome-ignore lint/suspicious/noExplicitAny: any parameters
type Rest<Operation extends (...given: any[]) => unknown> =
  Parameters<Operation> extends [unknown, ...infer Others] ? Others : never

/** A bare repository on disk, which need not exist. All its operations throw GitError. */
export type Repository = ReturnType<typeof repositoryAt>

/** What the operations on one repository work on. */
type Context = Shared & { directory: string }

/** Binds operations to their first argument: the context of a repository, or its directory. */
function bindingTo<First>(first: First) {
  return <Rest extends unknown[], Result>(operation: (given: First, ...rest: Rest) => Result) =>
    (...rest: Rest): Result =>
      operation(first, ...rest)
}

/** As `bindingTo`, for operations that make the repository: in its storage, not below the mount point of one that is away. */
function makingIn(context: Context, { storage }: RepositoryLocation) {
  return <Rest extends unknown[], Result>(operation: (given: Context, ...rest: Rest) => Promise<Result>) =>
    async (...rest: Rest): Promise<Result> => {
      await context.requireStorage(storage)
      return operation(context, ...rest)
    }
}

/** Clears all caches, so that no data of a removed repository is served. */
function clearCaches({ directory, pool, refs, commits, ancestry, trees, history }: Context): void {
  for (const cache of [pool, refs, commits, ancestry, trees, history]) cache.drop(directory)
}

async function remove(context: Context, { storage }: RepositoryLocation, { force = false } = {}): Promise<void> {
  const { directory, pushes, requireStorage } = context
  if (pushes.has(directory) && !force) throw new GitError('repository_in_use', `a push is under way: ${directory}`)
  // In a storage that is away nothing is found, and the repository would count as removed.
  await requireStorage(storage)
  clearCaches(context)
  await removeRepository(directory)
  clearCaches(context)
}

function writeIncoming<Result>(context: Context, work: (incoming: Incoming) => Promise<Result>): Promise<Result> {
  return withIncoming(context.directory, ({ quarantine, admit }) =>
    work({
      quarantine,
      admit,
      createCommit: (commit) => createCommit(context, commit, quarantine),
      createTagObject: (tag) => createTagObject(context, tag, quarantine),
      mergeTrees: (sides) => mergeTrees(context, sides, quarantine),
      mergeHeads: (sides) => mergeHeads(context, sides, quarantine),
      replay: (given) => replay(context, given, quarantine),
      commitTree: (commit) => commitTree(context, commit, quarantine),
    }),
  )
}

/** The operations that read objects and history, including those that a push brings. */
function reading(context: Context) {
  const on = bindingTo(context)
  return {
    commits: on(readCommits),
    tagObjects: on(readTagObjects),
    object: on(objectInfo),
    readObject: on(readObject),
    streamBlob: on(streamBlob),
    resolveBlob: on(resolveBlob),
    resolveCommit: on(resolveCommit),
    commitSignature: on(commitSignature),
    entryAt: on(entryAt),
    treeEntries: on(treeEntries),
    walkTree: on(walkTree),

    isAncestor: on(isAncestor),
    mergedInto: on(mergedInto),
    divergencesFrom: on(divergencesFrom),
    newCommits: on(newCommits),
    log: on(log),
    countCommits: on(countCommits),
    commitsByWeek: on(commitsByWeek),
    lastCommitOf: on(lastCommitOf),
    lastChangesOf: on(lastChangesOf),
    mergeBase: on(mergeBase),
    refsContaining: on(refsContaining),
    contributors: on(contributors),
    diff: on(diff),
    patchText: on(patchText),
    countFiles: on(countFiles),
    fileStats: on(fileStats),
    stats: on(commitStats),
    changedPaths: on(changedPaths),
    blame: on(blame),
    grep: on(grep),
    commitsWith: on(commitsWith),

    changesOf: on(changesOf),
    quarantinedBlobs: on(quarantinedBlobs),
    objectSizes: on(objectSizes),
    signedCommits: on(signedCommits),
  }
}

/** Creates the object of a repository. @param directory the absolute path of `location` */
export function repositoryAt(shared: Shared, location: RepositoryLocation, directory: string) {
  const context: Context = { ...shared, directory }
  const { pool, pushes, writers } = shared
  const on = bindingTo(context)
  const onDirectory = bindingTo(directory)
  const making = makingIn(context, location)
  return {
    ...reading(context),
    location,
    /** Absolute directory, for the log and tests. Must not be shown to users. */
    directory,
    /** Absolute directory of what is derived from its files: no part of its size, and gone with it. */
    derivedDirectory: derivedDirectoryOf(directory),

    init: making(({ directory: path }, options: Parameters<typeof initRepository>[1]) => initRepository(path, options)),
    exists: onDirectory(repositoryExists),
    /**
     * Deletes the repository, if it exists.
     * @param force deletes it also while this process receives a push to it, which fails then
     * @throws GitError `repository_in_use` while this process receives a push to it
     */
    remove: (options?: { force?: boolean }) => remove(context, location, options),
    copyFrom: making(copyRepository),
    mirrorFrom: making(mirrorRepository),
    fsck: on(fsck),
    optimize: onDirectory(shared.optimizer.optimize),
    maintenanceNeeded: onDirectory(maintenanceNeeded),
    clearStale: onDirectory(clearStale),
    clearLocks: onDirectory(clearLocks),
    sizeBytes: onDirectory(sizeBytes),
    commitCount: on(commitCount),
    objectFormat: onDirectory(objectFormatOf),

    allRefs: on(readAllRefs),
    objectFiles: onDirectory(objectFiles),
    restore: making(({ directory: path }, restored: Parameters<typeof restoreRepository>[1]) =>
      restoreRepository(path, restored),
    ),

    fetchFrom: on(fetchFrom),
    mirrorRemote: on(mirrorRemote),
    fetchObjectsFromRemote: on(fetchObjectsFromRemote),
    remoteRefs: on(remoteRefs),
    remoteHead: on(remoteHead),
    pushTo: on(pushTo),
    fetchObjectsFrom: on(fetchObjects),
    fetchBundle: on(fetchBundle),

    head: onDirectory(readHead),
    setHead: (ref: RefName) => writers.during(directory, [], () => writeHead(directory, ref)),
    refs: onDirectory(shared.refs.refs),
    refsChecksum: on(refsChecksum),
    currentRefs: onDirectory(shared.refs.current),
    deriveRefs: onDirectory(shared.refs.derive),
    /** Reads the current ids of refs; null for a ref that does not exist. */
    tips: (refs: readonly RefName[]) =>
      Promise.all(refs.map(async (ref) => (await pool.reader(directory).at(ref))?.oid ?? null)),
    updateRefs: on(updateRefs),
    repairRefs: (changes: readonly RefChange[]) => writers.during(directory, [], () => repairRefs(directory, changes)),
    syncRefs: onDirectory(syncRefFiles),

    /** Runs work that writes objects into a quarantine. Objects that are not admitted are deleted. */
    withIncoming: <Result>(work: (incoming: Incoming) => Promise<Result>) => writeIncoming(context, work),

    archive: on(archive),
    bundle: on(bundle),
    tarball: on(tarball),
    advertise: on(advertise),
    uploadPack: (...given: Rest<typeof uploadPack>) =>
      whileFetching(directory, given[1], () => uploadPack(context, ...given)),
    uploadArchive: (...given: Rest<typeof uploadArchive>) =>
      whileFetching(directory, given[1], () => uploadArchive(context, ...given)),
    /** Whether a client is fetching from it, or this process is receiving a push to it. */
    isInUse: async () => pushes.has(directory) || isBeingFetched(directory),
    receivePack: (...given: Rest<typeof receivePack>) =>
      pushes.during(directory, (closing) => receivePack({ ...context, closing }, ...given)),
  }
}
