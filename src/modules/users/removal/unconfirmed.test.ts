import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'

const dayMs = 86_400_000
let clock: ManualClock
let server: TestServer

beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  server = await startTestServer({ clock })
})
afterAll(async () => {
  await set({
    delete_unconfirmed_users: false,
    unconfirmed_users_delete_after_days: 7,
    email_confirmation_setting: 'off',
  })
  await server.stop()
})

const set = async (value: object) => expect((await server.root.put('/application/settings', value)).status).toBe(200)

/** Changes the row of a new user, whose address is not confirmed. */
async function unconfirmed(username: string, change: Record<string, unknown> = {}): Promise<number> {
  const { id } = await server.user(username)
  const row = { confirmed_at: null, ...change }
  await server.app.platform.database.write((tx) => tx.updateTable('users').set(row).where('id', '=', id).execute())
  return id
}

async function run() {
  const { database, jobs } = server.app.platform
  await database.write((tx) => jobs.enqueue(tx, 'users.remove_unconfirmed', null))
  await jobs.drain()
}

const areThere = async (ids: readonly number[]) => {
  const query = server.app.platform.database.read
    .selectFrom('users')
    .select('id')
    .where('id', 'in', [...ids])
  const found = new Set((await query.execute()).map(({ id }) => id))
  return ids.map((id) => found.has(id))
}

test('people who have not confirmed their address for so many days are deleted, and nobody else', async () => {
  const old = await unconfirmed('old')
  const others = [
    (await server.user('confirmed')).id,
    await unconfirmed('robot', { bot_kind: 'service_account' }),
    await unconfirmed('blocked', { state: 'blocked' }),
    await unconfirmed('seen', { sign_in_count: 1 }),
    await unconfirmed('steward', { is_admin: true }),
    await unconfirmed('owning'),
  ]
  await server.make.group('owned', { id: others.at(-1) ?? 0 })
  clock.advance(3 * dayMs)
  const young = await unconfirmed('young', { created_at: clock.now().toISOString() })
  const all = [old, ...others, young]
  const untouched = all.map(() => true)

  await run()
  expect(await areThere(all)).toEqual(untouched)
  await set({ delete_unconfirmed_users: true, unconfirmed_users_delete_after_days: 3 })
  await run()
  expect(await areThere(all), 'addresses are not confirmed').toEqual(untouched)
  await set({ email_confirmation_setting: 'hard' })
  await run()
  expect(await areThere(all), 'three days are not over').toEqual(untouched)
  clock.advance(1)
  await run()
  expect(await areThere(all)).toEqual([false, ...others.map(() => true), true])
  await set({ delete_unconfirmed_users: false })
  clock.advance(3 * dayMs)
  await run()
  expect(await areThere([young])).toEqual([true])
})

test('more of them than a portion are deleted', async () => {
  const ids: number[] = []
  for (let index = 0; index < 102; index += 1) ids.push(await unconfirmed(`many-${index}`))
  await set({
    ...{ delete_unconfirmed_users: true, unconfirmed_users_delete_after_days: 3 },
    email_confirmation_setting: 'soft',
  })
  clock.advance(4 * dayMs)
  await run()
  expect((await areThere(ids)).filter(Boolean)).toEqual([])
})

test('the number of days is a whole one from one on', async () => {
  for (const value of [0, -1, 36_501, 'x', null]) {
    const answer = await server.root.put('/application/settings', { unconfirmed_users_delete_after_days: value })
    expect([value, answer.status]).toEqual([value, 400])
  }
})
