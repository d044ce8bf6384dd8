import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, onPostgres } from '../../../testing/database.ts'
import { dialectOf } from '../dialect.ts'
import { contains, findsText, textIndex } from '../index.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const at = '2026-01-01T00:00:00.000Z'

async function addUsers(names: readonly string[], firstId: number): Promise<void> {
  const rows = names.map((name, index) => {
    const username = `u${firstId + index}`
    return {
      id: firstId + index,
      username,
      name,
      email: `${username}@a.b`,
      projects_limit: 0,
      created_at: at,
      updated_at: at,
    }
  })
  for (let from = 0; from < rows.length; from += 500) {
    await database.write((tx) =>
      tx
        .insertInto('users')
        .values(rows.slice(from, from + 500) as never)
        .execute(),
    )
  }
}

/** The names that contain a text, found by the index where it has a use. */
async function found(text: string): Promise<{ names: string[]; isIndexed: boolean }> {
  const { read } = database
  const condition = await findsText(read, 'users', text)
  const all = read.selectFrom('users').select('name').where(contains('users.name', text))
  const rows = await (condition ? all.where(condition) : all).orderBy('id').execute()
  return { names: rows.map(({ name }) => name), isIndexed: condition !== null }
}

test('finds every row with the text, whatever the case of its ASCII letters, and follows changes', async () => {
  const names = [
    'Anna Straße',
    'straSSE',
    '50%_off',
    'a"b"c',
    'Über',
    'über',
    '日本語テスト',
    'İstanbul',
    "x' OR 1",
    'AND (NOT)',
    'a*b^c:d',
  ]
  await addUsers([...names, ''], 1)
  for (const text of [
    ...names,
    'STRA',
    'str',
    '0%_',
    '"b"',
    'ber',
    'ÜBE',
    '本語テ',
    'stanb',
    ' OR ',
    '(NOT',
    '*b^',
    'none',
  ]) {
    const fold = (value: string) => value.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    const expected = names.filter((name) => fold(name).includes(fold(text)))
    expect([text, (await found(text)).names]).toEqual([text, expected])
  }
  await database.write((tx) => tx.updateTable('users').set({ name: 'Anna Weg' }).where('id', '=', 1).execute())
  await database.write((tx) => tx.deleteFrom('users').where('id', '=', 2).execute())
  expect((await found('stra')).names).toEqual([])
  expect((await found('Weg')).names).toEqual(['Anna Weg'])
})

test('an index that is made later has the rows that were there', async () => {
  await database.write(async (tx) => {
    await sql`create table shelved (id bigint primary key, title text not null)`.execute(tx)
    await sql`insert into shelved (id, title) values (1, 'Annals'), (2, 'Botany')`.execute(tx)
    for (const statement of textIndex(dialectOf(tx.engine), 'shelved', ['title'])) await statement.execute(tx)
  })
  const condition = (await findsText(database.read, 'shelved', 'tan')) ?? contains('shelved.title', 'tan')
  const query = sql<{ id: number }>`select id from shelved where ${condition}`
  expect((await query.execute(database.read as never)).rows.map(({ id }) => id)).toEqual([2])
})

test('the index finds a few rows, and is not used for many', async () => {
  await addUsers(
    Array.from({ length: 10_100 }, (_, index) => `Member ${index}`),
    1_000,
  )
  expect(await found('member 77')).toEqual({
    names: [
      'Member 77',
      ...Array.from({ length: 10 }, (_, index) => `Member 77${index}`),
      ...Array.from({ length: 100 }, (_, index) => `Member 77${String(index).padStart(2, '0')}`),
    ],
    isIndexed: !onPostgres,
  })
  expect(await findsText(database.read, 'users', 'member')).toBeNull()
  for (const text of ['me', 'a\0bc']) expect(await findsText(database.read, 'users', text)).toBeNull()
  if (!onPostgres) return
  await database.write(async (tx) => {
    // As the server's own care of the table does after a while.
    await sql`select gin_clean_pending_list('users_text')`.execute(tx)
    await sql`analyze users`.execute(tx)
  })
  const query = sql<{ 'QUERY PLAN': string }>`explain select id from users where ${contains('users.name', 'nowhere')}`
  const { rows } = await query.execute(database.read as never)
  expect(rows.map((row) => row['QUERY PLAN']).join()).toContain('users_text')
})
