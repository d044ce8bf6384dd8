import { type Compilable, type RawBuilder, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Database, type Reader, sortedBy } from '../../../infra/database/index.ts'
import { freshDatabase } from '../../../testing/database.ts'
import { parseNestedParameters } from '../parameters/nested-parameters.ts'
import { type KeysetRequest, maximumTotal, type PageRequest, pageRequest } from './pagination.ts'
import { pageOfRows } from './row-page.ts'

declare module '../../../infra/database/tables.ts' {
  interface Tables {
    paged_things: { id: number; name: string; shelf_id: number }
    paged_shelves: { id: number; label: string }
  }
}

/** A database with things 1 to `count`, whose names fall as their ids rise, on three shelves in turn. */
async function withThings(count: number) {
  const database = await freshDatabase()
  await database.write(async (tx) => {
    await sql`create table paged_shelves (id bigint primary key, label text not null)`.execute(tx)
    await sql`create table paged_things (id bigint primary key, name text not null, shelf_id bigint not null)`.execute(
      tx,
    )
    await sql`insert into paged_shelves (id, label) values (0, 'low'), (1, 'middle'), (2, 'high')`.execute(tx)
    if (count > 0) await addThings(tx, 1, count)
  })
  return database
}

async function addThings(tx: Parameters<Parameters<Database['write']>[0]>[0], first: number, last: number) {
  await sql`insert into paged_things (id, name, shelf_id)
    with recursive numbers (n) as (select ${sql.lit(first)} union all select n + 1 from numbers where n < ${sql.lit(last)})
    select n, 'thing ' || (100000 - n), n % 3 from numbers`.execute(tx)
}

const asked = (query: string): PageRequest => pageRequest(parseNestedParameters(query), {})
const things = (db: Reader) => db.selectFrom('paged_things').selectAll().orderBy('name')
const ids = (page: { items: { id: number }[] }) => page.items.map(({ id }) => id)

describe('a page of rows', () => {
  test('keeps the order of the query, and has the total and whether another page follows', async () => {
    await using database = await withThings(5)
    const pageAt = (page: number) => pageOfRows(database.read, things(database.read), asked(`page=${page}&per_page=2`))
    const [first, second, third] = [await pageAt(1), await pageAt(2), await pageAt(3)]
    expect({ ...first.items[0] }).toEqual({ id: 5, name: 'thing 99995', shelf_id: 2 })
    expect([ids(first), ids(second), ids(third)]).toEqual([[5, 4], [3, 2], [1]])
    expect([first.total, second.total, third.total]).toEqual([5, 5, 5])
    expect([first.hasNext, second.hasNext, third.hasNext]).toEqual([true, true, false])
  })

  test('that ends with the last row has no next page', async () => {
    await using database = await withThings(4)
    const last = await pageOfRows(database.read, things(database.read), asked('page=2&per_page=2'))
    expect({ ids: ids(last), total: last.total, hasNext: last.hasNext }).toEqual({
      ids: [2, 1],
      total: 4,
      hasNext: false,
    })
  })

  test.each(['page=2&per_page=3', 'page=9007199254740991', 'page=9223372036854775807'])(
    'lies past the end at %s, and is empty',
    async (text) => {
      await using database = await withThings(3)
      const found = await pageOfRows(database.read, things(database.read), asked(text))
      expect(found).toEqual({ items: [], total: 3, hasNext: false })
    },
  )

  test('of no rows is empty', async () => {
    await using database = await withThings(0)
    const found = await pageOfRows(database.read, things(database.read), asked(''))
    expect(found).toEqual({ items: [], total: 0, hasNext: false })
  })

  test('takes two queries however many rows there are, and one past the end', async () => {
    await using database = await withThings(2)
    async function queriesFor(text: string) {
      const before = database.queryCount()
      await pageOfRows(database.read, things(database.read), asked(text))
      return database.queryCount() - before
    }
    expect(await queriesFor('')).toBe(2)
    await database.write((tx) => addThings(tx, 3, 20))
    expect(await queriesFor('')).toBe(2)
    expect(await queriesFor('page=2&per_page=100')).toBe(1)
  })

  test('takes search text literally', async () => {
    await using database = await withThings(3)
    for (const name of [`' or '1' = '1`, '%', `"; drop table paged_things; --`, '?', '$1', ':name']) {
      const found = await pageOfRows(database.read, things(database.read).where('name', '=', name), asked(''))
      expect(found).toEqual({ items: [], total: 0, hasNext: false })
    }
    expect((await pageOfRows(database.read, things(database.read), asked(''))).total).toBe(3)
  })

  test('sees what its transaction wrote, and only what its snapshot knows', async () => {
    await using database = await withThings(1)
    const total = async (db: Reader) => (await pageOfRows(db, things(db), asked(''))).total
    const inside = await database.write(async (tx) => {
      await addThings(tx, 2, 3)
      return total(tx)
    })
    const later = await database.snapshot(async (reader) => {
      await total(reader)
      await database.write((tx) => addThings(tx, 4, 9))
      return total(reader)
    })
    expect([inside, later, await total(database.read)]).toEqual([3, 3, 9])
  })
})

