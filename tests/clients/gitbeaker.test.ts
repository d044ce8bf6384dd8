import { Gitlab } from '@gitbeaker/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git, makeHistory, startTestServer, type TestServer, temporaryDirectory } from '../../src/testing/index.ts'

/** The acceptance walks of the contract with a client that people use, unchanged: gitbeaker. */
let server: TestServer
let api: InstanceType<typeof Gitlab<false>>

beforeAll(async () => {
  server = await startTestServer({ rootPassword: 'a long root password' })
  api = new Gitlab({ host: server.url, token: server.rootToken })
})
afterAll(() => server.stop())

const statusOf = (error: unknown) => (error as { cause?: { response?: Response } }).cause?.response?.status

async function failing(call: Promise<unknown>): Promise<number | undefined> {
  return call.then(() => undefined, statusOf)
}

describe('users and tokens (20)', () => {
  test('a user is made, found, changed, blocked and deleted', async () => {
    const made = await api.Users.create({
      email: 'alice@example.com',
      username: 'alice',
      name: 'Alice',
      password: 'correct horse 42 battery',
      skipConfirmation: true,
    })
    expect(made).toMatchObject({ username: 'alice', state: 'active', is_admin: false })
    expect(
      await failing(
        api.Users.create({ email: 'ALICE@example.com', username: 'a2', name: 'A', password: 'correct horse 42' }),
      ),
    ).toBe(409)
    expect(await api.Users.all({ username: 'ALICE' })).toHaveLength(1)
    expect(await api.Users.showCurrentUser()).toMatchObject({ id: 1, username: 'root' })
    expect((await api.Users.edit(made.id, { name: 'Alice B' })).name).toBe('Alice B')
    await api.Users.block(made.id)
    expect((await api.Users.show(made.id)).state).toBe('blocked')
    await api.Users.unblock(made.id)
    await api.Users.remove(made.id, { hardDelete: true })
    expect(await failing(api.Users.show(made.id))).toBe(404)
  })

  test('tokens are made, used, rotated and revoked', async () => {
    const user = await api.Users.create({
      email: 'bob@example.com',
      username: 'bob',
      name: 'Bob',
      password: 'correct horse 42 battery',
      skipConfirmation: true,
    })
    const expiresAt = new Date(Date.now() + 86_400_000 * 30).toISOString().slice(0, 10)
    const token = await api.UserImpersonationTokens.create(user.id, 'imp', ['api'], { expiresAt })
    expect(token).toMatchObject({ impersonation: true, token: expect.stringMatching(/^glpat-/), expires_at: expiresAt })
    const made = await api.PersonalAccessTokens.create(user.id, 'walk', ['read_api'])
    const reader = new Gitlab({ host: server.url, token: made.token })
    expect(await reader.Projects.all({ membership: true })).toEqual([])
    expect(await failing(reader.Projects.create({ name: 'no' }))).toBe(403)
    const rotated = await api.PersonalAccessTokens.rotate(made.id)
    expect(await failing(reader.Projects.all())).toBe(401)
    const again = new Gitlab({ host: server.url, token: rotated.token })
    expect(await again.Projects.all({ membership: true })).toEqual([])
  })
})

