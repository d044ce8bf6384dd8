import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, sql } from 'kysely'
import { expect, test } from 'vitest'
import { QueryCompiler } from './open.ts'

const db = new Kysely<{ projects: { id: number; archived: boolean } }>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new QueryCompiler(),
  },
})

test('booleans of a condition are in the text of the query, other values are parameters', () => {
  const query = db
    .selectFrom('projects')
    .select('id')
    .where('archived', '=', false)
    .where(sql<boolean>`archived <> ${true}`)
    .where('id', '>', 7)
    .compile()
  expect(query.sql).toBe('select "id" from "projects" where "archived" = false and archived <> true and "id" > ?')
  expect(query.parameters).toEqual([7])
})

test('booleans of inserted rows are parameters, so that all rows have the same text', () => {
  const query = db.insertInto('projects').values({ id: 1, archived: true }).compile()
  expect(query.sql).toBe('insert into "projects" ("id", "archived") values (?, ?)')
  expect(query.parameters).toEqual([1, true])
})
