/** One repository: its place, and all that can be done there. */
import { archive } from './archive.ts'
import { blame } from './blame.ts'
import type { CatFilePool } from './cat-file-pool.ts'
import { refsContaining } from './containing.ts'
import { copyRepository, initRepository, objectFormatOf, removeRepository, repositoryExists } from './create.ts'
import { changedPaths, diff } from './diff.ts'
import { fetchFrom, fetchObjectsFromRemote } from './fetch.ts'
import { readHead, writeHead } from './head-file.ts'
import { type AncestryCache, isAncestor, mergedInto, newCommits } from './history.ts'
import type { HistoryCache } from './history-cache.ts'
import { withIncoming } from './incoming.ts'
import { fetchObjects } from './local-fetch.ts'
import { contributors, countCommits, lastCommitOf, log, mergeBase } from './log.ts'
import { clearStale, commitCount, fsck, sizeBytes } from './maintenance.ts'
import { commitTree, mergeTrees } from './merge.ts'
import {
  objectInfo,
  readCommits,
  readObject,
  readTagObjects,
  resolveBlob,
  resolveCommit,
  streamBlob,
} from './objects.ts'
import { maintenanceNeeded, type Optimizer } from './optimize.ts'
import { changesOf, objectSizes, quarantinedBlobs, signedCommits } from './push-reading.ts'
import { receivePack } from './receive-pack.ts'
import { updateRefs } from './ref-update.ts'
import type { RefCache } from './refs.ts'
import { pushTo } from './remote-push.ts'
import { remoteHead, remoteRefs } from './remote-refs.ts'
import type { RepositoryCache } from './repository-cache.ts'
import type { Runner } from './runner.ts'
import { commitSignature } from './signature.ts'
import { commitStats } from './stats.ts'
import { tarball } from './tarball.ts'
import { entryAt, type TreeCache, treeEntries, walkTree } from './tree.ts'
import type { Commit, GitLog, Repository, RepositoryPlace } from './types.ts'
import { uploadArchive } from './upload-archive.ts'
import { advertise, uploadPack } from './upload-pack.ts'
import { createCommit, createTagObject } from './write.ts'

/** What all repositories share. */
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
}

/** @param directory where `place` is, absolute */
export function repositoryAt(shared: Shared, place: RepositoryPlace, directory: string): Repository {
  const { runner, pool } = shared

  /** Nothing of the old repository may show through when another one is made at this place. */
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
    receivePack: (options, input, output) => receivePack(shared, directory, options, input, output),
  }
}
