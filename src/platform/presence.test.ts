import { sql } from 'kysely'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../infra/clock/index.ts'
import { type Database, openDatabase } from '../infra/database/index.ts'
import { migrations } from '../migrations/index.ts'
import { freshDatabase, makeFreshDatabase, onPostgres } from '../testing/database.ts'
import { openPresence } from './presence.ts'

const enter = (database: Database) => openPresence(database, { clock: systemClock, log: pino({ level: 'silent' }) })

test('on a database of its own, a process takes all others for ended', async () => {
  await using database = await freshDatabase()
  const presence = await enter(database)
  expect(await presence.hasEnded(presence.name())).toBe(false)
  expect(await presence.hasEnded('former')).toBe(true)
  await presence.close()
})

describe.runIf(onPostgres)('on PostgreSQL', () => {
  test('a process sees that another one lives, and that it has ended', async () => {
    const fresh = await makeFreshDatabase()
    const open = () => openDatabase({ url: fresh.url, migrations, durable: false })
    const [one, two] = [await open(), await open()]
    const [here, there] = [await enter(one), await enter(two)]
    expect(await here.hasEnded(there.name())).toBe(false)
    expect(await there.hasEnded(here.name())).toBe(false)
    await there.close()
    expect(await here.hasEnded(there.name())).toBe(true)
    await here.close()
    await Promise.all([one.close(), two.close()])
    await fresh.remove()
  })

  test('a process that loses its connection lives on under another name', async () => {
    await using database = await freshDatabase()
    const presence = await enter(database)
    const former = presence.name()
    const locks = sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'fennec lock' and datname = current_database()`
    await locks.execute(database.read as never)
    await expect.poll(() => presence.name()).not.toBe(former)
    expect(await presence.hasEnded(presence.name())).toBe(false)
    await expect.poll(() => presence.hasEnded(former)).toBe(true)
    await presence.close()
  })
})
