/**
 * An LRU cache of facts about immutable objects, separate for each repository: an object of one repository must not be
 * visible in another. For these many small values, the package lru-cache takes three times the time and memory.
 */
export type RepositoryCache<Value> = {
  get(directory: string, key: string): Value | undefined
  set(directory: string, key: string, value: Value): void
  drop(directory: string): void
}

/** Creates the cache. @param maxWeight the total weight of all values, in the unit of `weightOf` */
export function repositoryCache<Value>(maxWeight: number, weightOf: (value: Value) => number): RepositoryCache<Value> {
  // Both levels are ordered by last use.
  const repositories = new Map<string, Map<string, Value>>()
  let total = 0

  function shrink(): void {
    for (const [directory, values] of repositories) {
      for (const [key, value] of values) {
        if (total <= maxWeight) return
        values.delete(key)
        total -= weightOf(value)
      }
      repositories.delete(directory)
    }
  }

  return {
    get(directory, key) {
      const values = repositories.get(directory)
      const value = values?.get(key)
      if (values === undefined || value === undefined) return undefined
      values.delete(key)
      values.set(key, value)
      return value
    },
    set(directory, key, value) {
      const values = repositories.get(directory) ?? new Map<string, Value>()
      const previous = values.get(key)
      if (previous !== undefined) total -= weightOf(previous)
      values.delete(key)
      values.set(key, value)
      repositories.delete(directory)
      repositories.set(directory, values)
      total += weightOf(value)
      shrink()
    },
    drop(directory) {
      for (const value of repositories.get(directory)?.values() ?? []) total -= weightOf(value)
      repositories.delete(directory)
    },
  }
}
