/** Remembers answers that are about ids alone, and therefore never change. */
import { type RepositoryCache, repositoryCache } from './repository-cache.ts'

/** Key: the kind of question, and all that it is about. */
export type HistoryCache = RepositoryCache<{ answer: unknown; weight: number }> & { readonly maxBytes: number }

/** What an entry costs besides its key and its answer, in bytes. */
const OVERHEAD = 200
/** An answer above this part of the cache would push too many others out. */
const LARGEST_PART = 1 / 16

/** @param maxBytes what all answers together may weigh */
export function historyCache(maxBytes: number): HistoryCache {
  return { ...repositoryCache<{ answer: unknown; weight: number }>(maxBytes, ({ weight }) => weight), maxBytes }
}

/** One kind of question with its answers. */
export type Memory<Answer> = {
  get(directory: string, key: string): Answer | undefined
  set(directory: string, key: string, answer: Answer): void
}

/**
 * The part of the cache that belongs to one kind of question.
 * @param kind must be different for each
 * @param weightOf of an answer, in bytes
 */
export function memoryOf<Answer>(
  cache: HistoryCache,
  kind: string,
  weightOf: (answer: Answer) => number,
): Memory<Answer> {
  return {
    get: (directory, key) => cache.get(directory, `${kind} ${key}`)?.answer as Answer | undefined,
    set(directory, key, answer) {
      const weight = OVERHEAD + key.length + weightOf(answer)
      if (weight <= cache.maxBytes * LARGEST_PART) cache.set(directory, `${kind} ${key}`, { answer, weight })
    },
  }
}
