import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { signIn } from '../sign-in/sign-in.ts'

let server: TestServer
let alice: Person
let bob: Person
const password = 'correct horse 42 battery'

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.user('alice')
  bob = await server.user('bob')
})
afterAll(() => server.stop())

test('secondary addresses are added, listed and removed', async () => {
  const added = await alice.post('/user/emails', { email: 'Alice@Second.example' })
  expect(added).toMatchObject({
    status: 201,
    body: { id: expect.any(Number), email: 'Alice@Second.example', confirmed_at: expect.any(String) },
  })
  const at = `/user/emails/${added.body.id}`
  expect((await alice.get('/user/emails')).body).toEqual([added.body])
  expect((await alice.get(at)).body).toEqual(added.body)
  expect((await bob.get(at)).body).toEqual({ message: '404 Email Not Found' })
  expect((await bob.delete(at)).body).toEqual({ message: '404 Email Not Found' })
  expect((await server.root.get(`/users/${alice.id}/emails`)).body).toEqual([added.body])
  const ofUser = `/users/${alice.id}/emails/${added.body.id}`
  expect((await server.root.get(ofUser)).body).toEqual(added.body)
  expect((await alice.get(ofUser)).status).toBe(403)
  expect((await server.root.get(`/users/${bob.id}/emails/${added.body.id}`)).body).toEqual({
    message: '404 Email Not Found',
  })
  expect((await server.root.get('/users/99999999/emails/1')).body).toEqual({ message: '404 User Not Found' })
  expect((await server.root.delete(`/users/${bob.id}/emails/${added.body.id}`)).status).toBe(404)
  expect((await alice.delete(at)).status).toBe(204)
  expect((await alice.delete(at)).body).toEqual({ message: '404 Email Not Found' })
  expect((await server.root.get('/users/99999999/emails')).body).toEqual({ message: '404 User Not Found' })
})

test('an address belongs to one user, primary or secondary, in any case', async () => {
  const taken = { status: 400, body: { message: { email: ['has already been taken'] } } }
  await alice.post('/user/emails', { email: 'shared@example.com' })
  for (const email of ['SHARED@example.com', 'bob@example.com', 'ALICE@example.com']) {
    expect(await alice.post('/user/emails', { email })).toMatchObject(taken)
  }
  expect(await server.root.post(`/users/${bob.id}/emails`, { email: 'shared@Example.com' })).toMatchObject(taken)
  for (const email of ['', 'nobody', 'a@b@c', 'x '.repeat(200)]) {
    const { status, body } = await alice.post('/user/emails', { email })
    expect([status, body.message.email]).toEqual([400, [email === '' ? "can't be blank" : 'is invalid']])
  }
  expect((await alice.post('/user/emails')).body.error).toBe('email is missing')
  const wanted = { email: 'shared@example.com', username: 'dora', name: 'Dora', password }
  expect(await server.root.post('/users', wanted)).toMatchObject({
    status: 409,
    body: { message: 'Email has already been taken' },
  })
  expect((await server.root.put(`/users/${bob.id}`, { email: 'shared@example.com' })).status).toBe(409)
})

test('of concurrent requests one gets the address', async () => {
  const email = 'contested@example.com'
  const account = { email, username: 'contestant', name: 'Contestant', password }
  const rival = await server.user('rival')
  const statuses = await Promise.all([
    server.root.post('/users', account),
    alice.post('/user/emails', { email }),
    bob.post('/user/emails', { email: email.toUpperCase() }),
    server.root.put(`/users/${rival.id}`, { email }),
  ])
  expect(statuses.filter(({ status }) => status < 300)).toHaveLength(1)
  expect(statuses.every(({ status }) => [200, 201, 400, 409].includes(status))).toBe(true)
})

test('a confirmed address signs in, may be public, and becomes the primary one', async () => {
  const carol = await server.user('carol')
  await server.root.put(`/users/${carol.id}`, { password })
  await server.app.platform.database.write((tx) =>
    tx.updateTable('users').set({ password_expired: false }).where('id', '=', carol.id).execute(),
  )
  await server.root.put('/application/settings', { email_confirmation_setting: 'hard' })
  const own = await carol.post('/user/emails', { email: 'unconfirmed@example.com' })
  expect(own.body.confirmed_at).toBeNull()
  const add = (email: string) => server.root.post(`/users/${carol.id}/emails`, { email, skip_confirmation: true })
  const confirmed = (await add('confirmed@example.com')).body
  expect(confirmed.confirmed_at).toEqual(expect.any(String))
  const { platform } = server.app
  expect((await signIn(platform, 'Confirmed@example.com', password))?.id).toBe(carol.id)
  expect(await signIn(platform, 'unconfirmed@example.com', password)).toBeNull()
  const put = (changes: object) => server.root.put(`/users/${carol.id}`, changes)
  expect((await put({ public_email: 'unconfirmed@example.com' })).body.message).toEqual({
    public_email: ['is not an email you own'],
  })
  const both = { public_email: 'confirmed@example.com', commit_email: 'confirmed@example.com' }
  expect((await put(both)).body).toMatchObject(both)
  await carol.delete(`/user/emails/${confirmed.id}`)
  expect((await carol.get('/user')).body).toMatchObject({ public_email: null, commit_email: 'carol@example.com' })
  await add('promoted@example.com')
  expect((await put({ email: 'promoted@example.com', skip_reconfirmation: true })).body.email).toBe(
    'promoted@example.com',
  )
  expect((await carol.get('/user/emails')).body.map(({ email }: { email: string }) => email)).toEqual([
    'unconfirmed@example.com',
  ])
  await server.root.put('/application/settings', { email_confirmation_setting: 'off' })
})

test('the addresses of a removed user are free', async () => {
  const gone = await server.user('gone')
  await gone.post('/user/emails', { email: 'free@example.com' })
  await server.root.delete(`/users/${gone.id}`)
  expect((await alice.post('/user/emails', { email: 'free@example.com' })).status).toBe(201)
})
