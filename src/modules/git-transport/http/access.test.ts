import { describe, expect, test } from 'vitest'
import { hashToken } from '../../../infra/secrets/index.ts'
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
    await pushed('throttled', 'public')
    const on = {
      throttle_unauthenticated_git_http_enabled: true,
      throttle_unauthenticated_git_http_requests_per_period: 1,
      throttle_unauthenticated_git_http_period_in_seconds: 86_400,
    }
    await server.root.put('/application/settings', on)
    const answers = [
      await fetching('owner/throttled'),
      await fetching('owner/throttled'),
      await fetching('owner/throttled'),
    ]
    const known = await fetching('owner/throttled', outsider)
    await server.root.put('/application/settings', { throttle_unauthenticated_git_http_enabled: false })
    // A new window may have begun between the first two.
    expect(answers.at(-1)).toMatchObject({ status: 429, body: '{"message":"Retry later"}' })
    expect(known.status).toBe(200)
    expect((await fetching('owner/throttled')).status).toBe(200)
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
