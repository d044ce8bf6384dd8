/** Binds the functions of this folder to one repository. */

import { clearStale, commitCount, fsck, sizeBytes } from './care/maintenance.ts'
import { maintenanceNeeded, type Optimizer } from './care/optimize.ts'
import { blame } from './history/blame.ts'
import { refsContaining } from './history/containing.ts'
import { changedPaths, diff } from './history/diff.ts'
import { type AncestryCache, isAncestor, mergedInto, newCommits } from './history/history.ts'
import { contributors, countCommits, lastCommitOf, log, mergeBase } from './history/log.ts'
import { changesOf, objectSizes, quarantinedBlobs, signedCommits } from './history/push-reading.ts'
import { commitStats } from './history/stats.ts'
import { GitError } from './model/errors.ts'
import type { Commit, GitLog, Repository, RepositoryPlace } from './model/types.ts'
import type { CatFilePool } from './objects/cat-file-pool.ts'
import type { HistoryCache } from './objects/history-cache.ts'
import {
  objectInfo,
  readCommits,
  readObject,
  readTagObjects,
  resolveBlob,
  resolveCommit,
  streamBlob,
} from './objects/objects.ts'
import type { RepositoryCache } from './objects/repository-cache.ts'
import { commitSignature } from './objects/signature.ts'
import { entryAt, type TreeCache, treeEntries, walkTree } from './objects/tree.ts'
import type { Runner } from './process/runner.ts'
import { readHead, writeHead } from './refs/head-file.ts'
import { updateRefs } from './refs/ref-update.ts'
import type { RefCache } from './refs/refs.ts'
import { fetchFrom, fetchObjectsFromRemote } from './remote/fetch.ts'
import { fetchObjects } from './remote/local-fetch.ts'
import { pushTo } from './remote/remote-push.ts'
import { remoteHead, remoteRefs } from './remote/remote-refs.ts'
import { archive } from './transport/archive.ts'
import { receivePack } from './transport/receive-pack.ts'
import type { RunningPushes } from './transport/running-pushes.ts'
import { tarball } from './transport/tarball.ts'
import { uploadArchive } from './transport/upload-archive.ts'
import { advertise, uploadPack } from './transport/upload-pack.ts'
import { copyRepository, initRepository, objectFormatOf, removeRepository, repositoryExists } from './writing/create.ts'
import { withIncoming } from './writing/incoming.ts'
import { commitTree, mergeTrees } from './writing/merge.ts'
import { createCommit, createTagObject } from './writing/write.ts'

/** Processes and caches that all repositories share. */
export type Shared = {
  runner: Runner
  hooksPath: string
  log: GitLog
  pool: CatFilePool
  refs: RefCache
  commits: RepositoryCache<Commit>
  ancestry: AncestryCache
  optimizer: Optimizer
  trees: TreeCache
  history: HistoryCache
  pushes: RunningPushes
}

