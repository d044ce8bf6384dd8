import { expect, test } from 'vitest'
import { freshDatabase } from '../../../testing/database.ts'
import { dialectOf } from '../dialect.ts'
import {
  addColumn,
  createTables,
  indexesOf,
  type NewRowOf,
  partial,
  type RowOf,
  rows,
  t,
  table,
  unindexedReferences,
} from './index.ts'

const testingGroups = table(
  'testing_groups',
  { id: t.id(), owner_id: t.refers('testing_people', 'set null').nullable(), title: t.name() },
  { unique: ['title'], indexes: { owner: partial('owner_id') } },
)

const testingPeople = table(
  'testing_people',
  {
    id: t.id(),
    group_id: t.refers('testing_groups', 'cascade').nullable(),
    mood: t.oneOf('good', 'bad').default('good'),
    extra: t.json<{ tags: string[] }>().default('{"tags":[]}'),
    seen_on: t.date().nullable(),
    age: t.integer().nullable().check('>= 0'),
    updated_at: t.time(),
  },
  {
    indexes: {
      seen: { on: ['seen_on', 'id'], nullsLast: 'seen_on' },
      mood: [{ sqlite: 'mood', postgres: 'left(mood, 9)' }, 'id desc'],
      only: { on: ['updated_at'], engine: 'postgres' },
    },
  },
)

const at = '2026-01-02T03:04:05.678Z'
const people = rows(testingPeople)
const groups = rows(testingGroups)

async function databaseWithTables() {
  const database = await freshDatabase()
  await database.write(async (tx) => {
    for (const statement of createTables(dialectOf(tx.engine), [testingGroups, testingPeople])) {
      await statement.execute(tx)
    }
  })
  return database
}

test('tables that refer to each other are created, with foreign keys in both directions', async () => {
  await using database = await databaseWithTables()
  const person = await database.write(async (tx) => {
    const { id: group_id } = await groups.insert(tx, { title: 'one' })
    const inserted = await people.insert(tx, { group_id, updated_at: at })
    await groups.update(tx, group_id, { owner_id: inserted.id })
    expect(await groups.byId(tx, group_id)).toEqual({ id: group_id, owner_id: inserted.id, title: 'one' })
    expect(await groups.remove(tx, group_id)).toBe(1)
    expect(await people.byId(tx, inserted.id)).toBe(null)
    return inserted
  })
  expect(person).toMatchObject({ mood: 'good', extra: { tags: [] }, seen_on: null, updated_at: at })
  const unknown = database.write((tx) => people.insert(tx, { group_id: 999, updated_at: at }))
  await expect(unknown).rejects.toThrow()
})

test('a column is added to a table that has rows', async () => {
  await using database = await databaseWithTables()
  const { id } = await database.write((tx) => people.insert(tx, { updated_at: at }))
  const later = table('testing_people', {
    ...testingPeople.columns,
    pet: t.oneOf('cat', 'dog').default('cat'),
    friend_id: t.refers('testing_people', 'set null').nullable(),
  })
  const column = (name: 'pet' | 'friend_id') => addColumn(dialectOf(database.engine), later, name)
  await database.write(async (tx) => {
    await column('pet').execute(tx)
    await column('friend_id').execute(tx)
  })
  expect(await rows(later).byId(database.read, id)).toMatchObject({ pet: 'cat', friend_id: null })
  await expect(database.write((tx) => rows(later).update(tx, id, { friend_id: 999 } as never))).rejects.toThrow()
})

test('the database refuses values that a column excludes, and duplicates', async () => {
  await using database = await databaseWithTables()
  const insert = (row: object) => database.write((tx) => people.insert(tx, { updated_at: at, ...row }))
  await expect(insert({ mood: 'sad' })).rejects.toThrow()
  await expect(insert({ age: -1 })).rejects.toThrow()
  const title = 'x'
  await database.write((tx) => groups.insert(tx, { title }))
  await expect(database.write((tx) => groups.insert(tx, { title }))).rejects.toThrow()
})

