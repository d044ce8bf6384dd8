import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ManualClock } from '../../infra/clock/index.ts'
import type { Person, TestServer } from '../../testing/index.ts'
import { currentUser } from '../tokens/index.ts'
import { changeUser, setPassword } from '../users/index.ts'
import { startWithAliceAndBob } from '../users/testing.ts'
import { deleteSessionsOf, endSession } from './index.ts'
import { deleteExpiredSessions, sessionOf } from './sessions.ts'
import { browser, makeSession } from './testing.ts'

let server: TestServer
let clock: ManualClock
let alice: Person
let bob: Person

beforeAll(async () => {
  ;({ server, clock, alice, bob } = await startWithAliceAndBob())
})
afterAll(() => server.stop())

const minuteMs = 60_000
const dayMs = 86_400_000
const found = (token: string, from = browser) => sessionOf(server.app.platform, token, from)
const rows = () => server.app.platform.database.read.selectFrom('sessions').selectAll().execute()

describe('a session', () => {
  test('acts as its user, with all scopes of a person', async () => {
    const { token, id } = await makeSession(server, alice)
    const credential = { kind: 'session', id, scopes: expect.any(Set) }
    const { actor } = (await found(token)) ?? {}
    expect(actor).toMatchObject({ userId: alice.id, username: 'alice', administrator: false, credential })
    const has = (scope: string) => actor?.credential.scopes.has(scope)
    expect(['api', 'read_user', 'sudo', 'admin_mode'].map(has)).toEqual([true, true, false, false])
    const root = await found((await makeSession(server, { id: 1 })).token)
    expect(root?.actor.administrator).toBe(true)
    expect(root?.actor.credential.scopes.has('admin_mode')).toBe(true)
    expect(root?.actor.credential.scopes.has('sudo')).toBe(false)
  })

  test('is no token', async () => {
    const { token, id } = await makeSession(server, alice)
    expect((await server.as(token).get('/user')).status).toBe(401)
    const basic = `Basic ${Buffer.from(`alice:${token}`).toString('base64')}`
    for (const headers of [{ Authorization: `Bearer ${token}` }, { 'JOB-TOKEN': token }] as Record<string, string>[]) {
      expect((await server.anonymous.get('/user', { headers })).status).toBe(401)
    }
    const cookie = { Cookie: `session=${token}; _gitlab_session=${token}` }
    expect((await server.anonymous.get('/user', { headers: cookie })).status).toBe(401)
    const git = await fetch(`${server.url}/alice/p.git/info/refs?service=git-upload-pack`, {
      headers: { Authorization: basic },
    })
    expect(git.status).toBe(401)
    // Its id is not that of an access token.
    expect(await currentUser(server.app.platform, alice.id, { kind: 'session', id })).toBeNull()
  })

  test('ends 14 days after its last use, and 90 days after the sign-in', async () => {
    const idle = await makeSession(server, alice)
    clock.advance(14 * dayMs - 1)
    expect(await found(idle.token)).not.toBeNull()
    clock.advance(14 * dayMs)
    expect(await found(idle.token)).toBeNull()
    const { token } = await makeSession(server, alice)
    for (let day = 0; day < 80; day += 10) {
      clock.advance(10 * dayMs)
      expect(await found(token)).not.toBeNull()
    }
    clock.advance(10 * dayMs - 1)
    expect(await found(token)).not.toBeNull()
    clock.advance(1)
    expect(await found(token)).toBeNull()
  })

  test('records its use every five minutes at most', async () => {
    const { token, last_used_at: first } = await makeSession(server, alice)
    const other = { ip: '192.0.2.2', userAgent: `${'x'.repeat(300)}\u0000` }
    clock.advance(5 * minuteMs - 1)
    expect((await found(token, other))?.session).toMatchObject({ last_used_at: first, ip: browser.ip })
    clock.advance(1)
    const last_used_at = clock.now().toISOString()
    expect((await found(token, other))?.session).toMatchObject({
      ...{ last_used_at, ip: other.ip, user_agent: 'x'.repeat(255) },
    })
    const { user_agent } = (await found(token, { ip: '192.0.2.3', userAgent: '' }))?.session ?? {}
    expect(user_agent).toBe('x'.repeat(255))
    const { database } = server.app.platform
    const user = await database.read.selectFrom('users').selectAll().where('id', '=', alice.id).executeTakeFirst()
    expect(user?.last_activity_on).toBe(last_used_at.slice(0, 10))
  })

  test('is deleted once it has expired', async () => {
    const { id } = await makeSession(server, alice)
    clock.advance(14 * dayMs - 1)
    await deleteExpiredSessions.run(server.app.platform, null, {} as never)
    expect((await rows()).map((row) => row.id)).toContain(id)
    clock.advance(1)
    await deleteExpiredSessions.run(server.app.platform, null, {} as never)
    expect(await rows()).toEqual([])
  })
})

