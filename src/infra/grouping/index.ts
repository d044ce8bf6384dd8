/**
 * The values of items by key, in order. In contrast to `Map.groupBy` the groups have values of the items instead of the items; the time is
 * linear in their number.
 */
export function valuesByKey<T, K, V>(
  items: Iterable<T>,
  keyOf: (item: T) => K,
  readValue: (item: T) => V,
): Map<K, V[]> {
  const groups = new Map<K, V[]>()
  for (const item of items) {
    const key = keyOf(item)
    const known = groups.get(key)
    if (known) known.push(readValue(item))
    else groups.set(key, [readValue(item)])
  }
  return groups
}

/** The same as an object for JSON. It has no prototype, since names are data: `__proto__` is a name like every other. */
export function valuesByName<T, V>(
  items: Iterable<T>,
  nameOf: (item: T) => string,
  readValue: (item: T) => V,
): Record<string, V[]> {
  const record: Record<string, V[]> = Object.create(null)
  for (const [name, values] of valuesByKey(items, nameOf, readValue)) record[name] = values
  return record
}
