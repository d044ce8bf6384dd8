import { type Kysely, sql } from 'kysely'
import type { Reader, Tx } from '../database.ts'
import { portions, within } from '../portable.ts'
import type { ChangesOf, Columns, NewRowOf, RowOf, Table } from './table.ts'

/** The type of the ids of a table. */
type IdOf<T extends { columns: Columns }> = RowOf<T> extends { id: infer Id extends number | string } ? Id : never

/** The functions of a table with a column `id` that need no query of their own. */
export type Rows<T extends { columns: Columns }> = {
  byId(db: Reader, id: IdOf<T>): Promise<RowOf<T> | null>
  /** Finds the rows that exist, by id. */
  byIds(db: Reader, ids: readonly IdOf<T>[]): Promise<Map<IdOf<T>, RowOf<T>>>
  /** The rows that have these values in portions of a size, in the order of their ids. */
  portions(db: Reader, values: Partial<RowOf<T>>, size: number): AsyncGenerator<RowOf<T>[]>
  /** @throws UniqueViolation of `<table>_<name>_unique` */
  insert(tx: Tx, row: NewRowOf<T>): Promise<RowOf<T>>
  /** Inserts rows; returns them in the same order. @throws UniqueViolation */
  insertAll(tx: Tx, rows: readonly NewRowOf<T>[]): Promise<RowOf<T>[]>
  /** @returns null when the row does not exist. @throws UniqueViolation */
  update(tx: Tx, id: IdOf<T>, changes: ChangesOf<T>): Promise<RowOf<T> | null>
  /**
   * Deletes rows. @returns how many existed
   * @param unmodified receives the time of the last change of each row, under a lock, before it is deleted; it throws when the
   *   client knows an older state
   */
  remove(tx: Tx, id: IdOf<T> | readonly IdOf<T>[], unmodified?: (at: string) => void): Promise<number>
}

/** Rows of one statement: PostgreSQL accepts 65,535 parameters, SQLite 32,766. */
const rowsOfStatement = 500

type AnyRow = Record<string, unknown>
type Id = number | string

/** Declares the functions of a table. @param table it has a column `id` */
export function rows<Name extends string, C extends Columns>(table: Table<Name, C>): Rows<Table<Name, C>> {
  const { columns } = table
  const name: string = table.name
  if (!('id' in columns)) throw new Error(`${name} has no column id`)
  // Kysely cannot type queries on a table that is a parameter; `Rows` has the types.
  const of = (db: Reader) => db as unknown as Kysely<Record<string, AnyRow>>
  const changedAt = ['updated_at', 'created_at'].find((column) => column in columns)

  async function insertAll(tx: Tx, values: readonly AnyRow[]): Promise<AnyRow[]> {
    const inserted: AnyRow[] = []
    for (let index = 0; index < values.length; index += rowsOfStatement) {
      const portion = values.slice(index, index + rowsOfStatement)
      inserted.push(...(await of(tx).insertInto(name).values(portion).returningAll().execute()))
    }
    return inserted
  }

  const functions = {
    byId: async (db: Reader, id: Id) =>
      (await of(db).selectFrom(name).selectAll().where('id', '=', id).executeTakeFirst()) ?? null,

    async byIds(db: Reader, ids: readonly Id[]) {
      if (ids.length === 0) return new Map()
      const query = of(db).selectFrom(name).selectAll()
      const found = await query.where(within(db, `${name}.id`, ids)).execute()
      return new Map(found.map((row) => [row.id, row]))
    },

    portions: (db: Reader, values: AnyRow, size: number) =>
      portions((afterId) => {
        const query = of(db).selectFrom(name).selectAll().where('id', '>', afterId)
        const equal = Object.entries(values).reduce((some, [column, value]) => some.where(column, '=', value), query)
        return equal.orderBy('id').limit(size).execute() as Promise<{ id: number }[]>
      }),

    insertAll,

    insert: async (tx: Tx, row: AnyRow) => (await insertAll(tx, [row]))[0],

    async update(tx: Tx, id: Id, changes: AnyRow) {
      const query = of(tx).updateTable(name).set(changes).where('id', '=', id)
      return (await query.returningAll().executeTakeFirst()) ?? null
    },

    async remove(tx: Tx, id: Id | readonly Id[], unmodified?: (at: string) => void) {
      const isChosen = Array.isArray(id) ? within(tx, `${name}.id`, id) : sql<boolean>`id = ${id}`
      if (unmodified) {
        if (!changedAt) throw new Error(`${name} has no time of the last change`)
        const query = of(tx).selectFrom(name).select(changedAt).where(isChosen)
        const locked = tx.engine === 'postgres' ? query.modifyEnd(sql`for update`) : query
        for (const row of await locked.execute()) unmodified(row[changedAt] as string)
      }
      const { numDeletedRows } = await of(tx).deleteFrom(name).where(isChosen).executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
  return functions as unknown as Rows<Table<Name, C>>
}
