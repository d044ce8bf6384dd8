import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let alice: Person

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.user('alice')
})
afterAll(() => server.stop())

const none = { emoji: null, message: null, availability: null, message_html: '', clear_status_at: null }

test('a status is replaced, changed in part, and public', async () => {
  expect(await alice.get('/user/status')).toMatchObject({ status: 200, body: none })
  expect((await server.anonymous.get('/users/alice/status')).body).toEqual(none)
  const full = { emoji: 'coffee', message: 'a <b>break</b>', availability: 'busy', clear_status_after: '3_hours' }
  const put = await alice.put('/user/status', full)
  expect(put).toMatchObject({
    status: 200,
    body: {
      ...{ emoji: 'coffee', message: 'a <b>break</b>', availability: 'busy' },
      ...{ message_html: 'a &lt;b&gt;break&lt;/b&gt;', clear_status_at: expect.stringMatching(/Z$/) },
    },
  })
  for (const path of ['/users/ALICE/status', `/users/${alice.id}/status`]) {
    expect((await server.anonymous.get(path)).body).toEqual(put.body)
  }
  const patched = await alice.patch('/user/status', { message: 'tea' })
  expect(patched.body).toEqual({ ...put.body, message: 'tea', message_html: 'tea' })
  expect(await alice.patch('/user/status')).toMatchObject({ status: 200, body: null })
  expect((await alice.get('/user/status')).body).toEqual(patched.body)
  expect((await alice.put('/user/status', { message: 'only' })).body).toEqual({
    ...{ emoji: 'speech_balloon', message: 'only', availability: null, message_html: 'only', clear_status_at: null },
  })
  expect((await alice.patch('/user/status', { emoji: '+1' })).body).toMatchObject({
    emoji: 'thumbsup',
    message: 'only',
  })
  expect((await alice.put('/user/status', {})).body).toEqual({ ...none, emoji: 'speech_balloon' })
})

test('is refused in the words of the contract', async () => {
  const errors = async (status: object) => {
    const { status: code, body } = await alice.put('/user/status', status)
    return [code, body.error ?? body.message]
  }
  expect(await errors({ emoji: 'no such' })).toEqual([400, { emoji: ['is not a valid emoji name'] }])
  expect(await errors({ emoji: '__proto__' })).toEqual([400, { emoji: ['is not a valid emoji name'] }])
  expect(await errors({ message: 'x'.repeat(101) })).toEqual([
    400,
    { message: ['is too long (maximum is 100 characters)'] },
  ])
  expect((await alice.put('/user/status', { message: '💥'.repeat(100) })).status).toBe(200)
  expect(await errors({ availability: 'away' })).toEqual([400, 'availability does not have a valid value'])
  expect(await errors({ clear_status_after: '2_days' })).toEqual([
    400,
    'clear_status_after does not have a valid value',
  ])
  expect((await server.anonymous.get('/users/nobody/status')).body).toEqual({ message: '404 User Not Found' })
})

test('concurrent changes of different parts all count', async () => {
  await alice.put('/user/status', { emoji: 'zap' })
  await Promise.all([
    alice.patch('/user/status', { message: 'both' }),
    alice.patch('/user/status', { availability: 'busy' }),
    alice.patch('/user/status', { emoji: 'coffee' }),
  ])
  expect((await alice.get('/user/status')).body).toMatchObject({
    ...{ emoji: 'coffee', message: 'both', availability: 'busy' },
  })
})
