/** Caches results that depend only on ids and therefore never change. */
import { type RepositoryCache, repositoryCache } from './repository-cache.ts'

/** The key consists of the kind of query and its arguments. */
export type HistoryCache = RepositoryCache<{ answer: unknown; weight: number }> & { readonly maxBytes: number }

/** The overhead of an entry, in bytes. */
const OVERHEAD = 200
/** Results above this share of the cache are not cached. */
const LARGEST_PART = 1 / 16

/** Creates the cache. @param maxBytes the total weight of all results */
export function historyCache(maxBytes: number): HistoryCache {
  return { ...repositoryCache<{ answer: unknown; weight: number }>(maxBytes, ({ weight }) => weight), maxBytes }
}

/**
 * Returns the part of the cache for one kind of query.
 * @param kind a unique name
 * @param weightOf the weight of a result, in bytes
 */
export function memoryOf<Answer>(cache: HistoryCache, kind: string, weightOf: (answer: Answer) => number) {
  return {
    get: (directory: string, key: string) => cache.get(directory, `${kind} ${key}`)?.answer as Answer | undefined,
    set(directory: string, key: string, answer: Answer): void {
      const weight = OVERHEAD + key.length + weightOf(answer)
      if (weight <= cache.maxBytes * LARGEST_PART) cache.set(directory, `${kind} ${key}`, { answer, weight })
    },
  }
}

/**
 * Returns a result from the cache, or finds and caches it.
 * @param key of the arguments; null when the result must not be cached
 */
export async function remembered<Answer>(
  { history, directory }: { history: HistoryCache; directory: string },
  kind: string,
  key: string | null,
  weightOf: (answer: Answer) => number,
  find: () => Promise<Answer>,
): Promise<Answer> {
  if (key === null) return find()
  const memory = memoryOf(history, kind, weightOf)
  const known = memory.get(directory, key)
  if (known !== undefined) return known
  const answer = await find()
  memory.set(directory, key, answer)
  return answer
}