describe('groups, projects and members (21)', () => {
  test('a group with a subgroup and a project in it', async () => {
    const group = await api.Groups.create('Walk', 'walk')
    expect(await failing(api.Groups.create('Walk', 'walk'))).toBe(400)
    const sub = await api.Groups.create('Sub', 'sub', { parentId: group.id })
    expect(sub.full_path).toBe('walk/sub')
    expect((await api.Groups.allSubgroups(group.id)).map(({ id }) => id)).toEqual([sub.id])
    const project = await api.Projects.create({ name: 'Demo App', namespaceId: group.id, initializeWithReadme: true })
    expect(project).toMatchObject({ path: 'demo-app', default_branch: 'main', empty_repo: false })
    expect(await api.Projects.show('walk/demo-app')).toMatchObject({ id: project.id, permissions: expect.anything() })
    expect(await failing(api.Projects.edit(project.id, { visibility: 'public' }))).toBe(400)
    await api.Groups.edit(group.id, { visibility: 'public' })
    expect((await api.Projects.edit(project.id, { visibility: 'public' })).visibility).toBe('public')
    const member = await server.user('carol')
    expect(await api.ProjectMembers.add(project.id, 30, { userId: member.id })).toMatchObject({ access_level: 30 })
    expect(await failing(api.ProjectMembers.add(project.id, 30, { userId: member.id }))).toBe(409)
    const all = await api.ProjectMembers.all(project.id, { includeInherited: true })
    expect(all.map(({ username }) => username).sort()).toEqual(['carol', 'root'])
    await api.ProjectMembers.remove(project.id, member.id)
    expect(await failing(api.ProjectMembers.show(project.id, member.id))).toBe(404)
    expect((await api.Projects.all({ search: 'Demo', perPage: 1 })).map(({ id }) => id)).toEqual([project.id])
    const namespaces = await api.Namespaces.exists('walk')
    expect(namespaces).toEqual({ exists: true, suggests: ['walk1'] })
  })

  test('every project, page by page, by keyset', async () => {
    for (let index = 0; index < 5; index += 1) await api.Projects.create({ name: `page ${index}` })
    const found = await api.Projects.all({ pagination: 'keyset', orderBy: 'id', sort: 'asc', perPage: 2 })
    const ids = found.map(({ id }) => id)
    expect(ids.length).toBeGreaterThanOrEqual(5)
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
  })

  test('a project is renamed, transferred, deleted and restored', async () => {
    const project = await api.Projects.create({ name: 'Moving' })
    await api.Projects.edit(project.id, { path: 'moved' })
    expect((await api.Projects.show('root/moving')).id).toBe(project.id)
    const group = await api.Groups.create('Target', 'target')
    expect((await api.Projects.transfer(project.id, group.id)).path_with_namespace).toBe('target/moved')
    await api.Projects.remove(project.id)
    expect((await api.Projects.show(project.id)).marked_for_deletion_at).toMatch(/^\d{4}-/)
    await api.Projects.create({ name: 'moved', namespaceId: group.id })
  })
})

describe('branches and git (01, 22)', () => {
  test('a repository is pushed, branched, cloned', async () => {
    const project = await api.Projects.create({ name: 'walk-branches' })
    await using folder = await temporaryDirectory()
    await makeHistory(folder.path, ['one', 'two'])
    const address = `${server.url.replace('://', `://root:${server.rootToken}@`)}/root/walk-branches.git`
    expect(await git(folder.path, 'push', address, 'main')).toMatchObject({ code: 0 })
    expect(await api.Branches.create(project.id, 'feature/a', 'main')).toMatchObject({
      name: 'feature/a',
      protected: false,
      can_push: true,
    })
    expect(await failing(api.Branches.create(project.id, 'feature/a', 'main'))).toBe(400)
    expect(await failing(api.Branches.create(project.id, 'x', 'nope'))).toBe(400)
    expect(await failing(api.Branches.create(project.id, 'a..b', 'main'))).toBe(400)
    expect((await api.Branches.show(project.id, 'feature/a')).name).toBe('feature/a')
    expect((await api.Branches.all(project.id, { search: '^FEAT' })).map(({ name }) => name)).toEqual(['feature/a'])
    expect(await failing(api.Branches.remove(project.id, 'main'))).toBe(400)
    await api.Branches.remove(project.id, 'feature/a')
    for (let index = 0; index < 25; index += 1) await api.Branches.create(project.id, `many-${index}`, 'main')
    expect(await api.Branches.all(project.id, { perPage: 10 })).toHaveLength(26)
    await api.Branches.removeMerged(project.id)
    expect(await git(folder.path, 'clone', address, 'copy')).toMatchObject({ code: 0 })
  })
})

describe('the instance', () => {
  test('its version and settings', async () => {
    expect((await api.Metadata.show()).version.split('.')).toHaveLength(3)
    expect(await api.ApplicationSettings.show()).toMatchObject({ default_project_visibility: 'private' })
    expect(await api.ApplicationSettings.edit({ signupEnabled: false })).toMatchObject({ signup_enabled: false })
  })
})
