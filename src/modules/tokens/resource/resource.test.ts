import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import {
  git,
  makeHistory,
  queriesOf,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../../testing/index.ts'
import { botOf, placeOfTokens, robotToken, start } from '../testing.ts'

const clock = manualClock({ start })

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())

const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }
const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const refused = (reason: string) => ({ status: 400, body: { message: `400 Bad request - ${reason}` } })

describe('a project access token', () => {
  test('acts as a bot that is a member of the project', async () => {
    const { maintainer, project, projectPath } = await placeOfTokens(server, 'acting')
    const made = await maintainer.post(projectPath, { ...robotToken, description: 'for CI', expires_at: '2026-05-01' })
    expect(made.status).toBe(201)
    expect(Object.entries(made.body)).toEqual([
      ['id', expect.any(Number)],
      ['name', 'robot'],
      ['revoked', false],
      ['created_at', start],
      ['description', 'for CI'],
      ['scopes', ['api']],
      ['user_id', expect.any(Number)],
      ['last_used_at', null],
      ['active', true],
      ['expires_at', '2026-05-01'],
      ['access_level', 30],
      ['token', expect.stringMatching(/^glpat-[\w-]{20}$/)],
    ])
    const { user, members } = await botOf(server, made.body.user_id)
    expect(user).toMatchObject({
      username: expect.stringMatching(new RegExp(`^project_${project.id}_bot_[0-9a-f]{32}$`)),
      email: `${user.username}@noreply.127.0.0.1`,
      name: 'robot',
      bot_kind: 'project_bot',
      state: 'active',
      created_by_id: maintainer.id,
      is_admin: false,
    })
    expect(members).toMatchObject([{ project_id: project.id, access_level: 30, expires_at: '2026-05-01' }])
    const bot = server.as(made.body.token)
    expect(await bot.get('/personal_access_tokens/self')).toMatchObject({ status: 200, body: { id: made.body.id } })
    expect((await bot.get(`/projects/${project.id}/deploy_tokens`)).status).toBe(403)
  })

  test('reads and pushes by git within its role, in its project only', async () => {
    const { maintainer, project, projectPath } = await placeOfTokens(server, 'pushing')
    const elsewhere = await placeOfTokens(server, 'pushing_elsewhere')
    const made = await maintainer.post(projectPath, { ...robotToken, scopes: ['write_repository'] })
    await using folder = await temporaryDirectory()
    await makeHistory(folder.path, ['one'])
    const address = (path: string) => `${server.url.replace('http://', `http://x:${made.body.token}@`)}/${path}.git`
    const owned = `${server.url.replace('http://', `http://x:${maintainer.token}@`)}/${project.full_path}.git`
    expect(await git(folder.path, 'push', owned, 'main')).toMatchObject({ code: 0 })
    expect(await git(folder.path, 'push', address(project.full_path), 'main')).toMatchObject({ code: 0 })
    expect((await git(folder.path, 'push', address(project.full_path), 'main:topic')).code).toBe(0)
    expect((await git(folder.path, 'ls-remote', address(elsewhere.project.full_path))).code).not.toBe(0)
    const other = await server.as(made.body.token).get(`/projects/${elsewhere.project.id}/deploy_tokens`)
    expect(other.status).toBe(403)
    await maintainer.delete(`${projectPath}/${made.body.id}`)
    expect((await git(folder.path, 'ls-remote', address(project.full_path))).code).not.toBe(0)
  })

  test('has the level of a maintainer and the latest expiry day by default', async () => {
    const { maintainer, projectPath } = await placeOfTokens(server, 'defaults')
    const made = await maintainer.post(projectPath, { name: 'a', scopes: 'read_api,self_rotate' })
    expect(made.body).toMatchObject({ access_level: 40, expires_at: '2027-03-04', scopes: ['read_api', 'self_rotate'] })
    const today = await maintainer.post(projectPath, { ...robotToken, expires_at: '2026-03-04' })
    expect(today).toMatchObject({ status: 201, body: { active: false, expires_at: '2026-03-04' } })
    await server.root.put('/application/settings', { require_personal_access_token_expiry: false })
    const eternal = await maintainer.post(projectPath, robotToken)
    expect(eternal).toMatchObject({ status: 201, body: { active: true, expires_at: null } })
    expect((await botOf(server, eternal.body.user_id)).members).toMatchObject([{ expires_at: null }])
    await server.root.put('/application/settings', { require_personal_access_token_expiry: true })
  })

  test('is validated when it is created', async () => {
    const { maintainer, projectPath } = await placeOfTokens(server, 'ruling')
    const invalid = 'does not have a valid value'
    const above = "Access level of the token can't be greater the access level of the user who created the token"
    const cases: [changes: object, body: object][] = [
      [{ name: undefined, scopes: undefined }, { error: 'name is missing, scopes is missing' }],
      [{ scopes: ['sudo'] }, { error: `scopes ${invalid}` }],
      [{ scopes: ['api', 'read_user'] }, { error: `scopes ${invalid}` }],
      [{ access_level: 60 }, { error: `access_level ${invalid}` }],
      [{ access_level: 35 }, { error: `access_level ${invalid}` }],
      [{ access_level: 'high' }, { error: 'access_level is invalid' }],
      [{ access_level: 50 }, { message: `400 Bad request - ${above}` }],
      [{ expires_at: '2027-03-05' }, { message: '400 Bad request - Expiration date must be before 2027-03-04' }],
      [{ expires_at: 'x' }, { error: 'expires_at is invalid' }],
      [{ scopes: [] }, { message: "400 Bad request - Scopes can't be blank" }],
      [{ name: ' ' }, { message: "400 Bad request - Name can't be blank" }],
      [{ name: 'x'.repeat(256) }, { message: '400 Bad request - Name is too long (maximum is 255 characters)' }],
      [{ name: '\u0000' }, { error: 'name is invalid' }],
    ]
    for (const [changes, body] of cases) {
      const answer = await maintainer.post(projectPath, { ...robotToken, ...changes })
      expect(answer, JSON.stringify(changes)).toMatchObject({ status: 400, body })
    }
    expect((await maintainer.get(projectPath)).body).toEqual([])
  })

  test('is available to maintainers, and not created by bots', async () => {
    const { owner, maintainer, developer, project, projectPath } = await placeOfTokens(server, 'roles')
    const { id } = (await maintainer.post(projectPath, robotToken)).body
    const mayNot = refused('User does not have permission to create project access token')
    expect(await developer.get(projectPath)).toMatchObject(unauthorized)
    expect(await developer.post(projectPath, robotToken)).toMatchObject(mayNot)
    expect(await developer.get(`${projectPath}/${id}`)).toMatchObject(forbidden)
    expect(await developer.post(`${projectPath}/${id}/rotate`)).toMatchObject(forbidden)
    expect(await developer.delete(`${projectPath}/${id}`)).toMatchObject(forbidden)
    const outsider = await server.user('roles_outsider')
    const missing = { status: 404, body: { message: '404 Project Not Found' } }
    expect(await outsider.get(projectPath)).toMatchObject(missing)
    expect(await outsider.post(projectPath, robotToken)).toMatchObject(missing)
    expect(await server.anonymous.get(projectPath)).toMatchObject(unauthorized)
    expect(await server.anonymous.post(projectPath, robotToken)).toMatchObject(unauthorized)
    const robot = server.as((await owner.post(projectPath, { ...robotToken, access_level: 50 })).body.token)
    expect((await robot.get(projectPath)).status).toBe(200)
    expect(await robot.post(projectPath, robotToken)).toMatchObject(mayNot)
    const reader = server.as(await server.make.token(maintainer, ['read_api']))
    expect(await reader.post(projectPath, robotToken)).toMatchObject({ status: 403, body: { scope: 'api' } })
    const path = `/projects/${encodeURIComponent(project.full_path)}/access_tokens/${id}`
    expect(await maintainer.get(path)).toMatchObject({ status: 200, body: { id, access_level: 30 } })
  })

  test('is listed and found in its own project only', async () => {
    const { maintainer, owner, projectPath, groupPath } = await placeOfTokens(server, 'listing')
    const elsewhere = await placeOfTokens(server, 'listing_elsewhere')
    const make = async (name: string) => (await maintainer.post(projectPath, { ...robotToken, name })).body.id as number
    const first = await make('first')
    const second = await make('second')
    await maintainer.delete(`${projectPath}/${first}`)
    const foreign = (await elsewhere.maintainer.post(elsewhere.projectPath, robotToken)).body.id
    const ofGroup = (await owner.post(groupPath, robotToken)).body.id
    const list = async (query: string) => (await maintainer.get(`${projectPath}${query}`)).body
    expect(await list('')).toMatchObject([
      { id: second, active: true, access_level: 30 },
      { id: first, active: false, revoked: true, access_level: 30 },
    ])
    expect((await list(''))[0]).not.toHaveProperty('token')
    expect(await list('?state=inactive&search=FIR')).toMatchObject([{ id: first }])
    expect(await list('?sort=name_asc&per_page=1')).toMatchObject([{ id: first }])
    const missing = { status: 404, body: { message: '404 project Access Token Not Found' } }
    for (const id of [foreign, ofGroup, 999999, '9007199254740993']) {
      expect(await maintainer.get(`${projectPath}/${id}`)).toMatchObject(missing)
      expect(await maintainer.delete(`${projectPath}/${id}`)).toMatchObject(missing)
      expect(await maintainer.post(`${projectPath}/${id}/rotate`)).toMatchObject(unauthorized)
      const asRoot = await server.root.post(`${projectPath}/${id}/rotate`)
      expect(asRoot).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
    }
    expect(await maintainer.get(`${projectPath}/abc`)).toMatchObject({ status: 404, body: { error: '404 Not Found' } })
  })

  test('ends the membership of its bot when it is revoked', async () => {
    const { maintainer, projectPath } = await placeOfTokens(server, 'revoking')
    const made = (await maintainer.post(projectPath, robotToken)).body
    const stale = { headers: { 'If-Unmodified-Since': 'Tue, 04 Mar 2025 05:06:07 GMT' } }
    expect((await maintainer.delete(`${projectPath}/${made.id}`, stale)).status).toBe(412)
    expect(await maintainer.delete(`${projectPath}/${made.id}`)).toMatchObject({ status: 204, body: '' })
    expect(await botOf(server, made.user_id)).toMatchObject({ user: { state: 'blocked' }, members: [] })
    expect(await server.as(made.token).get('/version')).toMatchObject({
      status: 401,
      body: { error_description: 'Token was revoked. You have to re-authorize from the user.' },
    })
    expect((await maintainer.get(`${projectPath}/${made.id}`)).body).toMatchObject({ revoked: true, access_level: 30 })
    expect((await maintainer.delete(`${projectPath}/${made.id}`)).status).toBe(204)
  })

  test('may revoke itself', async () => {
    const { maintainer, projectPath } = await placeOfTokens(server, 'ending')
    const made = (await maintainer.post(projectPath, { ...robotToken, scopes: ['read_registry'] })).body
    expect((await server.as(made.token).delete('/personal_access_tokens/self')).status).toBe(204)
    expect(await botOf(server, made.user_id)).toMatchObject({ user: { state: 'blocked' }, members: [] })
  })

  test('takes the same number of queries in a list of twenty as of two', async () => {
    const { maintainer, projectPath } = await placeOfTokens(server, 'counting')
    const cost = () =>
      queriesOf(server, async () => {
        expect((await maintainer.get(projectPath)).status).toBe(200)
      })
    for (let count = 0; count < 2; count += 1) await maintainer.post(projectPath, robotToken)
    const few = await cost()
    for (let count = 0; count < 18; count += 1) await maintainer.post(projectPath, robotToken)
    expect(await cost()).toBe(few)
  })
})

