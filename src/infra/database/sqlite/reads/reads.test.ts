import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CompiledQuery } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryDirectory } from '../../../../testing/index.ts'
import type { Connection } from '../driver.ts'
import { statementCache } from '../statements.ts'
import { type Reads, readsThrough } from './reads.ts'

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let writing: DatabaseSync
let reading: Connection
let here: Reads
let there: Reads

/** Walks through a large table, so it starts in a thread. */
const walk = 'select * from samples order by id'
const query = (text: string, ...parameters: unknown[]) => CompiledQuery.raw(text, parameters)

beforeEach(async () => {
  folder = await temporaryDirectory()
  const path = join(folder.path, 'fennec.db')
  writing = new DatabaseSync(path)
  writing.exec(`pragma journal_mode = wal;
    create table samples (id integer primary key, flag boolean, extra jsonb, bytes blob, amount real, text text, none text);
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000)
      insert into samples (text) select 'text ' || i from n`)
  const handle = new DatabaseSync(path, { readOnly: true })
  reading = { handle, statements: statementCache(handle) }
  here = readsThrough(reading, path)
  there = readsThrough(reading, path, 0)
  there.useThreads()
})
afterEach(async () => {
  await there.close()
  reading.handle.close()
  writing.close()
  await folder[Symbol.asyncDispose]()
})

test('reads in threads give what reads on the event loop give', async () => {
  writing
    .prepare(`insert into samples values (?, true, '{"a":[1,"x"]}', ?, 1.5, ?, null)`)
    .run(Number.MAX_SAFE_INTEGER, new Uint8Array([0, 255]), 'ünï 😀 \0')
  const last = 'select * from samples where text > ? or id in (select value from json_each(?)) order by id desc limit 2'
  for (const asked of [query(walk), query(last, 'ünï', [1, 2])]) {
    const inThread = there.run(asked)
    expect(inThread).toBeInstanceOf(Promise)
    expect(await inThread).toEqual(here.run(asked))
  }
  const { rows } = await there.run(query(last, 'ünï', []))
  expect(rows[0]).toEqual({
    id: Number.MAX_SAFE_INTEGER,
    flag: true,
    extra: { a: [1, 'x'] },
    bytes: new Uint8Array([0, 255]),
    amount: 1.5,
    text: 'ünï 😀 \0',
    none: null,
  })
})

test('a read in a thread sees what was committed before it', async () => {
  for (let round = 0; round < 20; round += 1) {
    writing.exec(`insert into samples (text) values ('new ${round}')`)
    const { rows } = await there.run<{ count: number }>(query('select count(*) as count from samples'))
    expect(rows[0]?.count).toBe(2_001 + round)
  }
})

test('errors have the codes of SQLite, wherever they are found', async () => {
  const errorOf = async (text: string) => {
    const error = await Promise.resolve()
      .then(() => there.run(query(text)))
      .catch((caught) => caught)
    return [error.code, error.errcode, error.message]
  }
  expect(await errorOf('select * from absent')).toEqual(['ERR_SQLITE_ERROR', 1, 'no such table: absent'])
  const overflow = 'select abs(-9223372036854775808 + id - id) from samples'
  expect(await errorOf(overflow)).toEqual(['ERR_SQLITE_ERROR', 1, 'integer overflow'])
})

test('the end fails reads that run, and the database can be closed', async () => {
  const slow = query('select count(*) from samples a, samples b, samples c where c.id < 50')
  const running = Promise.resolve(there.run(slow)).catch((error) => error.name)
  await there.close()
  expect(await running).toBe('ThreadEnded')
})
