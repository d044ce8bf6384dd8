import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../../testing/index.ts'
import { type Migration, openDatabase, UnknownSchemaError } from '../index.ts'

let folder: string
let path: string
let model: string

/** A migration that counts how often it is applied. */
function counted(name: string, checksum: string): Migration & { applied(): number } {
  let times = 0
  const up = () => {
    times += 1
    return [sql.raw(`create table "of_${name}" (id integer primary key)`)]
  }
  return { name, checksums: { sqlite: checksum, postgres: checksum }, up, applied: () => times }
}

const open = (migrations: readonly Migration[], options: { model?: string; exclusive?: boolean } = {}) =>
  openDatabase({ url: `sqlite:${path}`, migrations, exclusive: true, model, ...options })

async function makeModel(...migrations: Migration[]): Promise<void> {
  await (await openDatabase({ url: `sqlite:${model}`, migrations })).close()
}

beforeEach(async () => {
  const made = await temporaryDirectory()
  folder = made.path
  path = join(folder, 'fennec.db')
  model = join(folder, 'empty.sqlite')
  return () => made[Symbol.asyncDispose]()
})

describe('a database that begins as a copy', () => {
  test('has the tables without running the migrations, and nothing else is left', async () => {
    const first = counted('1', 'a')
    await makeModel(first)
    const database = await open([first])
    expect(await database.write((tx) => sql`select * from of_1`.execute(tx))).toMatchObject({ rows: [] })
    expect(await database.integrityProblems()).toEqual([])
    await database.close()
    expect(first.applied()).toBe(1)
    expect(readdirSync(folder).sort()).toEqual(['empty.sqlite', 'fennec.db', 'fennec.db.lock'])
  })

  test('gets the migrations that the model does not have', async () => {
    const [first, second] = [counted('1', 'a'), counted('2', 'b')]
    await makeModel(first)
    await (await open([first, second])).close()
    expect([first.applied(), second.applied()]).toEqual([1, 1])
  })

  test('is refused when the model has other statements', async () => {
    await makeModel(counted('1', 'of yesterday'))
    await expect(open([counted('1', 'a')])).rejects.toThrow(UnknownSchemaError)
  })

  test('is as private as one that SQLite begins, whatever the mode of the model', async () => {
    const first = counted('1', 'a')
    await makeModel(first)
    const before = process.umask(0o077)
    try {
      await (await open([first])).close()
    } finally {
      process.umask(before)
    }
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })
})

describe('no copy is made', () => {
  test('of a model that does not exist', async () => {
    const first = counted('1', 'a')
    await (await open([first])).close()
    expect(first.applied()).toBe(1)
  })

  test('over a database that is there', async () => {
    const first = counted('1', 'a')
    const before = await open([first])
    await before.write((tx) => sql`insert into of_1 (id) values (7)`.execute(tx))
    await before.close()
    await makeModel(first)
    const database = await open([first])
    expect(await database.write((tx) => sql`select id from of_1`.execute(tx))).toMatchObject({ rows: [{ id: 7 }] })
    await database.close()
  })

  test('beside the log of a database that was deleted', async () => {
    const first = counted('1', 'a')
    await makeModel(first)
    writeFileSync(`${path}-wal`, 'log of another database')
    const database = await open([first])
    expect(await database.integrityProblems()).toEqual([])
    await database.close()
    expect(first.applied()).toBe(2)
  })

  test('for a command, which may run beside a server that begins', async () => {
    const first = counted('1', 'a')
    await makeModel(first)
    await (await open([first], { exclusive: false })).close()
    expect(first.applied()).toBe(2)
  })

  test('where the copy cannot be written', async () => {
    const first = counted('1', 'a')
    await makeModel(first)
    writeFileSync(join(folder, 'in-the-way'), '')
    rmSync(model)
    // A folder is no database.
    model = folder
    await (await open([first])).close()
    expect(first.applied()).toBe(2)
    expect(existsSync(`${path}.new`)).toBe(false)
  })
})