/** Creates the object of a repository. @param directory the absolute path of `place` */
export function repositoryAt(shared: Shared, place: RepositoryPlace, directory: string): Repository {
  const { runner, pool } = shared

  /** Clears all caches, so that no data of a removed repository is served. */
  function forget(): void {
    pool.drop(directory)
    shared.refs.drop(directory)
    shared.commits.drop(directory)
    shared.ancestry.drop(directory)
    shared.trees.drop(directory)
    shared.history.drop(directory)
  }

  return {
    place,
    directory,
    init: (options) => initRepository(directory, options),
    exists: () => repositoryExists(directory),
    async remove() {
      if (shared.pushes.has(directory)) throw new GitError('repository_in_use', `a push is under way: ${directory}`)
      forget()
      await removeRepository(directory)
      forget()
    },
    copyFrom: (source, options) => copyRepository(runner, source.directory, directory, options),
    fetchFrom: (url, options) => fetchFrom(runner, directory, url, options),
    fetchObjectsFromRemote: (url, oids, options) => fetchObjectsFromRemote(runner, directory, url, oids, options),
    remoteRefs: (url, options) => remoteRefs(runner, directory, url, options),
    remoteHead: (url, options) => remoteHead(runner, directory, url, options),
    pushTo: (url, refs, options) => pushTo(runner, directory, url, refs, options),
    fetchObjectsFrom: (source, oids) => fetchObjects(runner, directory, source.directory, oids),
    objectFormat: () => objectFormatOf(directory),
    fsck: (options) => fsck(runner, directory, options?.signal),
    optimize: (options) => shared.optimizer.optimize(directory, options),
    maintenanceNeeded: () => maintenanceNeeded(directory),
    clearStale: (age) => clearStale(directory, age),
    sizeBytes: () => sizeBytes(directory),
    commitCount: () => commitCount(runner, pool, directory),

    head: () => readHead(directory),
    setHead: (ref) => writeHead(directory, ref),
    refs: (generation) => shared.refs.refs(directory, generation),
    rememberRefs: (generation, previous, changes) => shared.refs.remember(directory, generation, previous, changes),
    tips: (refs) => Promise.all(refs.map(async (ref) => (await pool.reader(directory).at(ref))?.oid ?? null)),
    updateRefs: (updates) => updateRefs(runner, directory, updates),

    commits: (oids, options) => readCommits(pool, shared.commits, directory, oids, options),
    tagObjects: (oids) => readTagObjects(pool, directory, oids),
    object: (oid, options) => objectInfo(pool, directory, oid, options),
    readObject: (oid, options) => readObject(pool, directory, oid, options),
    streamBlob: (oid, options) => streamBlob(runner, pool, directory, oid, options),
    resolveBlob: (id) => resolveBlob(pool, directory, id),
    resolveCommit: (revision, snapshot) => resolveCommit(pool, directory, revision, snapshot),
    isAncestor: (ancestor, descendant, options) =>
      isAncestor(runner, shared.ancestry, directory, ancestor, descendant, options),
    mergedInto: (candidates, base) => mergedInto(runner, shared.ancestry, directory, candidates, base),
    newCommits: (tips, options) => newCommits(runner, directory, tips, options),

    entryAt: (commit, path) => entryAt(shared, directory, commit, path),
    treeEntries: (tree, path) => treeEntries(shared, directory, tree, path),
    walkTree: (tree, path, options) => walkTree(shared, directory, tree, path, options),
    log: (query, options) => log(shared, directory, query, options),
    countCommits: (query) => countCommits(shared, directory, query),
    lastCommitOf: (commit, path) => lastCommitOf(shared, directory, commit, path),
    mergeBase: (oids, options) => mergeBase(shared, directory, oids, options),
    refsContaining: (commit, kind) => refsContaining(shared, directory, commit, kind),
    contributors: (commit) => contributors(shared, directory, commit),
    diff: (from, to, options) => diff(shared, directory, from, to, options),
    stats: (commits) => commitStats(shared, directory, commits),
    changedPaths: (from, to, options) => changedPaths(runner, directory, from, to, options),
    changesOf: (commits, options) => changesOf(runner, directory, commits, options),
    quarantinedBlobs: (options, look) => quarantinedBlobs(shared, directory, options, look),
    objectSizes: (oids, options) => objectSizes(pool, directory, oids, options),
    signedCommits: (oids, options) => signedCommits(pool, directory, oids, options),
    blame: (commit, path, range) => blame(runner, shared, directory, commit, path, range),
    archive: (commit, options) => archive(runner, pool, directory, commit, options),
    tarball: (options) => tarball(runner, directory, options),

    withIncoming: (work) =>
      withIncoming(directory, ({ quarantine, admit }) =>
        work({
          quarantine,
          admit,
          createCommit: (commit) => createCommit(runner, directory, commit, quarantine),
          createTagObject: (tag) => createTagObject(runner, directory, tag, quarantine),
          mergeTrees: (sides) => mergeTrees(shared, directory, sides, quarantine),
          commitTree: (commit) => commitTree(shared, directory, commit, quarantine),
        }),
      ),
    commitSignature: (commit) => commitSignature(pool, directory, commit),

    advertise: (options, output) => advertise(runner, directory, options, output),
    uploadPack: (options, input, output) => uploadPack(runner, directory, options, input, output),
    uploadArchive: (options, input, output) => uploadArchive(runner, directory, options, input, output),
    receivePack: (options, input, output) =>
      shared.pushes.during(directory, () => receivePack(shared, directory, options, input, output)),
  }
}