describe('a great many rows', () => {
  test('are counted up to the greatest total and not beyond, and all of them can be reached', async () => {
    await using database = await withThings(maximumTotal)
    const db = database.read
    const pageAt = (page: number) => pageOfRows(db, things(db), asked(`page=${page}&per_page=100`))
    const lastTold = await pageAt(100)
    expect([lastTold.items.length, lastTold.total, lastTold.hasNext]).toEqual([100, maximumTotal, false])

    await database.write((tx) => addThings(tx, maximumTotal + 1, maximumTotal + 101))
    const first = await pageAt(1)
    expect([first.items.length, first.total, first.hasNext]).toEqual([100, undefined, true])
    const behindTheCount = await pageAt(102)
    expect([ids(behindTheCount), behindTheCount.total, behindTheCount.hasNext]).toEqual([[1], undefined, false])
    expect(await pageAt(103)).toEqual({ items: [], total: undefined, hasNext: false })
  })
})

describe('a query', () => {
  test('may join, under other names', async () => {
    await using database = await withThings(7)
    const query = database.read
      .selectFrom('paged_things as thing')
      .innerJoin('paged_shelves as shelf', 'shelf.id', 'thing.shelf_id')
      .select(['thing.id', 'shelf.label'])
      .where('shelf.label', '<>', 'low')
      .orderBy('shelf.label')
      .orderBy('thing.id', 'desc')
    const found = await pageOfRows(database.read, query, asked('page=2&per_page=2'))
    expect(found.items.map((row) => ({ ...row }))).toEqual([
      { id: 7, label: 'middle' },
      { id: 4, label: 'middle' },
    ])
    expect([found.total, found.hasNext]).toEqual([5, true])
  })

  test('may group: its groups are counted, not their rows', async () => {
    await using database = await withThings(7)
    const query = database.read
      .selectFrom('paged_things')
      .innerJoin('paged_shelves', 'paged_shelves.id', 'paged_things.shelf_id')
      .select('paged_shelves.label')
      .select((eb) => eb.fn.countAll<number>().as('size'))
      .groupBy(['paged_shelves.id', 'paged_shelves.label'])
      .having((eb) => eb.fn.countAll(), '=', 2)
      .orderBy('paged_shelves.label')
    const found = await pageOfRows(database.read, query, asked('per_page=1'))
    expect(found.items.map((row) => ({ ...row }))).toEqual([{ label: 'high', size: 2 }])
    expect([found.total, found.hasNext]).toEqual([2, true])
  })

  test('is counted without its order and without reading its columns', async () => {
    await using database = await withThings(3)
    const counted: string[] = []
    const selectFrom = (found: { expression: Compilable }) => {
      counted.push(found.expression.compile().sql)
      return database.read.selectFrom(found as never)
    }
    const reader = { engine: database.engine, selectFrom } as unknown as Reader
    expect((await pageOfRows(reader, things(database.read), asked(''))).total).toBe(3)
    expect(counted).toEqual([expect.stringMatching(/^select 1 as "one" from "paged_things" limit \S+$/)])
  })

  test('counts each row of a distinct query once', async () => {
    await using database = await withThings(7)
    const query = database.read.selectFrom('paged_things').select('shelf_id').distinct().orderBy('shelf_id', 'desc')
    const found = await pageOfRows(database.read, query, asked('per_page=2'))
    expect(found.items.map((row) => row.shelf_id)).toEqual([2, 1])
    expect([found.total, found.hasNext]).toEqual([3, true])
  })

  test('that finds ids gives the pages of the one that reads rows in their order', async () => {
    await using database = await withThings(700)
    const db = database.read
    const listed = (order: RawBuilder<unknown>) =>
      things(db).clearOrderBy().where('shelf_id', '<>', 0).orderBy(order, 'desc')
    const [reading, finding] = [listed(sql.ref('id')), listed(sortedBy(db, 'paged_things.id'))]
    for (const text of ['', 'page=2&per_page=3', 'page=5&per_page=100', 'page=6&per_page=100']) {
      const found = await pageOfRows(db, reading, asked(text), finding, 'paged_things.id')
      expect(found).toEqual(await pageOfRows(db, reading, asked(text)))
    }
  })

  test('says itself where a keyset walk goes on', async () => {
    await using database = await withThings(5)
    const db = database.read
    const request = pageRequest(parseNestedParameters('pagination=keyset&per_page=2&id_after=3'), {
      keyset: { id: ['asc'] },
      keysetDefault: { orderBy: 'id', sort: 'asc' },
    }) as KeysetRequest
    const all = db.selectFrom('paged_things').selectAll().orderBy('id')
    const started = await pageOfRows(db, all, { ...request, after: undefined })
    const gone = await pageOfRows(db, all.where('id', '>', request.after?.[0] as number), request)
    expect([ids(started), started.hasNext]).toEqual([[1, 2], true])
    expect([ids(gone), gone.hasNext]).toEqual([[4, 5], false])
  })
})