test('several rows are inserted, found and removed in one statement each', async () => {
  await using database = await databaseWithTables()
  await database.write(async (tx) => {
    const inserted = await people.insertAll(tx, [
      { updated_at: at, age: 1 },
      { updated_at: at, age: 2 },
    ])
    expect(inserted.map(({ age }) => age)).toEqual([1, 2])
    expect(await people.insertAll(tx, [])).toEqual([])
    const ids = inserted.map(({ id }) => id)
    expect([...(await people.byIds(tx, [...ids, 999])).keys()].sort()).toEqual(ids)
    const times: string[] = []
    expect(await people.remove(tx, [...ids, 999], (time) => times.push(time))).toBe(2)
    expect(times).toEqual([at, at])
    expect(await people.update(tx, ids[0] ?? 0, { mood: 'bad' })).toBe(null)
    expect(await people.remove(tx, ids[0] ?? 0)).toBe(0)
  })
})

test('a row that the client knows in an older state is not removed', async () => {
  await using database = await databaseWithTables()
  const { id } = await database.write((tx) => people.insert(tx, { updated_at: at }))
  const refuse = () => {
    throw new Error('changed since')
  }
  await expect(database.write((tx) => people.remove(tx, id, refuse))).rejects.toThrow('changed since')
  expect(await people.byId(database.read, id)).not.toBe(null)
  const group = await database.write((tx) => groups.insert(tx, { title: 'no times' }))
  await expect(database.write((tx) => groups.remove(tx, group.id, refuse))).rejects.toThrow(
    'no time of the last change',
  )
})

test('indexes differ by engine where they must, and those of foreign keys are missed', () => {
  expect(indexesOf(testingPeople, 'postgres')).toEqual([
    'index testing_people_seen on testing_people (seen_on, id)',
    'index testing_people_seen_descending on testing_people (seen_on desc nulls last, id desc)',
    'index testing_people_mood on testing_people (left(mood, 9), id desc)',
    'index testing_people_only on testing_people (updated_at)',
  ])
  expect(indexesOf(testingPeople, 'sqlite')).toEqual([
    'index testing_people_seen on testing_people (seen_on, id)',
    'index testing_people_mood on testing_people (mood, id desc)',
  ])
  expect([testingGroups, testingPeople].flatMap(unindexedReferences)).toEqual(['testing_people.group_id'])
})

test('a preferred unique index is the last one on PostgreSQL', () => {
  const one = table(
    'one',
    { id: t.id(), iid: t.integer() },
    { unique: { iid: { on: ['iid'], isPreferred: true } }, indexes: { list: ['iid', 'id'] } },
  )
  const namesOn = (engine: 'sqlite' | 'postgres') =>
    indexesOf(one, engine).map((index) => / (one_\w+)/.exec(index)?.[1])
  expect(namesOn('postgres')).toEqual(['one_list', 'one_iid_unique'])
  expect(namesOn('sqlite')).toEqual(['one_iid_unique', 'one_list'])
})

test('the compiler knows the columns', () => {
  // @ts-expect-error no such column
  table('wrong', { id: t.id() }, { unique: ['nope'] })
  // @ts-expect-error no such column, in a partial index
  table('wrong', { id: t.id() }, { indexes: { nope: partial('nope', 'id') } })
  // @ts-expect-error not one of these
  t.oneOf('opened', 'closed').default('merged')
  const insert = (row: NewRowOf<typeof testingPeople>) => row
  // @ts-expect-error the time is missing
  insert({ extra: '{}' })
  // @ts-expect-error not a mood
  insert({ updated_at: at, mood: 'sad' })
  const tagsOf = ({ extra }: RowOf<typeof testingPeople>): string[] => extra.tags
  expect(tagsOf).toBeTypeOf('function')
})
