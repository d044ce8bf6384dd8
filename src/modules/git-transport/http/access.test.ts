import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { hashToken } from '../../../infra/secrets/index.ts'
import { type Person, startTestServer } from '../../../testing/index.ts'
import {
  type Asked,
  address,
  ask,
  fetching,
  guest,
  notFound,
  outsider,
  owner,
  pushed,
  pushing,
  reporter,
  serveForTests,
  server,
} from './testing.ts'

serveForTests()

describe('access rights', () => {
  test('of a private project depend on the role', async () => {
    await pushed('closed')
    expect((await fetching('owner/closed', reporter)).status).toBe(200)
    expect(await fetching('owner/closed', guest)).toMatchObject({
      status: 403,
      body: 'You are not allowed to download code from this project.',
    })
    expect(await pushing('owner/closed', guest)).toMatchObject({
      status: 403,
      body: 'You are not allowed to download code from this project.',
    })
    expect(await pushing('owner/closed', reporter)).toMatchObject({
      status: 403,
      body: 'You are not allowed to push code to this project.',
    })
    expect(await fetching('owner/closed', outsider)).toMatchObject({ status: 404, body: notFound })
    expect(await fetching('owner/missing', outsider)).toMatchObject({ status: 404, body: notFound })
    for (const answer of [
      await fetching('owner/closed'),
      await fetching('owner/missing'),
      await pushing('owner/closed'),
    ]) {
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Basic realm="GitLab"')
      expect(answer.body).toMatch(/^HTTP Basic: Access denied\. If a password was provided for Git authentication/)
    }
  })

  test('of public and internal projects', async () => {
    await pushed('open', 'public')
    await pushed('inner', 'internal')
    expect((await fetching('owner/open')).status).toBe(200)
    expect((await pushing('owner/open')).status).toBe(401)
    expect((await fetching('owner/inner')).status).toBe(401)
    expect((await fetching('owner/inner', outsider)).status).toBe(200)
    expect(await pushing('owner/open', outsider)).toMatchObject({
      status: 403,
      body: 'You are not allowed to push code to this project.',
    })
  })

  test('need valid credentials of any kind', async () => {
    await pushed('credentials', 'public')
    const refused = (asked: Asked) => ask('owner/credentials', asked).then(({ status }) => status)
    expect(await refused({ user: 'owner', password: 'wrong' })).toBe(401)
    expect(await refused({ user: 'owner', password: '' })).toBe(401)
    expect(await refused({ user: '', password: owner.token })).toBe(401)
    expect(await refused({ user: 'anything', password: owner.token })).toBe(200)
    expect(await refused({ user: 'root', password: 'a long root password' })).toBe(200)
    expect(await refused({ user: 'admin@example.com', password: 'a long root password' })).toBe(200)
    for (const header of ['Basic ???', 'Basic', 'Bearer x', `Basic ${Buffer.from('no colon').toString('base64')}`]) {
      const response = await fetch(address('owner/credentials').concat('/info/refs?service=git-upload-pack'), {
        headers: { Authorization: header },
      })
      expect(response.status).toBe(401)
    }
    const dead = await server.make.token(owner, ['api'], '2020-01-01')
    expect(await refused({ user: 'owner', password: dead })).toBe(401)
  })

  test('depend on the scopes of the token', async () => {
    await pushed('scoped')
    const asked = async (scopes: string[], service: string) => {
      const token = await server.make.token(owner, scopes)
      const { status, body } = await ask('owner/scoped', { user: 'x', password: token, service })
      return status === 200 ? 200 : body
    }
    expect(await asked(['read_repository'], 'git-upload-pack')).toBe(200)
    expect(await asked(['read_repository'], 'git-receive-pack')).toBe('You are not allowed to upload code.')
    expect(await asked(['write_repository'], 'git-receive-pack')).toBe(200)
    expect(await asked(['write_repository'], 'git-upload-pack')).toBe(200)
    expect(await asked(['read_api'], 'git-upload-pack')).toBe('You are not allowed to download code.')
    expect(await asked(['read_api'], 'git-receive-pack')).toBe('You are not allowed to upload code.')
  })

  test('of a deploy token: reading its project', async () => {
    const made = await pushed('deployed')
    await pushed('other')
    const { database } = server.app.platform
    const insert = (digest: string, expires_at: string | null) => {
      const token = { project_id: made.id, name: 'd', username: 'deployer', digest, scopes: '["read_repository"]' }
      return database.write((tx) =>
        tx
          .insertInto('deploy_tokens')
          .values({ ...token, expires_at, created_at: '2026-01-01T00:00:00.000Z' })
          .execute(),
      )
    }
    await insert(hashToken('gldt-alive'), null)
    await insert(hashToken('gldt-dead'), '2020-01-01T00:00:00.000Z')
    const alive = { user: 'deployer', password: 'gldt-alive' }
    expect((await ask('owner/deployed', alive)).status).toBe(200)
    expect(await ask('owner/deployed', { ...alive, service: 'git-receive-pack' })).toMatchObject({
      status: 403,
      body: 'You are not allowed to upload code.',
    })
    expect(await ask('owner/other', alive)).toMatchObject({ status: 404, body: notFound })
    expect((await ask('owner/deployed', { user: 'somebody', password: 'gldt-alive' })).status).toBe(401)
    expect((await ask('owner/deployed', { user: 'deployer', password: 'gldt-dead' })).status).toBe(401)
    await owner.put(`/projects/${made.id}`, { repository_access_level: 'disabled' })
    const refusedAsAnybody = { status: 403, body: 'You are not allowed to download code from this project.' }
    expect(await ask('owner/deployed', alive)).toMatchObject(refusedAsAnybody)
    await owner.put(`/projects/${made.id}`, { repository_access_level: 'private' })
    expect((await ask('owner/deployed', alive)).status).toBe(200)
  })

  test('end with a block; archived and read-only projects refuse pushes', async () => {
    const made = await pushed('states')
    const blocked = await server.user('blocked')
    await server.make.member({ project: made }, blocked, 40)
    expect((await pushing('owner/states', blocked)).status).toBe(200)
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('users').set({ state: 'blocked' }).where('id', '=', blocked.id).execute(),
    )
    expect((await fetching('owner/states', blocked)).status).toBe(401)
    await database.write((tx) =>
      tx.updateTable('repositories').set({ read_only: true }).where('project_id', '=', made.id).execute(),
    )
    expect(await pushing('owner/states', owner)).toMatchObject({
      status: 403,
      body: 'The repository is temporarily read-only. Please try again later.',
    })
    await database.write((tx) => tx.updateTable('projects').set({ archived: true }).where('id', '=', made.id).execute())
    expect(await pushing('owner/states', owner)).toMatchObject({
      status: 403,
      body: "You can't push code to an archived project.",
    })
    expect((await fetching('owner/states', owner)).status).toBe(200)
  })

  test('of anonymous users are throttled', async () => {
    const clock = manualClock({ start: '2026-03-01T12:00:30.000Z' })
    await using still = await startTestServer({ clock })
    const maker = await still.user('maker')
    const { full_path } = await still.make.project('throttled', maker, { visibility: 'public' })
    const fetchingAs = async (person?: Person) => {
      const basic = person && Buffer.from(`${person.username}:${person.token}`).toString('base64')
      const headers: Record<string, string> = basic ? { Authorization: `Basic ${basic}` } : {}
      const answer = await fetch(`${still.url}/${full_path}.git/info/refs?service=git-upload-pack`, { headers })
      return [answer.status, await answer.text()]
    }
    await still.root.put('/application/settings', {
      throttle_unauthenticated_git_http_enabled: true,
      throttle_unauthenticated_git_http_requests_per_period: 1,
      throttle_unauthenticated_git_http_period_in_seconds: 60,
    })
    expect((await fetchingAs())[0]).toBe(200)
    clock.advance(29_999)
    expect(await fetchingAs()).toEqual([429, '{"message":"Retry later"}'])
    expect((await fetchingAs(maker))[0]).toBe(200)
    clock.advance(1)
    expect((await fetchingAs())[0]).toBe(200)
    expect((await fetchingAs())[0]).toBe(429)
    await still.root.put('/application/settings', { throttle_unauthenticated_git_http_enabled: false })
    expect((await fetchingAs())[0]).toBe(200)
  })

  test('over HTTP end when the settings disable it', async () => {
    await pushed('ssh-only', 'public')
    await server.root.put('/application/settings', { enabled_git_access_protocol: 'ssh' })
    const answer = await fetching('owner/ssh-only')
    await server.root.put('/application/settings', { enabled_git_access_protocol: null })
    expect(answer).toMatchObject({ status: 403, body: 'Git access over HTTP is not allowed' })
    expect((await fetching('owner/ssh-only')).status).toBe(200)
  })
})
