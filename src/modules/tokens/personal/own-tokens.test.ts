import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Actor, allScopes } from '../../../api/index.ts'
import { manualClock } from '../../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { latest, start, today } from '../testing.ts'
import { createOwnToken, ownTokenChoices } from './own-tokens.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock: manualClock({ start }) })
})
afterAll(() => server.stop())

const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }

test('a program makes own tokens of few scopes, which expire today by default', async () => {
  const user = await server.user('own_maker')
  const path = '/user/personal_access_tokens'
  const made = await user.post(path, { name: 'a', scopes: ['self_rotate'], expires_at: '2026-05-01' })
  expect(made).toMatchObject({ status: 201, body: { user_id: user.id, expires_at: '2026-05-01', active: true } })
  const brief = await user.post(path, { name: 'a', scopes: 'k8s_proxy' })
  expect(brief).toMatchObject({ status: 201, body: { expires_at: today, active: false } })
  expect(await user.post(path, { name: 'a', scopes: ['api'] })).toMatchObject({
    status: 400,
    body: { error: 'scopes does not have a valid value' },
  })
  expect(await server.anonymous.post(path, { name: 'a', scopes: ['k8s_proxy'] })).toMatchObject(unauthorized)
  for (const scopes of [['read_user'], ['k8s_proxy', 'api'], ['none']]) {
    const refused = { status: 400, body: { error: 'scopes does not have a valid value' } }
    expect(await server.root.post(path, { name: 'a', scopes }), 'of administrators, too').toMatchObject(refused)
  }
  const { body } = await server.root.get(`${path}/choices`)
  expect(body).toEqual({
    expires_at: today,
    scopes: ['k8s_proxy', 'self_rotate'].map((name) => ({ name, description: expect.stringMatching(/\w/) })),
  })
  expect(await server.anonymous.get(`${path}/choices`)).toMatchObject(unauthorized)
})

test('a person in a browser gives every scope that they may have, until the last day by default', async () => {
  const { platform } = server.app
  const user = await server.user('in_browser')
  const actorOf = (userId: number, administrator: boolean): Actor => ({
    ...{ kind: 'user', userId, username: 'any', administrator, external: false, bot: false, hasMemberRoles: true },
    credential: { kind: 'session', id: 1, scopes: new Set() },
  })
  const [person, root] = [actorOf(user.id, false), actorOf(1, true)]
  const namesOf = async (actor: Actor) => (await ownTokenChoices(platform, actor)).scopes.map(({ name }) => name)
  const ofPerson = await namesOf(person)
  expect(ofPerson).toEqual(expect.arrayContaining(['api', 'read_user', 'write_repository', 'self_rotate']))
  const ofRegistry = (name: string) => /^(read|write)_registry$/.test(name)
  const ofAdministrators = ['sudo', 'admin_mode']
  const known = allScopes.filter((name) => platform.config.registryEnabled || !ofRegistry(name))
  expect(ofPerson).toEqual(known.filter((name) => !ofAdministrators.includes(name)))
  expect(await namesOf(root)).toEqual(known)
  const made = await createOwnToken(platform, person, { name: 'a', scopes: ofPerson })
  expect(made).toMatchObject({ user_id: user.id, scopes: ofPerson, expires_at: latest, active: true })
  expect((await ownTokenChoices(platform, person)).expires_at).toBe(latest)
  expect((await server.as(made.token).get('/user')).body.id).toBe(user.id)
  for (const scope of ofAdministrators) {
    const wanted = { name: 'a', scopes: [scope] }
    await expect(createOwnToken(platform, person, wanted)).rejects.toMatchObject({ status: 400 })
    expect(await createOwnToken(platform, root, wanted)).toMatchObject({ user_id: 1, scopes: [scope] })
  }
  await server.root.put('/application/settings', { max_personal_access_token_lifetime: 30 })
  expect((await createOwnToken(platform, person, { name: 'a', scopes: ['api'] })).expires_at).toBe('2026-04-03')
  await server.root.put('/application/settings', {
    ...{ max_personal_access_token_lifetime: null, require_personal_access_token_expiry: false },
  })
  expect((await createOwnToken(platform, person, { name: 'a', scopes: ['api'] })).expires_at).toBeNull()
  await server.root.put('/application/settings', { require_personal_access_token_expiry: true })
})
