import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { freshDatabase, onPostgres } from '../../testing/database.ts'
import type { Tx } from './database.ts'
import { claim } from './portable.ts'

type Row = { id: number; name: string }

test.each([
  ['nothing, after another transaction has deleted it', [], null],
  ['the row that has taken its place', [2], 2],
])('a claimed row is %s', async (_, added, expected) => {
  await using database = await freshDatabase()
  const find = async (tx: Tx) =>
    (await sql<Row>`select id, name from things where name = 'a'`.execute(tx)).rows[0] ?? null
  const claimed = (tx: Tx) => claim(tx, 'things' as never, () => find(tx))
  await database.write(async (tx) => {
    await sql`create table things (id integer primary key, name text)`.execute(tx)
    await sql`insert into things values (1, 'a')`.execute(tx)
  })
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = database.write(async (tx) => {
    const row = await claimed(tx)
    begun.resolve()
    await over.promise
    await sql`delete from things where id = ${row?.id}`.execute(tx)
    for (const id of added) await sql`insert into things values (${id}, 'a')`.execute(tx)
  })
  await begun.promise
  const second = database.write(claimed)
  if (onPostgres) {
    const waiting = sql`select 1 from pg_locks where not granted`
    await expect.poll(async () => (await waiting.execute(database.read as never)).rows).not.toEqual([])
  }
  over.resolve()
  await first
  expect((await second)?.id ?? null).toBe(expected)
})
