import fs from 'node:fs'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { migrations } from '../../migrations/index.ts'
import { makeFreshDatabase } from '../../testing/database.ts'
import { makeDurable, openDatabase } from './index.ts'

test('what was committed without waiting for the disk is there in full after makeDurable', async () => {
  const fresh = await makeFreshDatabase()
  const options = { url: fresh.url, migrations }
  const first = await openDatabase({ ...options, durable: false })
  await first.write(async (tx) => {
    await sql`create table kept (value integer)`.execute(tx)
    await sql`insert into kept values (1)`.execute(tx)
  })
  const isOnPostgres = first.engine === 'postgres'
  const position = async (name: 'insert' | 'flush') =>
    (await sql<{ at: string }>`select ${sql.raw(`pg_current_wal_${name}_lsn()`)} as at`.execute(first.read as never))
      .rows[0]?.at ?? ''
  const written = isOnPostgres ? await position('insert') : ''
  if (!isOnPostgres) await first.close()
  const flushes = vi.spyOn(fs, 'fdatasync')
  await makeDurable(options)
  if (isOnPostgres) {
    const { rows } = await sql<{ ok: boolean }>`select pg_current_wal_flush_lsn() >= ${written}::pg_lsn as ok`.execute(
      first.read as never,
    )
    expect(rows).toEqual([{ ok: true }])
    await first.close()
  } else {
    expect(flushes).toHaveBeenCalled()
    expect(fs.existsSync(`${fresh.url.replace('sqlite:', '')}-wal`)).toBe(false)
  }
  flushes.mockRestore()
  const again = await openDatabase(options)
  const { rows } = await sql<{ value: number }>`select value from kept`.execute(again.read as never)
  expect(rows).toEqual([{ value: 1 }])
  await again.close()
  await fresh.remove()
})
