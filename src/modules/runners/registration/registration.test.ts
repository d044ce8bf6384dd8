import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { makeRunner, type TestRunner } from '../testing.ts'

let clock: ManualClock
let server: TestServer
let owner: Person
let runner: TestRunner
beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  server = await startTestServer({ clock })
  owner = await server.user('owner')
})
afterAll(() => server.stop())
beforeEach(async () => {
  await server.app.platform.database.write((tx) => tx.deleteFrom('runners').execute())
  runner = await makeRunner(server)
})

const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const verify = (body: object) => server.anonymous.post('/runners/verify', body)
const remove = (path: string, body: object) => server.anonymous.delete(path, { body })

describe('a runner with its token', () => {
  test('is verified, and its program becomes known', async () => {
    const { id, token } = runner
    const answer = await verify({ token, system_id: 's_one' })
    expect([answer.status, answer.body]).toEqual([200, { id, token, token_expires_at: null }])
    const managers = async () => (await server.root.get(`/runners/${id}/managers`)).body
    expect(await managers()).toMatchObject([{ system_id: 's_one', contacted_at: null, status: 'never_contacted' }])
    await verify({ token, system_id: 's_one', info: { version: '1.0', name: 'x' } })
    expect(await managers()).toMatchObject([{ system_id: 's_one', version: '1.0', status: 'online' }])
    expect((await verify({ token })).status).toBe(200)
  })

  test('is refused with another one, and after it has expired', async () => {
    for (const token of ['', 'glrt-none', owner.token, runner.token.slice(1)]) {
      expect(await verify({ token }), token).toMatchObject(forbidden)
      expect(await remove('/runners', { token }), token).toMatchObject(forbidden)
      expect(await remove('/runners/managers', { token, system_id: 'x' }), token).toMatchObject(forbidden)
      expect(await server.anonymous.post('/runners/reset_authentication_token', { token }), token).toMatchObject(
        forbidden,
      )
    }
    const missing = { status: 400, body: { error: 'token is missing', message: '400 (Bad request) "token" not given' } }
    expect(await verify({})).toMatchObject(missing)
    expect(await remove('/runners', {})).toMatchObject(missing)
    const expiry = { token_expires_at: new Date(clock.now().getTime() + 1000).toISOString() }
    await server.app.platform.database.write((tx) => tx.updateTable('runners').set(expiry).execute())
    expect((await verify({ token: runner.token })).status).toBe(200)
    clock.advance(1000)
    expect(await verify({ token: runner.token })).toMatchObject(forbidden)
  })

  test('gives up one of its programs, then itself', async () => {
    const { id, token } = runner
    await verify({ token, system_id: 's_one' })
    expect((await remove('/runners/managers', { token, system_id: 's_one' })).status).toBe(204)
    expect(await remove('/runners/managers', { token, system_id: 's_one' })).toMatchObject({
      status: 404,
      body: { message: '404 System Not Found' },
    })
    expect(await remove('/runners/managers', { token })).toMatchObject({ body: { error: 'system_id is missing' } })
    expect((await remove('/runners', { token })).status).toBe(204)
    expect((await server.root.get(`/runners/${id}`)).status).toBe(404)
    expect(await remove('/runners', { token })).toMatchObject(forbidden)
  })

  test('replaces the token once, however many ask at once', async () => {
    const { token } = runner
    const reset = () => server.anonymous.post('/runners/reset_authentication_token', { token })
    const answers = await Promise.all([reset(), reset(), reset()])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 403, 403])
    const made = answers.find(({ status }) => status === 201)?.body
    expect(Object.keys(made)).toEqual(['token', 'token_expires_at'])
    expect(await verify({ token })).toMatchObject(forbidden)
    expect((await verify({ token: made.token })).status).toBe(200)
  })
})

describe('a registration token', () => {
  const register = (body: object) => server.anonymous.post('/runners', body)

  test('registers no runner unless the instance allows it', async () => {
    expect(await register({ token: 'any' })).toMatchObject({
      status: 410,
      body: { message: '410 Gone - runner registration disallowed' },
    })
  })

  test('registers runners of its owner', async () => {
    const group = await server.make.group('above', owner)
    const project = await server.make.project('demo', owner)
    await server.root.put('/application/settings', {
      allow_runner_registration_token: true,
      runners_registration_token: 'of-the-instance',
    })
    await owner.put(`/groups/${group.id}`, { runners_token: 'of-the-group' })
    await owner.put(`/projects/${project.id}`, { runners_token: 'of-the-project' })
    const made = async (token: string) => {
      const { status, body } = await register({ token, description: 'old', tag_list: 'a, b', info: { version: '1' } })
      expect(status).toBe(201)
      expect(body.token).toMatch(/^glrt-[\w-]{20}$/)
      return (await server.root.get(`/runners/${body.id}`)).body
    }
    expect(await made('of-the-instance')).toMatchObject({
      is_shared: true,
      created_by: null,
      tag_list: ['a', 'b'],
      version: '1',
    })
    expect(await made('of-the-group')).toMatchObject({ runner_type: 'group_type', groups: [{ id: group.id }] })
    expect(await made('of-the-project')).toMatchObject({ runner_type: 'project_type', projects: [{ id: project.id }] })
    for (const token of ['', 'none', "' or 1=1", 'of-the-instance ']) {
      expect(await register({ token }), token).toMatchObject(forbidden)
    }
    expect((await register({ token: 'of-the-group', run_untagged: false })).status).toBe(400)
    const only = (registrars: string[]) =>
      server.root.put('/application/settings', { valid_runner_registrars: registrars })
    await only(['group'])
    expect(await register({ token: 'of-the-project' })).toMatchObject(forbidden)
    await made('of-the-group')
    await only([])
    expect(await register({ token: 'of-the-group' })).toMatchObject(forbidden)
    await made('of-the-instance')
    await only(['project', 'group'])
    await made('of-the-project')
    await server.root.put('/application/settings', { allow_runner_registration_token: false })
  })

  test('is replaced by its owners, and the former one registers no more runners', async () => {
    const group = await server.make.group('replacing', owner)
    const project = await server.make.project('replacing', owner)
    const settings = { allow_runner_registration_token: true, runners_registration_token: 'former-of-the-instance' }
    await server.root.put('/application/settings', settings)
    await owner.put(`/groups/${group.id}`, { runners_token: 'former-of-the-group' })
    await owner.put(`/projects/${project.id}`, { runners_token: 'former-of-the-project' })
    const places = [
      [server.root, '', 'former-of-the-instance', { runner_type: 'instance_type' }],
      [owner, `/groups/${group.id}`, 'former-of-the-group', { groups: [{ id: group.id }] }],
      [owner, `/projects/${project.id}`, 'former-of-the-project', { projects: [{ id: project.id }] }],
    ] as const
    const stranger = await server.user('stranger')
    for (const [client, place, former, expected] of places) {
      const reset = `${place}/runners/reset_registration_token`
      expect([403, 404]).toContain((await stranger.post(reset)).status)
      expect((await server.anonymous.post(reset)).status).toBe(401)
      const { status, body } = await client.post(reset)
      expect([status, body]).toEqual([201, { token: expect.stringMatching(/^GR1348941/), token_expires_at: null }])
      expect(await register({ token: former }), place).toMatchObject(forbidden)
      const made = await register({ token: body.token })
      expect((await server.root.get(`/runners/${made.body.id}`)).body, place).toMatchObject(expected)
    }
    await server.root.put('/application/settings', { allow_runner_registration_token: false })
    expect((await server.root.post('/runners/reset_registration_token')).status).toBe(201)
  })
})
