import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { startMailServer } from '../../../testing/mail.ts'

const clock = manualClock({ start: '2026-03-10T12:00:00.000Z' })
let mails: Awaited<ReturnType<typeof startMailServer>>
let server: TestServer

beforeAll(async () => {
  mails = await startMailServer()
  server = await startTestServer({ clock, settings: { FENNEC_SMTP_URL: mails.url } })
  await server.root.put('/application/settings', { email_confirmation_setting: 'hard' })
})
afterAll(async () => {
  await server?.stop()
  await mails?.[Symbol.asyncDispose]()
})

/** The token of the newest mail to this address. */
async function tokenFor(address: string): Promise<string> {
  await server.app.platform.jobs.drain()
  const mail = mails.received.findLast(({ to }) => to.includes(address))
  const [, token] = /\/users\/confirmation\?confirmation_token=(\S+)/.exec(mail?.text ?? '') ?? []
  return token ?? 'none'
}

async function open(token: string): Promise<[number, string]> {
  const answer = await fetch(`${server.url}/users/confirmation?confirmation_token=${encodeURIComponent(token)}`)
  return [answer.status, await answer.text()]
}

const confirmed = [200, 'Your e-mail address has been confirmed.\n']
const refused = (text: string) => [400, JSON.stringify({ message: text })]
const invalid = refused('Confirmation token is invalid')

test('a new account is confirmed by the link of a mail, once', async () => {
  const account = { email: 'ann@example.com', username: 'ann', name: 'Ann', password: 'correct horse 42' }
  const { body } = await server.root.post('/users', account)
  expect(body.confirmed_at).toBeNull()
  const token = await tokenFor('ann@example.com')
  expect(await open(token.slice(0, -8))).toEqual(invalid)
  expect(await open('')).toEqual(invalid)
  expect(await open(token)).toEqual(confirmed)
  expect((await server.root.get(`/users/${body.id}`)).body.confirmed_at).toBe('2026-03-10T12:00:00.000Z')
  expect(await open(token)).toEqual(invalid)
})

test('a changed primary address is in force when it is confirmed', async () => {
  const { id } = await server.user('bob')
  const primary = async () => (await server.root.get(`/users/${id}`)).body.email
  await server.root.put(`/users/${id}`, { email: 'new@example.com' })
  const token = await tokenFor('new@example.com')
  expect(await primary()).toBe('bob@example.com')
  await server.root.put(`/users/${id}`, { email: 'third@example.com' })
  expect(await open(token)).toEqual(invalid)
  await server.root.put(`/users/${id}`, { email: 'new@example.com' })
  const again = await tokenFor('new@example.com')
  expect(await open(again)).toEqual(confirmed)
  expect(await primary()).toBe('new@example.com')
  expect(await open(again)).toEqual(invalid)
})

test('an address that another user has meanwhile is not confirmed, nor one that was replaced without a mail', async () => {
  const [one, other] = [await server.user('carol'), await server.user('dave')]
  await server.root.put(`/users/${one.id}`, { email: 'wanted@example.com' })
  const token = await tokenFor('wanted@example.com')
  await server.root.put(`/users/${other.id}`, { email: 'wanted@example.com', skip_reconfirmation: true })
  expect(await open(token)).toEqual(invalid)
  await server.root.put(`/users/${other.id}`, { email: 'dave@example.com', skip_reconfirmation: true })
  await server.root.put(`/users/${one.id}`, { email: 'carol2@example.com', skip_reconfirmation: true })
  expect(await open(token)).toEqual(invalid)
})

test('a secondary address is confirmed, by one of two at once, and accepts its invitations', async () => {
  const [owner, person] = [await server.user('owner'), await server.user('erin')]
  const group = (await owner.post('/groups', { name: 'Team', path: 'team' })).body.id
  const added = (await person.post('/user/emails', { email: 'second@example.com' })).body
  expect(added.confirmed_at).toBeNull()
  const token = await tokenFor('second@example.com')
  await owner.post(`/groups/${group}/invitations`, { email: 'second@example.com', access_level: 30 })
  expect((await owner.get(`/groups/${group}/members/${person.id}`)).status).toBe(404)
  const answers = await Promise.all([open(token), open(token)])
  expect(answers.map(([status]) => status).toSorted()).toEqual([200, 400])
  expect((await person.get(`/user/emails/${added.id}`)).body.confirmed_at).not.toBeNull()
  expect((await owner.get(`/groups/${group}/members/${person.id}`)).body.access_level).toBe(30)
})

test('a link is accepted for three days; an address that is gone, or an account, has none', async () => {
  const person = await server.user('frank')
  const { id } = (await person.post('/user/emails', { email: 'late@example.com' })).body
  const token = await tokenFor('late@example.com')
  await person.delete(`/user/emails/${id}`)
  expect(await open(token)).toEqual(invalid)
  clock.advance(3 * 86_400_000)
  expect(await open(token)).toEqual(refused('Confirmation token has expired'))
})
