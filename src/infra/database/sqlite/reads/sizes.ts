import type { DatabaseSync } from 'node:sqlite'

/** A walk through fewer rows takes a millisecond or two. */
const largeFrom = 2_000

/** A walk through any table of a smaller database takes a few milliseconds. A new one of Fennec has some MiB. */
const smallDatabaseBytes = 32 * 1024 * 1024

/** Sizes of a database and its tables, as far as they matter. */
export function sizes(handle: DatabaseSync, smallBytes = smallDatabaseBytes) {
  const large = new Set<string>()
  const pages = handle.prepare('select page_count * page_size as bytes from pragma_page_count, pragma_page_size')
  return {
    /** Whether the database is small. */
    isSmall: () => (pages.get() as { bytes: number }).bytes < smallBytes,
    /** Whether a table is large. It looks at no more rows than that takes; a large table remains large. */
    isLarge(table: string): boolean {
      if (large.has(table)) return true
      const name = `"${table.replaceAll('"', '""')}"`
      const found = handle.prepare(`select 1 from ${name} limit 1 offset ${largeFrom - 1}`).get()
      if (found) large.add(table)
      return found !== undefined
    },
  }
}