describe('a session ends at once', () => {
  test('when its browser signs out', async () => {
    const { token } = await makeSession(server, alice)
    await endSession(server.app.platform, 'unknown')
    expect(await found(token)).not.toBeNull()
    await endSession(server.app.platform, token)
    expect(await found(token)).toBeNull()
  })

  test.each(['block', 'ban', 'deactivate'])('with its user: %s', async (action) => {
    const user = await server.user(`user_${action}`)
    const { token } = await makeSession(server, user)
    await server.app.platform.database.write((tx) =>
      tx.updateTable('users').set({ last_activity_on: null }).where('id', '=', user.id).execute(),
    )
    expect((await server.root.post(`/users/${user.id}/${action}`)).status).toBe(201)
    expect(await found(token)).toBeNull()
    const back = { block: 'unblock', ban: 'unban', deactivate: 'activate' }[action]
    expect((await server.root.post(`/users/${user.id}/${back}`)).status).toBe(201)
    expect(await found(token), 'it does not begin again').toBeNull()
  })

  test('with its user, removed or in another state that may not sign in', async () => {
    const user = await server.user('leaving')
    const { token } = await makeSession(server, user)
    const { database } = server.app.platform
    const set = (changes: object) =>
      database.write((tx) => tx.updateTable('users').set(changes).where('id', '=', user.id).execute())
    await set({ state: 'blocked_pending_approval' })
    expect(await found(token)).toBeNull()
    await set({ state: 'active' })
    expect(await found(token)).not.toBeNull()
    expect((await server.root.delete(`/users/${user.id}`)).status).toBe(204)
    expect(await found(token)).toBeNull()
    expect((await rows()).filter(({ user_id }) => user_id === user.id)).toEqual([])
  })

  test('when the password changes, but for the one that changes it', async () => {
    const { platform } = server.app
    const [one, two] = [await makeSession(server, { id: 1 }), await makeSession(server, { id: 1 })]
    const { token } = await makeSession(server, bob)
    const { actor } = (await found(one.token)) ?? {}
    if (!actor) throw new Error('no session')
    await changeUser(platform, bob.id, { password: 'korrekt-horse-9' }, actor)
    expect(await found(token)).toBeNull()
    expect(await found(two.token)).not.toBeNull()
    await changeUser(platform, 1, { password: 'korrekt-horse-9' }, actor)
    expect([await found(one.token), await found(two.token)]).toEqual([expect.anything(), null])
    await setPassword(platform.database, 'root', 'korrekt-horse-10', clock.now().toISOString(), deleteSessionsOf)
    expect(await found(one.token)).toBeNull()
  })
})

describe('the sessions of the caller', () => {
  test('x.session_list shows those that have not expired, the newest first', async () => {
    const caller = await server.user('caller')
    await makeSession(server, caller)
    clock.advance(14 * dayMs)
    const [first, second] = [await makeSession(server, caller), await makeSession(server, caller)]
    await makeSession(server, bob)
    const { status, body, headers } = await caller.get('/user/sessions')
    const { id, created_at, last_used_at, expires_at } = first
    const shown = { ip: browser.ip, user_agent: browser.userAgent, current: false }
    expect([status, body.length, body[0].id]).toEqual([200, 2, second.id])
    expect(body[1]).toEqual({ id, created_at, last_used_at, expires_at, ...shown })
    expect(headers.get('x-total')).toBe('2')
    expect((await caller.get('/user/sessions?per_page=1&page=2')).body).toEqual([body[1]])
  })

  test('x.session_delete ends one of them', async () => {
    const { token, id } = await makeSession(server, alice)
    const path = `/user/sessions/${id}`
    const missing = { status: 404, body: { message: '404 Session Not Found' } }
    expect(await bob.delete(path)).toMatchObject(missing)
    const stale = { headers: { 'If-Unmodified-Since': 'Thu, 01 Jan 2026 00:00:00 GMT' } }
    expect((await alice.delete(path, stale)).status).toBe(412)
    expect(await found(token)).not.toBeNull()
    expect((await alice.delete(path)).status).toBe(204)
    expect(await found(token)).toBeNull()
    expect(await alice.delete(path)).toMatchObject(missing)
  })
})
