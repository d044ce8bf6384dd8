import { expect, test } from 'vitest'
import { freshDatabase } from '../../testing/database.ts'
import { prepareQueryOfIds } from './index.ts'

const named = prepareQueryOfIds('users.id', (db, isUser, { state }: { state: 'active' | 'blocked' }) =>
  db.selectFrom('users').select('username').where(isUser).where('state', '=', state).orderBy('id'),
)

test('a query of ids answers for none, for one and for several', async () => {
  await using database = await freshDatabase()
  const ids: number[] = []
  for (const username of ['anna', 'ben', 'carl']) {
    const created_at = '2026-01-01T00:00:00.000Z'
    const email = `${username}@example.com`
    const row = { username, name: username, email, projects_limit: 1, created_at, updated_at: created_at }
    const { id } = await database.write((tx) =>
      tx
        .insertInto('users')
        .values(row as never)
        .returning('id')
        .executeTakeFirstOrThrow(),
    )
    ids.push(id)
  }
  const [anna = 0, ben = 0] = ids
  const names = async (wanted: readonly number[], state: 'active' | 'blocked' = 'active') =>
    (await named(database.read, wanted, { state })).map(({ username }) => username)
  expect(await names([])).toEqual([])
  // Twice: what was compiled is used again with other values.
  expect([await names([anna]), await names([ben])]).toEqual([['anna'], ['ben']])
  expect([await names([ben, anna]), await names(ids)]).toEqual([
    ['anna', 'ben'],
    ['anna', 'ben', 'carl'],
  ])
  expect(await names([anna], 'blocked')).toEqual([])
})
