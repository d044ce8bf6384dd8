import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import {
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'

const dayMs = 86_400_000
const setting = 'inactive_resource_access_tokens_delete_after_days'
let clock: ManualClock
let server: TestServer
let place: ProjectWithMembers
let base: string

beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  server = await startTestServer({ clock })
  place = await projectWithMembers(server)
  base = `/projects/${place.project.id}/access_tokens`
})
afterAll(async () => {
  await set(30)
  await server.stop()
})

const set = async (days: unknown) =>
  expect((await server.root.put('/application/settings', { [setting]: days })).status).toBe(200)

async function make(name: string, expires_at: string): Promise<{ id: number; user_id: number; token: string }> {
  const { status, body } = await place.owner.post(base, { name, scopes: ['api'], expires_at })
  expect(status).toBe(201)
  return body
}

async function run() {
  const { database, jobs } = server.app.platform
  await database.write((tx) => jobs.enqueue(tx, 'access_tokens.remove_inactive', null))
  await jobs.drain()
}

/** The names of the tokens that are there. */
const names = async () => (await place.owner.get(base)).body.map(({ name }: { name: string }) => name).toSorted()
const botsOf = async (ids: readonly number[]) => {
  const query = server.app.platform.database.read
    .selectFrom('users')
    .select('id')
    .where('id', 'in', [...ids])
  return (await query.execute()).length
}

test('bots are deleted with their tokens so many days after the last one was active', async () => {
  const revoked = await make('revoked', '2026-06-01')
  const expiring = await make('expiring', '2026-03-04')
  const rotated = await make('rotated', '2026-06-01')
  const active = await make('active', '2026-06-01')
  expect((await place.owner.delete(`${base}/${revoked.id}`)).status).toBe(204)
  expect((await place.owner.post(`${base}/${rotated.id}/rotate`, { expires_at: '2026-06-01' })).status).toBe(200)
  const all = ['active', 'expiring', 'revoked', 'rotated', 'rotated']
  await set(10)
  clock.advance(10 * dayMs)
  await run()
  expect(await names(), 'ten days are not over').toEqual(all)
  clock.advance(1)
  await run()
  expect(await names()).toEqual(['active', 'expiring', 'rotated', 'rotated'])
  expect(await botsOf([revoked.user_id])).toBe(0)
  // The token expired with the 4th of March.
  clock.advance(2 * dayMs)
  await run()
  expect(await names()).toEqual(['active', 'expiring', 'rotated', 'rotated'])
  clock.advance(dayMs)
  await run()
  expect(await names()).toEqual(['active', 'rotated', 'rotated'])
  expect(await botsOf([expiring.user_id, rotated.user_id, active.user_id])).toBe(2)
  const user = await server.as(active.token).get('/user')
  expect([user.status, user.body.id]).toEqual([200, active.user_id])
})

test('with 0 they stay, and the setting is that of administrators', async () => {
  const gone = await make('gone', '2026-06-01')
  await place.owner.delete(`${base}/${gone.id}`)
  await set(0)
  clock.advance(40 * dayMs)
  await run()
  expect(await names()).toContain('gone')
  await set(30)
  await run()
  expect(await names()).not.toContain('gone')
  for (const value of [-1, 36_501, 'x', null]) {
    const answer = await server.root.put('/application/settings', { [setting]: value })
    expect([value, answer.status]).toEqual([value, 400])
  }
  expect((await place.owner.put('/application/settings', { [setting]: 1 })).status).toBe(403)
})
