import type { DatabaseSync } from 'node:sqlite'

/** How a statement reads. */
export type Walk = {
  /** Whether it reads single rows only, each found by a unique key. */
  isPoint: boolean
  /** The tables of which it may read many rows, by their names. */
  tables: readonly string[]
}

type Operation = { opcode: string; p1: number; p2: number }

/** Opcodes of SQLite that begin the next turn of a loop over a table or an index, a virtual table, or sorted rows; and one that counts. */
const loops = new Set(['Next', 'Prev', 'VNext', 'SorterNext', 'Count'])

/** A question about a statement, which reads nothing. */
const explains = /^explain\b/i

/** SQLite has no opcode of its own for the loop of such a query. */
const recursive = /\bwith recursive\b/i

/** The table by which a virtual table of the full-text search is measured: it has a row for each indexed one. */
function measured(virtual: string, tables: ReadonlySet<string>): string | undefined {
  const indexed = [...tables].find((name) => name.endsWith('_docsize') && virtual.startsWith(name.slice(0, -8)))
  return tables.has(`${virtual}_docsize`) ? `${virtual}_docsize` : indexed
}

/** Tables by the numbers of their pages and those of their indexes; and virtual tables with what they are measured by. */
function readSchema(handle: DatabaseSync) {
  const rows = handle
    .prepare(`select type, name, tbl_name as tableName, rootpage from sqlite_master where type in ('table', 'index')`)
    .all() as { type: string; name: string; tableName: string; rootpage: number }[]
  const tables = new Set(rows.filter(({ type }) => type === 'table').map(({ name }) => name))
  const virtual = rows.filter(({ rootpage }) => rootpage === 0).map(({ name }) => name)
  return {
    byPage: new Map(rows.map(({ rootpage, tableName }) => [rootpage, tableName])),
    virtual: virtual.map((name) => ({ name, by: measured(name, tables) })),
  }
}

/**
 * Looks into the programs of statements. The plan that SQLite describes has the aliases of tables only, so the walked tables are
 * those whose cursors are moved by a loop.
 */
export function walkReader(handle: DatabaseSync): (text: string) => Walk {
  let schema: ReturnType<typeof readSchema> | undefined
  return function walkOf(text) {
    if (explains.test(text)) return { isPoint: true, tables: [] }
    schema ??= readSchema(handle)
    const operations = handle.prepare(`explain ${text}`).all() as Operation[]
    const opened = new Map<number, number>()
    const tables = new Set<string>()
    let isPoint = !recursive.test(text)
    for (const { opcode, p1, p2 } of operations) if (opcode === 'OpenRead') opened.set(p1, p2)
    for (const { opcode, p1 } of operations) {
      if (!loops.has(opcode)) continue
      isPoint = false
      const table = opcode === 'VNext' ? undefined : schema.byPage.get(opened.get(p1) ?? -1)
      if (table) tables.add(table)
    }
    for (const { name, by } of schema.virtual) if (by && text.includes(name)) tables.add(by)
    return { isPoint, tables: [...tables] }
  }
}
