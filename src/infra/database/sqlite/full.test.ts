import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { migrations } from '../../../migrations/index.ts'
import { temporaryDirectory } from '../../../testing/index.ts'
import { DatabaseFull, openDatabase } from '../index.ts'

const row = (name: string) => ({ name, every_seconds: 1, next_run_at: '2030-01-01T00:00:00.000Z', last_run_at: null })

test('a full disk is reported as such, and the next write succeeds when there is room again', async () => {
  await using folder = await temporaryDirectory()
  const database = await openDatabase({ url: `sqlite:${join(folder.path, 'a.db')}`, migrations, durable: false })
  const limit = (pages: number) => database.write((tx) => sql.raw(`pragma max_page_count = ${pages}`).execute(tx))
  const insert = (name: string) => database.write((tx) => tx.insertInto('recurring_jobs').values(row(name)).execute())
  // Not below the present size.
  await limit(1)
  await expect(insert('x'.repeat(100_000))).rejects.toThrow(DatabaseFull)
  await limit(1_000_000)
  await insert('small')
  const names = await database.read.selectFrom('recurring_jobs').select('name').execute()
  expect(names).toEqual([{ name: 'small' }])
  await database.close()
})
