import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../testing/index.ts'
import { startMailServer } from '../../testing/mail.ts'

let server: TestServer
let owner: Person
let made = 0

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())

/** A new project or group with its list of invitations. */
async function newSource(kind: 'project' | 'group') {
  made += 1
  const fields = { name: `s${made}`, path: `s${made}`, visibility: 'public' }
  const { body } = await owner.post(`/${kind}s`, fields)
  const path = `/${kind}s/${body.id}`
  const invite = (fields: object, person: Person = owner) => person.post(`${path}/invitations`, fields)
  const listed = async (query = '') => (await owner.get(`${path}/invitations${query}`)).body
  const levelOf = async (id: number) => (await owner.get(`${path}/members/${id}`)).body.access_level
  return { path, full: body.full_path ?? body.path_with_namespace, invite, listed, levelOf }
}

const newAccount = async (username: string, email: string) =>
  (
    await server.root.post('/users', {
      username,
      email,
      name: username,
      password: 'korrekt-horse-9',
      skip_confirmation: true,
    })
  ).body

describe.each(['project', 'group'] as const)('an invitation to a %s', (kind) => {
  test('is pending until an account has the address', async () => {
    const { path, invite, listed, levelOf } = await newSource(kind)
    const address = `New.${kind}@example.com`
    const sent = await invite({ email: address, access_level: 30, expires_at: '2999-01-01' })
    expect({ status: sent.status, body: sent.body }).toEqual({ status: 201, body: { status: 'success' } })
    expect(await listed()).toEqual([
      {
        access_level: 30,
        created_at: expect.any(String),
        expires_at: '2999-01-01',
        invite_email: address,
        invite_token: expect.stringMatching(/^\S{20,}$/),
        user_name: null,
        created_by_name: 'owner person',
      },
    ])
    const user = await newAccount(`new-${kind}`, address.toLowerCase())
    expect(await levelOf(user.id)).toBe(30)
    expect(await listed()).toEqual([])
    const member = (await owner.get(`${path}/members/${user.id}`)).body
    expect(member).toMatchObject({ expires_at: '2999-01-01', created_by: { username: 'owner' } })
  })

  test('is accepted by a further address, too', async () => {
    const { invite, listed, levelOf } = await newSource(kind)
    const person = await server.user(`second-${kind}`)
    await invite({ email: `further-${kind}@example.com`, access_level: 20 })
    await person.post('/user/emails', { email: `further-${kind}@example.com` })
    expect(await levelOf(person.id)).toBe(20)
    expect(await listed()).toEqual([])
  })

  test('of a user makes the user a member at once', async () => {
    const { invite, listed, levelOf } = await newSource(kind)
    const [one, two] = [await server.user(`one-${kind}`), await server.user(`two-${kind}`)]
    const answer = await invite({ email: `ONE-${kind}@example.com`, user_id: two.id, access_level: 40 })
    expect(answer.body).toEqual({ status: 'success' })
    expect([await levelOf(one.id), await levelOf(two.id), await listed()]).toEqual([40, 40, []])
  })

  test('is refused for each address by itself', async () => {
    const { invite, listed } = await newSource(kind)
    const person = await server.user(`there-${kind}`)
    await invite({ email: 'early@example.com', access_level: 10 })
    await invite({ user_id: person.id, access_level: 10 })
    const email = `good@example.com,a@b@c,EARLY@example.com,there-${kind}@example.com`
    const answer = await invite({ email, user_id: '99999999', access_level: 20 })
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 201,
      body: {
        status: 'error',
        message: {
          '99999999': 'User Not Found',
          'a@b@c': 'Invite email is invalid',
          'EARLY@example.com': 'Invite email has already been taken',
          [`there-${kind}@example.com`]: 'Member already exists',
        },
      },
    })
    expect((await listed()).map((row: { invite_email: string }) => row.invite_email)).toEqual([
      'early@example.com',
      'good@example.com',
    ])
    expect(await listed('?query=GOO')).toHaveLength(1)
    const wrong = await invite({ email: 'level@example.com', access_level: 33 })
    expect(wrong.body.message).toEqual({ 'level@example.com': 'Access level is not included in the list' })
    const past = await invite({ email: 'past@example.com', access_level: 10, expires_at: '2001-01-01' })
    expect(past.body.message).toEqual({ 'past@example.com': 'Expires at cannot be a date in the past' })
  })

  test('is changed and withdrawn', async () => {
    const { path, invite, listed } = await newSource(kind)
    await invite({ email: 'c+d/e@example.com', access_level: 10, expires_at: '2999-01-01' })
    const at = `${path}/invitations/${encodeURIComponent('C+D/e@example.com')}`
    expect((await owner.put(at, { access_level: 30 })).body).toEqual({ expires_at: '2999-01-01', access_level: 30 })
    expect((await owner.put(at, { expires_at: null })).body).toEqual({ expires_at: null, access_level: 30 })
    expect((await owner.put(at, { expires_at: '2999-01-01' })).body.expires_at).toBe('2999-01-01')
    expect((await owner.put(at, { expires_at: '' })).body).toEqual({ expires_at: null, access_level: 30 })
    expect((await owner.put(at, { access_level: 31 })).body.message).toEqual({
      access_level: ['is not included in the list'],
    })
    const all = await listed()
    expect(all).toMatchObject([{ access_level: 30, expires_at: null }])
    expect((await owner.get(at)).body).toEqual(all[0])
    expect((await server.anonymous.get(at)).status).toBe(401)
    expect((await owner.delete(at)).status).toBe(204)
    const repeated = [await owner.delete(at), await owner.put(at, { access_level: 20 }), await owner.get(at)]
    for (const answer of repeated) {
      expect(answer).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    }
  })

  test('of one address by two callers at once is one invitation', async () => {
    const { invite, listed } = await newSource(kind)
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => invite({ email: 'twice@example.com', access_level: 10 })),
    )
    expect(answers.filter(({ body }) => body.status === 'success')).toHaveLength(1)
    expect(await listed()).toHaveLength(1)
  })

  test('is listed with as many queries for many as for one', async () => {
    const { path, invite } = await newSource(kind)
    const queries = () => queriesOf(server, () => owner.get(`${path}/invitations`))
    await invite({ email: 'q0@example.com', access_level: 10 })
    const forOne = await queries()
    await invite({ email: Array.from({ length: 15 }, (_, n) => `q${n}@example.com`), access_level: 10 })
    expect(await queries()).toBe(forOne)
  })

  test.each([
    [{ access_level: 10 }, 'email, user_id are missing, at least one parameter must be provided'],
    [{ email: 'a@example.com' }, 'access_level is missing'],
    [{ email: 'a@example.com', access_level: 'x' }, 'access_level is invalid'],
    [{ email: { a: 1 }, access_level: 10 }, 'email is invalid'],
  ])('%j is refused', async (params, error) => {
    const { invite } = await newSource(kind)
    expect(await invite(params)).toMatchObject({ status: 400, body: { error } })
  })
})

