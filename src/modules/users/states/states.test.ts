import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { BotKind, UserState } from '../tables.ts'
import type { StateAction } from './states.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())

let number = 0
async function userIn(state: UserState, botKind: BotKind | null = null): Promise<Person> {
  number += 1
  const user = await server.user(`user${number}`)
  await server.app.platform.database.write((tx) =>
    tx.updateTable('users').set({ state, bot_kind: botKind }).where('id', '=', user.id).execute(),
  )
  return user
}

const act = async (action: string, id: number | string) => {
  const { status, body } = await server.root.post(`/users/${id}/${action}`)
  return { status, body }
}
const stateOf = async (id: number) => (await server.root.get(`/users/${id}`)).body.state
const forbidden = (reason: string) => ({ status: 403, body: { message: `403 Forbidden - ${reason}` } })
const refused = (message: string) => ({ status: 403, body: { message } })
const done = (body: unknown) => ({ status: 201, body })

const cannotActivate = forbidden('A blocked user must be unblocked to be activated')
const cannotDeactivate = refused('Error occurred. A blocked user cannot be deactivated')
const notPending = { status: 409, body: { message: 'The user you are trying to approve is not pending approval' } }

/** The whole table of contract 20: action, state before, answer, state after where it is another one. */
const table: [StateAction, UserState, { status: number; body: unknown }, UserState?][] = [
  ['block', 'active', done(true), 'blocked'],
  ['block', 'deactivated', done(true), 'blocked'],
  ['block', 'blocked_pending_approval', done(true), 'blocked'],
  ['block', 'blocked', done(null)],
  ['block', 'banned', done(null)],
  ['block', 'ldap_blocked', forbidden('LDAP blocked users cannot be modified by the API')],
  ['unblock', 'blocked', done(true), 'active'],
  ['unblock', 'active', done(false)],
  ['unblock', 'banned', done(false)],
  ['unblock', 'blocked_pending_approval', done(false)],
  ['unblock', 'deactivated', forbidden('Deactivated users cannot be unblocked by the API')],
  ['unblock', 'ldap_blocked', forbidden('LDAP blocked users cannot be unblocked by the API')],
  ['ban', 'active', done(true), 'banned'],
  ['ban', 'blocked', refused('You cannot ban blocked users.')],
  ['ban', 'banned', refused('You cannot ban banned users.')],
  ['ban', 'deactivated', refused('You cannot ban deactivated users.')],
  ['ban', 'ldap_blocked', refused('You cannot ban ldap_blocked users.')],
  ['ban', 'blocked_pending_approval', refused('You cannot ban blocked_pending_approval users.')],
  ['unban', 'banned', done(true), 'active'],
  ['unban', 'active', refused('You cannot unban active users.')],
  ['unban', 'blocked', refused('You cannot unban blocked users.')],
  ['activate', 'deactivated', done(true), 'active'],
  ['activate', 'active', done(true)],
  ['activate', 'blocked', cannotActivate],
  ['activate', 'banned', cannotActivate],
  ['activate', 'ldap_blocked', cannotActivate],
  ['activate', 'blocked_pending_approval', cannotActivate],
  ['deactivate', 'active', done(true), 'deactivated'],
  ['deactivate', 'deactivated', done(null)],
  ['deactivate', 'blocked', cannotDeactivate],
  ['deactivate', 'banned', cannotDeactivate],
  ['deactivate', 'ldap_blocked', cannotDeactivate],
  ['approve', 'blocked_pending_approval', done({ message: 'Success' }), 'active'],
  ['approve', 'active', notPending],
  ['approve', 'blocked', notPending],
]

describe('the state of an account', () => {
  test.each(table)('%s, when %s', async (action, before, answer, after) => {
    const user = await userIn(before)
    expect(await act(action, user.id)).toEqual(answer)
    expect(await stateOf(user.id)).toBe(after ?? before)
  })

  test.each([...new Set(table.map(([action]) => action)), 'reject'])(
    '%s requires an administrator and an existing user',
    async (action) => {
      expect(await act(action, 999_999)).toEqual({ status: 404, body: { message: '404 User Not Found' } })
      expect((await act(action, 'root')).body).toEqual({ error: '404 Not Found', message: '404 Not Found' })
      const user = await userIn('active')
      const other = await user.post(`/users/${user.id}/${action}`)
      const isWorded = action === 'approve' || action === 'reject'
      const message = isWorded ? `You are not allowed to ${action} a user` : '403 Forbidden'
      expect({ status: other.status, body: other.body }).toEqual({ status: 403, body: { message } })
    },
  )

  test('of the caller and of internal users cannot be blocked', async () => {
    expect(await act('block', 1)).toEqual(forbidden('The API initiating user cannot be blocked by the API'))
    const ghost = await userIn('active', 'ghost')
    expect(await act('block', ghost.id)).toEqual(refused('An internal user cannot be blocked'))
    expect(await act('deactivate', ghost.id)).toEqual(refused('Internal users cannot be deactivated'))
  })

  test('of the last administrator does not change', async () => {
    const answer = { status: 400, body: { message: { admin: ['cannot remove the last administrator'] } } }
    expect(await act('ban', 1)).toEqual(answer)
    expect(await stateOf(1)).toBe('active')
  })

  test('is not deactivated within ninety days of activity', async () => {
    const user = await server.user('busy')
    expect((await user.get('/user')).status).toBe(200)
    const recent = refused(
      'The user you are trying to deactivate has been active in the past 90 days and cannot be deactivated',
    )
    expect(await act('deactivate', user.id)).toEqual(recent)
    clock.advance(89 * 86_400_000)
    expect(await act('deactivate', user.id)).toEqual(recent)
    clock.advance(2 * 86_400_000)
    expect(await act('deactivate', user.id)).toEqual(done(true))
  })

  test('revokes and restores access immediately', async () => {
    const user = await server.user('victim')
    const gone = async () => {
      const { status, body } = await user.get('/user')
      return { status, body }
    }
    await act('block', user.id)
    expect(await gone()).toEqual(forbidden('Your account has been blocked.'))
    await act('unblock', user.id)
    expect((await gone()).status).toBe(200)
    await act('ban', user.id)
    expect(await gone()).toEqual(forbidden('Your account has been blocked.'))
    await act('unban', user.id)
    expect((await gone()).status).toBe(200)
  })

  test('changes once for two concurrent requests', async () => {
    const user = await userIn('active')
    const answers = await Promise.all([act('block', user.id), act('block', user.id)])
    expect(answers.map(({ body }) => String(body)).sort()).toEqual(['null', 'true'])
    const other = await userIn('active')
    const bans = await Promise.all([act('ban', other.id), act('ban', other.id)])
    expect(bans.map(({ status }) => status).sort()).toEqual([201, 403])
  })

  test('pending approval is deleted when it is rejected', async () => {
    const user = await userIn('blocked_pending_approval')
    expect(await act('reject', user.id)).toEqual({ status: 200, body: { message: 'Success' } })
    expect(await act('reject', user.id)).toEqual({ status: 404, body: { message: '404 User Not Found' } })
    const active = await userIn('active')
    expect(await act('reject', active.id)).toEqual({
      status: 409,
      body: { message: 'User does not have a pending request' },
    })
  })
})
