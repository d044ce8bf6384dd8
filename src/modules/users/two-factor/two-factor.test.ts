import { afterAll, beforeAll, expect, test } from 'vitest'
import { now } from '../../../infra/database/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { enableTwoFactor } from './store.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const enable = (username: string) => {
  const { database, clock } = server.app.platform
  return database.write((tx) => enableTwoFactor(tx, username, now(clock)))
}
const refused = (status: number, message: string) => ({ status, body: { message } })

test('an administrator removes the second factors of another user, once', async () => {
  const user = await server.user('alice')
  expect([await enable('ALICE'), await enable('nobody')]).toEqual([true, false])
  expect((await server.root.get('/users?two_factor=enabled')).body).toMatchObject([{ id: user.id }])
  const path = `/users/${user.id}/disable_two_factor`
  expect(await user.patch(path)).toMatchObject(refused(403, '403 Forbidden'))
  const answers = await Promise.all([server.root.patch(path), server.root.patch(path)])
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 400])
  const none = refused(400, '400 Bad request - Two-factor authentication is not enabled for this user')
  expect(await server.root.patch(path)).toMatchObject(none)
  expect((await user.get('/user')).body.two_factor_enabled).toBe(false)
  expect((await server.root.get('/users?two_factor=enabled')).body).toEqual([])
  expect((await server.root.get('/users?two_factor=disabled')).body).toHaveLength(2)
})

test('administrators keep theirs, and the user has to exist', async () => {
  await enable('root')
  const text = 'Two-factor authentication for admins cannot be disabled via the API. Use the Rails console'
  const { root } = server
  expect(await root.patch('/users/1/disable_two_factor')).toMatchObject(refused(403, `403 Forbidden - ${text}`))
  expect(await root.patch('/users/99999/disable_two_factor')).toMatchObject(refused(404, '404 User Not Found'))
  expect((await root.patch('/users/alice/disable_two_factor')).status).toBe(404)
})
