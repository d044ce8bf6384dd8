/** One repository: its place, and all that can be done there. */
import type { CatFilePool } from './cat-file-pool.ts'
import { copyRepository, initRepository, objectFormatOf, removeRepository, repositoryExists } from './create.ts'
import { fetchFrom } from './fetch.ts'
import { readHead, writeHead } from './head-file.ts'
import { type AncestryCache, isAncestor, mergedInto, newCommits } from './history.ts'
import { clearStale, commitCount, fsck, optimize, sizeBytes } from './maintenance.ts'
import { objectInfo, readCommits, readObject, readTagObjects, resolveCommit, streamBlob } from './objects.ts'
import { receivePack } from './receive-pack.ts'
import { updateRefs } from './ref-update.ts'
import type { RefCache } from './refs.ts'
import type { RepositoryCache } from './repository-cache.ts'
import type { Runner } from './runner.ts'
import type { Commit, GitLog, Repository, RepositoryPlace } from './types.ts'
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
    objectFormat: () => objectFormatOf(directory),
    fsck: (options) => fsck(runner, directory, options?.signal),
    optimize: (options) => optimize(runner, directory, options?.signal),
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
    streamBlob: (oid, options) => streamBlob(runner, pool, directory, oid, options?.signal),
    resolveCommit: (revision, snapshot) => resolveCommit(pool, directory, revision, snapshot),
    isAncestor: (ancestor, descendant, options) =>
      isAncestor(runner, shared.ancestry, directory, ancestor, descendant, options),
    mergedInto: (candidates, base) => mergedInto(runner, shared.ancestry, directory, candidates, base),
    newCommits: (tips, options) => newCommits(runner, directory, tips, options),

    createCommit: (commit) => createCommit(runner, directory, commit),
    createTagObject: (tag) => createTagObject(runner, directory, tag),

    advertise: (options, output) => advertise(runner, directory, options, output),
    uploadPack: (options, input, output) => uploadPack(runner, directory, options, input, output),
    receivePack: (options, input, output) => receivePack(shared, directory, options, input, output),
  }
}
