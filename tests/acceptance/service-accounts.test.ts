import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayAfter } from '../../src/api/index.ts'
import { newAccount, type PlaceOfAccounts, placeOfAccounts } from '../../src/modules/service-accounts/testing.ts'
import {
  git,
  httpUrl,
  makeHistory,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../src/testing/index.ts'

/** The acceptance walk of service accounts (contract 12); the numbers are the walk's. */
let server: TestServer
let place: PlaceOfAccounts
beforeAll(async () => {
  server = await startTestServer()
  place = await placeOfAccounts(server, 'corp')
})
afterAll(() => server.stop())

const today = (days: number) => dayAfter(server.app.platform.clock.now(), days)
const statusAs = async (token: string) => (await server.as(token).get('/user')).status

test('service accounts', async () => {
  const { owner, maintainer, group, subgroup, project, accounts } = place
  // 1.
  expect((await maintainer.post(accounts)).status).toBe(403)
  expect((await server.anonymous.post(accounts)).status).toBe(401)
  const unnamed = await newAccount(place)
  expect(unnamed.name).toBe('Service account user')
  expect(unnamed.username).toMatch(new RegExp(`^service_account_group_${group.id}_[0-9a-f]{32}$`))
  // 2.
  const bot = await newAccount(place, { name: 'Bot', username: 'ci-bot' })
  const again = await owner.post(accounts, { name: 'Bot', username: 'ci-bot' })
  expect([again.status, again.body.message]).toEqual([400, '400 Bad request - Username has already been taken'])
  expect((await owner.post(`/groups/${subgroup.id}/service_accounts`)).body.message).toBe(
    '400 Bad request - User does not have permission to create a service account in this group.',
  )
  // 3.
  expect((await owner.get(`${accounts}?order_by=username&sort=asc`)).body).toEqual([bot, unnamed])
  expect((await owner.get(accounts)).body).toEqual([bot, unnamed])
  expect((await owner.get(`${accounts}?order_by=name`)).status).toBe(400)
  // 4.
  const tokens = `${accounts}/${bot.id}/personal_access_tokens`
  const create = (wanted: object) => owner.post(tokens, { name: 'ci', ...wanted })
  expect((await owner.post(tokens, {})).body.error).toBe('name is missing, scopes is missing')
  expect((await create({ scopes: ['nope'] })).status).toBe(400)
  expect((await create({ scopes: ['sudo'] })).status).toBe(422)
  const first = await create({ scopes: ['api'] })
  expect([first.status, first.body.expires_at]).toEqual([201, dayAfter(new Date(first.body.created_at), 365)])
  // 5.
  const asBot = server.as(first.body.token)
  expect((await asBot.get(`/projects/${project.id}`)).status).toBe(404)
  const admitted = await owner.post(`/projects/${project.id}/members`, { user_id: bot.id, access_level: 40 })
  expect(admitted.status).toBe(201)
  expect((await asBot.get(`/projects/${project.id}`)).status).toBe(200)
  await using folder = await temporaryDirectory()
  await makeHistory(folder.path, ['one'])
  const url = httpUrl(server, { username: bot.username, token: first.body.token }, 'corp/demo')
  expect((await git(folder.path, 'push', url, 'HEAD:refs/heads/main')).code).toBe(0)
  // 6.
  const second = await create({ scopes: ['api'] })
  const rotated = await owner.post(`${tokens}/${first.body.id}/rotate`)
  expect(rotated).toMatchObject({ status: 200, body: { expires_at: today(7) } })
  for (const { body } of [first, second]) expect(await statusAs(body.token)).toBe(401)
  const twice = await owner.post(`${tokens}/${first.body.id}/rotate`)
  expect([twice.status, twice.body.message]).toEqual([400, '400 Bad request - Token already revoked'])
  // 7.
  const active = await owner.get(`${tokens}?state=active`)
  expect(active.body.map(({ id }: { id: number }) => id)).toEqual([rotated.body.id])
  expect(active.body[0]).not.toHaveProperty('token')
  expect((await owner.get(`${tokens}?revoked=true`)).body).toHaveLength(2)
  // 8.
  const others = `${accounts}/${unnamed.id}/personal_access_tokens`
  const unknown = await owner.delete(`${others}/${rotated.body.id}`)
  expect([unknown.status, unknown.body.message]).toEqual([404, '404 Personal Access Token Not Found'])
  expect((await owner.delete(`${tokens}/${rotated.body.id}`)).status).toBe(204)
  expect(await statusAs(rotated.body.token)).toBe(401)
  // 9.
  expect((await owner.patch(`${accounts}/${bot.id}`, { name: 'Bot 2' })).body.name).toBe('Bot 2')
  expect((await owner.patch(`${accounts}/${maintainer.id}`, {})).body.message).toBe('404 User Not Found')
  // 10.
  const { body: writing } = await create({ scopes: ['api'] })
  const issues = `/projects/${project.id}/issues`
  const { body: issue } = await server.as(writing.token).post(issues, { title: 'By a bot' })
  expect(issue.author.id).toBe(bot.id)
  expect((await owner.delete(`${accounts}/${bot.id}`)).status).toBe(204)
  await expect.poll(async () => (await owner.get(`${issues}/${issue.iid}`)).body.author.username).toBe('ghost')
  expect((await owner.get(accounts)).body).toEqual([unnamed])
  expect((await owner.delete(`${accounts}/${bot.id}`)).status).toBe(404)
  // 11.
  const owned = await server.make.group('only-its', unnamed)
  expect((await owner.delete(`${accounts}/${unnamed.id}`)).status).toBe(409)
  expect((await owner.delete(`${accounts}/${unnamed.id}?hard_delete=true`)).status).toBe(204)
  await expect.poll(async () => (await server.root.get(`/groups/${owned.id}`)).status).toBe(404)
  // 12.
  expect((await owner.post('/service_accounts')).status).toBe(403)
  const { body: clerk } = await server.root.post('/service_accounts')
  expect(clerk.username).toMatch(/^service_account_[0-9a-f]{32}$/)
  expect((await server.root.get('/service_accounts')).body).toEqual([clerk])
  expect((await server.root.patch(`/service_accounts/${clerk.id}`, { name: 'Clerk' })).body.name).toBe('Clerk')
  // 13.
  const last = await newAccount(place)
  const dated = (expires_at: string) =>
    owner.post(`${accounts}/${last.id}/personal_access_tokens`, { name: 'n', scopes: ['api'], expires_at })
  expect((await dated(today(366))).status).toBe(422)
  expect((await dated('2020-13-01')).body.error).toBe('expires_at is invalid')
})