test('a maintainer cannot invite as owner', async () => {
  const { path, invite } = await newSource('project')
  const maintainer = await server.user('maintainer')
  await owner.post(`${path}/members`, { user_id: maintainer.id, access_level: 40 })
  expect((await invite({ email: 'x@example.com', access_level: 50 }, maintainer)).status).toBe(403)
  await invite({ email: 'x@example.com', access_level: 50 })
  expect((await maintainer.put(`${path}/invitations/x@example.com`, { access_level: 10 })).status).toBe(403)
})

test('an invited address gets a mail, a user none', async () => {
  await using mails = await startMailServer()
  await using own = await startTestServer({ settings: { FENNEC_SMTP_URL: mails.url } })
  const [inviter, known] = [await own.user('inviter'), await own.user('known')]
  const { body } = await inviter.post('/groups', { name: 'Team', path: 'team' })
  const email = 'guest@example.com,known@example.com'
  await inviter.post(`/groups/${body.id}/invitations`, { email, access_level: 20 })
  await inviter.post(`/groups/${body.id}/invitations`, { email: 'guest@example.com', access_level: 20 })
  await own.app.platform.jobs.drain()
  expect(mails.received).toMatchObject([
    { to: ['guest@example.com'], headers: { subject: 'Invitation to join the group team' } },
  ])
  expect(mails.received[0]?.text).toContain(`inviter person invites you to join the group team as Reporter:`)
  expect(mails.received[0]?.text).toContain(`${own.url}/groups/team`)
  expect((await inviter.get(`/groups/${body.id}/members/${known.id}`)).body.access_level).toBe(20)
})

test('the mail of an invitation is sent again, five times in an hour', async () => {
  await using mails = await startMailServer()
  await using own = await startTestServer({ settings: { FENNEC_SMTP_URL: mails.url } })
  const [inviter, maintainer] = [await own.user('inviter'), await own.user('maintainer')]
  const { body } = await inviter.post('/projects', { name: 'app', path: 'app' })
  const path = `/projects/${body.id}/invitations`
  await inviter.post(`/projects/${body.id}/members`, { user_id: maintainer.id, access_level: 40 })
  await inviter.post(path, { email: 'Guest@example.com', access_level: 50 })
  const again = (person: Person, email = 'guest%40example.com') => person.post(`${path}/${email}/resend`)
  expect((await again(maintainer)).status).toBe(403)
  expect(await again(inviter, 'nobody@example.com')).toMatchObject({ status: 404, body: { message: '404 Not found' } })
  const statuses = await Promise.all(Array.from({ length: 6 }, async () => (await again(inviter)).status))
  expect(statuses.toSorted()).toEqual([204, 204, 204, 204, 204, 429])
  await own.app.platform.jobs.drain()
  const [first, ...others] = mails.received
  expect(others).toHaveLength(5)
  for (const { to, text } of others) expect([to, text]).toEqual([first?.to, first?.text])
})

test('the mail of an invitation is not sent again without a mail server', async () => {
  const { path, invite } = await newSource('group')
  await invite({ email: 'x@example.com', access_level: 10 })
  const answer = await owner.post(`${path}/invitations/x@example.com/resend`)
  expect(answer).toMatchObject({ status: 400, body: { message: '400 Bad request - This server sends no mails' } })
})