describe('a group access token', () => {
  test('has access to the projects of the group, is created by owners, and ends with its bot', async () => {
    const { owner, maintainer, group, project, groupPath, projectPath } = await placeOfTokens(server, 'grouped')
    const made = await owner.post(groupPath, { ...robotToken, access_level: 50 })
    expect(made).toMatchObject({ status: 201, body: { access_level: 50, expires_at: '2027-03-04' } })
    const { user, members } = await botOf(server, made.body.user_id)
    expect(user.username).toMatch(new RegExp(`^group_${group.id}_bot_[0-9a-f]{32}$`))
    expect(user.bot_kind).toBe('group_bot')
    expect(members).toMatchObject([{ namespace_id: group.id, access_level: 50 }])
    const robot = server.as(made.body.token)
    expect((await robot.get(`/projects/${project.id}/deploy_tokens`)).status).toBe(200)
    const mayNot = (noun: string) => refused(`User does not have permission to create ${noun} access token`)
    expect(await robot.post(groupPath, robotToken)).toMatchObject(mayNot('group'))
    expect(await robot.post(projectPath, robotToken)).toMatchObject(mayNot('project'))
    await server.make.member({ namespace: group }, maintainer, 40)
    expect(await maintainer.get(groupPath)).toMatchObject(unauthorized)
    expect(await maintainer.post(groupPath, robotToken)).toMatchObject(mayNot('group'))
    expect(await maintainer.delete(`${groupPath}/${made.body.id}`)).toMatchObject(forbidden)
    expect((await owner.get(groupPath)).body).toMatchObject([{ id: made.body.id, access_level: 50 }])
    const rotated = await robot.post(`${groupPath}/self/rotate`, { expires_at: '2026-04-01' })
    expect(rotated).toMatchObject({ status: 200, body: { expires_at: '2026-04-01', access_level: 50 } })
    const next = await owner.post(`${groupPath}/${rotated.body.id}/rotate`)
    expect(next.status).toBe(200)
    const missing = { status: 404, body: { message: '404 group Access Token Not Found' } }
    expect(await owner.get(`${groupPath}/999999`)).toMatchObject(missing)
    expect(await owner.delete(`${groupPath}/999999`)).toMatchObject(missing)
    expect((await owner.delete(`${groupPath}/${next.body.id}`)).status).toBe(204)
    expect(await botOf(server, made.body.user_id)).toMatchObject({ user: { state: 'blocked' }, members: [] })
    expect((await server.as(next.body.token).get('/version')).status).toBe(401)
  })

  test('of a subgroup is visible in that subgroup only', async () => {
    const { owner, group, groupPath } = await placeOfTokens(server, 'nested')
    const below = await server.make.group('below', owner, { parent: group })
    const made = await owner.post(`/groups/${below.id}/access_tokens`, robotToken)
    expect(made.status).toBe(201)
    expect((await owner.get(groupPath)).body).toEqual([])
    expect((await owner.get(`${groupPath}/${made.body.id}`)).status).toBe(404)
  })
})
