import type { Oid } from '../model/names.ts'
import type { Commit, GitLog } from '../model/types.ts'
import type { Quarantine } from '../model/values.ts'
import { type RefWriters, refWriters } from '../process/ref-writers.ts'
import type { Runner } from '../process/runner.ts'
import { type CatFilePool, catFilePool, type ObjectReader } from './cat-file-pool.ts'
import { type HistoryCache, historyCache } from './history-cache.ts'
import { type RepositoryCache, repositoryCache } from './repository-cache.ts'

/** The processes and caches that all repositories share. */
export type SharedContext = {
  runner: Runner
  pool: CatFilePool
  writers: RefWriters
  /** Parsed commits, by id. */
  commits: RepositoryCache<Commit>
  /** Whether one commit is an ancestor of another. Key: both ids, descendant first. */
  ancestry: RepositoryCache<boolean>
  /** Raw tree objects, by id. Parsing again costs less than the memory of parsed trees. */
  trees: RepositoryCache<Buffer>
  history: HistoryCache
}

/** The first argument of all operations on a repository. */
export type RepositoryContext = SharedContext & { readonly directory: string }

/** Creates the pool and the caches, bounded by the limits of the runner. */
export function sharedContext(runner: Runner, log?: GitLog): SharedContext {
  const { cachedCommitBytes, cachedAncestry, cachedTreeBytes, cachedHistoryBytes } = runner.limits
  return {
    runner,
    pool: catFilePool(runner),
    writers: refWriters(log),
    commits: repositoryCache<Commit>(cachedCommitBytes, commitWeight),
    ancestry: repositoryCache<boolean>(cachedAncestry, () => 1),
    trees: repositoryCache<Buffer>(cachedTreeBytes, treeWeight),
    history: historyCache(cachedHistoryBytes),
  }
}

/** The estimated size of a parsed commit in memory, in bytes. */
function commitWeight({ message, trailers, parentOids }: Commit): number {
  return 600 + message.length * 2 + trailers.length * 100 + parentOids.length * 60
}

/** The weight of a tree in the cache, in bytes. */
function treeWeight(content: Buffer): number {
  return content.length + 250
}

/** Reads objects, including those in `quarantine` if it is given. */
export function withReader<Result>(
  { pool, directory }: Pick<RepositoryContext, 'pool' | 'directory'>,
  quarantine: Quarantine | undefined,
  read: (reader: ObjectReader) => Promise<Result>,
): Promise<Result> {
  return quarantine === undefined ? read(pool.reader(directory)) : pool.withQuarantine(directory, quarantine, read)
}

/** Reads many objects at once, each once. @param read null leaves the id out of the result */
export async function readEach<Value>(
  context: Pick<RepositoryContext, 'pool' | 'directory'>,
  oids: readonly Oid[],
  quarantine: Quarantine | undefined,
  read: (reader: ObjectReader, oid: Oid) => Promise<Value | null>,
): Promise<Map<Oid, Value>> {
  if (oids.length === 0) return new Map()
  const unique = [...new Set(oids)]
  const values = await withReader(context, quarantine, (reader) => Promise.all(unique.map((oid) => read(reader, oid))))
  return new Map(unique.flatMap((oid, index): [Oid, Value][] => (values[index] == null ? [] : [[oid, values[index]]])))
}

/** Turns ids into the standard input of a command, one per line. */
export function linesOf(oids: Iterable<Oid | `^${string}`>): string {
  return Array.from(oids, (oid) => `${oid}\n`).join('')
}
