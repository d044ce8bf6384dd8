/** Facts about what never changes, least recently used first out. */
export type Remembered<Value> = {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
}

/**
 * A bounded memory. Keys hold the repository's directory: what one repository has is none of another's business.
 * @param maximumWeight what all values together may weigh, in the unit of `weightOf`
 */
export function remembered<Value>(maximumWeight: number, weightOf: (value: Value) => number): Remembered<Value> {
  // In order of last use.
  const values = new Map<string, Value>()
  let weight = 0

  function forget(key: string, value: Value): void {
    values.delete(key)
    weight -= weightOf(value)
  }

  return {
    get(key) {
      const value = values.get(key)
      if (value === undefined) return undefined
      values.delete(key)
      values.set(key, value)
      return value
    },
    set(key, value) {
      const before = values.get(key)
      if (before !== undefined) forget(key, before)
      values.set(key, value)
      weight += weightOf(value)
      for (const [oldest, old] of values) {
        if (weight <= maximumWeight) break
        forget(oldest, old)
      }
    },
  }
}
