import { describe, expect, test } from 'vitest'
import type { TestServer } from '../../../testing/index.ts'
import type { ProjectRow } from '../tables.ts'
import { fork, forked, forker, guest, hands, owner, pushed, serveForTests, server, source } from './testing.ts'

serveForTests()

const notFound = (what: string) => ({ status: 404, body: { message: `404 ${what} Not Found` } })
const notForkable = { status: 404, body: { message: '404 Not Found' } }
const takenBoth = {
  status: 409,
  body: {
    message: [
      'Project namespace name has already been taken',
      'Name has already been taken',
      'Path has already been taken',
    ],
  },
}

describe('forking a project', () => {
  test('returns immediately and copies branches and tags in the background', async () => {
    const person = await server.user('walker')
    const answer = await fork(person, source)
    expect(answer).toMatchObject({
      status: 201,
      body: {
        name: 'source',
        path_with_namespace: 'walker/source',
        visibility: 'public',
        default_branch: 'main',
        import_status: 'scheduled',
        import_error: null,
        forked_from_project: { id: source.id, path_with_namespace: 'owner/source' },
        mr_default_target_self: false,
        creator_id: person.id,
      },
    })
    expect(answer.body).not.toHaveProperty('permissions')
    await server.app.platform.jobs.drain()
    const { body } = await person.get(`/projects/${answer.body.id}?statistics=true`)
    expect(body).toMatchObject({
      import_status: 'finished',
      empty_repo: false,
      default_branch: 'main',
      permissions: { project_access: { access_level: 50 } },
      statistics: { commit_count: 2 },
    })
    expect(body.statistics.repository_size).toBeGreaterThan(0)
    expect(await hands.lsRemote(person, 'walker/source')).toBe(await hands.lsRemote(owner, 'owner/source'))
    const { repository } = { repository: hands.at(await hands.repositoryRow(body.id)) }
    expect(await repository.fsck()).toEqual({ ok: true, problems: [] })
    expect((await hands.tryPush(person, 'walker/source')).code).toBe(0)
    expect(await hands.lsRemote(owner, 'owner/source')).not.toContain('another')
    expect((await owner.get(`/projects/${source.id}`)).body.forks_count).toBe(1)
  })

  test('copies nothing from an empty project', async () => {
    const empty = await server.make.project('empty', owner, { visibility: 'public' })
    const body = await forked(forker, empty)
    expect(body).toMatchObject({ import_status: 'none', empty_repo: true, forked_from_project: { id: empty.id } })
    expect((await hands.tryPush(forker, 'forker/empty')).code).toBe(0)
    expect(await fork(forker, empty, { path: 'e2', branches: 'main' })).toMatchObject(notFound('Source Branch'))
  })

  test('copies a single branch on request', async () => {
    const body = await forked(forker, source, { path: 'single', name: 'Single', branches: 'side' })
    expect(body).toMatchObject({ name: 'Single', default_branch: 'side', import_status: 'finished' })
    const refs = await hands.lsRemote(forker, 'forker/single')
    expect(refs.match(/refs\/\S+/g)).toEqual(['refs/heads/side'])
    for (const branches of ['nothing', 'main,side', '-x', '../x', 'refs/heads/main']) {
      expect(await fork(forker, source, { path: 'more', branches })).toMatchObject(notFound('Source Branch'))
    }
  })

  test('retains the object format of the source', async () => {
    const modern = await owner.post('/projects', {
      name: 'modern',
      visibility: 'public',
      repository_object_format: 'sha256',
      initialize_with_readme: true,
    })
    const body = await forked(forker, modern.body)
    expect(body).toMatchObject({ import_status: 'finished', repository_object_format: 'sha256' })
    expect(body.readme_url).toBe(`${server.url}/forker/modern/-/blob/main/README.md`)
    expect(await hands.lsRemote(forker, 'forker/modern')).toMatch(/^[0-9a-f]{64}\tHEAD/)
  })

  test('creates the fork with the given namespace, name and path', async () => {
    const group = await server.make.group('builders', forker, { visibility: 'public' })
    const sub = await server.make.group('sub', forker, { parent: group, visibility: 'internal' })
    const at = async (body: object) => {
      const answer = await fork(forker, source, body)
      expect(answer.status).toBe(201)
      return answer.body.path_with_namespace
    }
    expect(await at({ namespace_id: group.id, path: 'a' })).toBe('builders/a')
    expect(await at({ namespace_path: 'Builders/Sub', path: 'b', name: 'B' })).toBe('builders/sub/b')
    expect(await at({ namespace: String(group.id), path: 'c', name: 'C' })).toBe('builders/c')
    expect(await at({ namespace: 'builders/sub', path: 'd', name: 'D' })).toBe('builders/sub/d')
    await server.app.platform.jobs.drain()
    expect((await forker.get('/projects/builders%2Fsub%2Fb')).body).toMatchObject({
      visibility: 'internal',
      import_status: 'finished',
    })
    expect(sub.id).toBeGreaterThan(group.id)
  })

  test('copies attributes of the source, and takes others from the request', async () => {
    const described = await server.make.project('described', owner, { visibility: 'internal' })
    await owner.put(`/projects/${described.id}`, { description: 'Of the source', issues_access_level: 'disabled' })
    const plain = await forked(forker, described)
    expect(plain).toMatchObject({
      description: 'Of the source',
      visibility: 'internal',
      issues_access_level: 'enabled',
    })
    const own = await forked(forker, described, {
      name: 'Mine',
      path: 'mine',
      description: 'My own',
      visibility: 'private',
      mr_default_target_self: true,
    })
    expect(own).toMatchObject({
      name: 'Mine',
      description: 'My own',
      visibility: 'private',
      mr_default_target_self: true,
    })
    // Never more visible than the source.
    const wide = await forked(forker, described, { path: 'wide', name: 'Wide', visibility: 'public' })
    expect(wide.visibility).toBe('internal')
    expect((await fork(forker, described, { visibility: 'open' })).body.error).toBe(
      'visibility does not have a valid value',
    )
  })

  test('uses a visibility that is not restricted to administrators', async () => {
    await server.root.put('/application/settings', { restricted_visibility_levels: ['public', 'internal'] })
    try {
      expect((await fork(forker, source, { path: 'r1', name: 'R1' })).body.visibility).toBe('private')
      const asRoot = await server.root.post(`/projects/${source.id}/fork`, { path: 'r2', name: 'R2' })
      expect(asRoot.body.visibility).toBe('public')
    } finally {
      await server.root.put('/application/settings', { restricted_visibility_levels: [] })
    }
  })
})

describe('forking is refused', () => {
  test('when the name or path is taken', async () => {
    await server.make.project('occupied', forker)
    const original = await pushed('occupied')
    expect(await fork(forker, original)).toEqual(expect.objectContaining(takenBoth))
    expect(await fork(forker, original, { path: 'other' })).toMatchObject({
      status: 409,
      body: { message: ['Project namespace name has already been taken', 'Name has already been taken'] },
    })
    expect(await fork(forker, original, { name: 'Other', path: 'OCCUPIED' })).toMatchObject({
      status: 409,
      body: { message: ['Path has already been taken'] },
    })
    expect(await fork(owner, original)).toMatchObject(takenBoth)
  })

  test('when the caller may not create projects in the target', async () => {
    const hidden = await server.make.group('hidden', owner)
    const open = await server.make.group('open', owner, { visibility: 'public' })
    const reported = await server.make.group('reported', owner)
    await server.make.member({ namespace: reported }, forker, 20)
    const targets = [
      { namespace_id: hidden.id },
      { namespace_id: open.id },
      { namespace_id: reported.id },
      { namespace_id: 987654 },
      { namespace_id: -1 },
      { namespace_id: '99999999999999999' },
      { namespace_path: 'owner' },
      { namespace: 'no/where' },
      { namespace_path: String(hidden.id) },
    ]
    for (const target of targets) expect(await fork(forker, source, target)).toMatchObject(notFound('Target Namespace'))
    const leaving = await server.make.group('leaving', forker)
    await forker.delete(`/groups/${leaving.id}`)
    expect(await fork(forker, source, { namespace_id: leaving.id })).toMatchObject(notFound('Target Namespace'))
  })

  test('when the group forbids forks outside of it', async () => {
    const group = await server.make.group('closed', owner, { visibility: 'public' })
    await server.make.member({ namespace: group }, forker, 30)
    const project = await server.make.project('kept', owner, { namespace: group, visibility: 'public' })
    const setting = await owner.put(`/groups/${group.id}`, { prevent_forking_outside_group: true })
    expect(setting.status).toBe(200)
    expect(await fork(forker, project)).toMatchObject(notFound('Target Namespace'))
    const sub = await server.make.group('within', forker, { parent: group, visibility: 'public' })
    expect((await fork(forker, project, { namespace_id: sub.id })).status).toBe(201)
  })

  test('when the source may not be forked by the caller', async () => {
    const secret = await pushed('secret', 'private')
    await server.make.member({ project: secret }, guest, 10)
    expect(await fork(forker, secret)).toMatchObject(notFound('Project'))
    expect(await fork(guest, secret)).toMatchObject(notForkable)
    expect(await server.anonymous.post(`/projects/${source.id}/fork`)).toMatchObject({
      status: 401,
      body: { message: '401 Unauthorized' },
    })
    const reader = server.as(await server.make.token(forker, ['read_api', 'read_repository']))
    expect((await reader.post(`/projects/${source.id}/fork`)).body.error).toBe('insufficient_scope')
    const members = await pushed('for-members')
    await owner.put(`/projects/${members.id}`, { forking_access_level: 'private' })
    expect(await fork(forker, members)).toMatchObject(notForkable)
    await server.make.member({ project: members }, guest, 20)
    expect((await fork(guest, members)).status).toBe(201)
    await owner.put(`/projects/${members.id}`, { forking_access_level: 'disabled' })
    expect(await fork(owner, members, { path: 'x', name: 'x' })).toMatchObject(notForkable)
    const codeless = await pushed('codeless')
    await owner.put(`/projects/${codeless.id}`, { repository_access_level: 'private' })
    expect(await fork(forker, codeless)).toMatchObject(notForkable)
  })

  test('when name or path are invalid', async () => {
    const path =
      "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'."
    const answer = await fork(forker, source, { path: '../evil' })
    expect(answer.status).toBe(400)
    expect(answer.body.message.path).toContain(path)
    expect((await fork(forker, source, { path: 'tree' })).body.message.path).toEqual(['tree is a reserved name'])
    expect((await fork(forker, source, { name: '<b>' })).status).toBe(400)
    expect((await fork(forker, source, { name: 'x'.repeat(300), path: 'x' })).status).toBe(400)
    expect((await fork(forker, source, { path: 'a\u0000b' })).body.error).toBe('path is invalid')
    expect((await fork(forker, source, { path: ['a'] })).body.error).toBe('path is invalid')
    expect((await fork(forker, source, { namespace_id: 'x' })).body.error).toBe('namespace_id is invalid')
    expect((await fork(forker, source, { path: 'long', name: 'long', description: 'd'.repeat(2001) })).body).toEqual({
      message: { description: ['is too long (maximum is 2000 characters)'] },
    })
  })

  test('at the limit of projects', async () => {
    const modest = await server.user('modest')
    await server.root.put(`/users/${modest.id}`, { projects_limit: 1 })
    expect((await fork(modest, source)).status).toBe(201)
    expect(await fork(modest, source, { path: 'second', name: 'second' })).toMatchObject({
      status: 403,
      body: { error: ["You've reached your limit of 1 projects created. Contact your GitLab administrator."] },
    })
  })

  test('for one of two concurrent requests', async () => {
    const hasty = await server.user('hasty')
    const answers = await Promise.all([fork(hasty, source), fork(hasty, source)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(answers.find(({ status }) => status === 409)).toMatchObject(takenBoth)
    await server.app.platform.jobs.drain()
    expect(await hands.lsRemote(hasty, 'hasty/source')).toContain('refs/heads/main')
  })
})

describe('the list of forks', () => {
  test('contains the forks that the caller can see', async () => {
    const listed = await pushed('listed')
    const shown = await forked(forker, listed, { path: 'shown', name: 'shown' })
    const hidden = await forked(forker, listed, { path: 'hidden', name: 'hidden', visibility: 'private' })
    await forked(owner, shown, { path: 'grandchild', name: 'grandchild' })
    const ids = async (client: TestServer['root'], query = '') =>
      (await client.get(`/projects/${listed.id}/forks${query}`)).body.map(({ id }: { id: number }) => id)
    expect(await ids(forker)).toEqual([hidden.id, shown.id])
    expect(await ids(guest)).toEqual([shown.id])
    expect(await ids(server.anonymous)).toEqual([shown.id])
    expect(await ids(forker, '?order_by=path&sort=asc')).toEqual([hidden.id, shown.id])
    expect(await ids(forker, '?owned=true&visibility=public')).toEqual([shown.id])
    const page = await forker.get(`/projects/${listed.id}/forks?per_page=1&simple=true`)
    expect(page.headers.get('x-total')).toBe('2')
    expect(page.body[0]).not.toHaveProperty('import_status')
    expect(await forker.get('/projects/987654/forks')).toMatchObject(notFound('Project'))
    expect((await forker.get(`/projects/${listed.id}/forks?order_by=x`)).body.error).toBe(
      'order_by does not have a valid value',
    )
  })
})

describe('the relation to the source', () => {
  test('is created and ended without copying', async () => {
    const copy = await server.make.project('by-hand', forker)
    const path = `/projects/${copy.id}/fork`
    expect((await forker.delete(path)).status).toBe(304)
    const linked = await forker.post(`${path}/${source.id}`)
    expect(linked).toMatchObject({ status: 201, body: { forked_from_project: { id: source.id }, empty_repo: true } })
    expect(await forker.post(`${path}/${source.id}`)).toMatchObject({
      status: 409,
      body: { message: 'Project already forked' },
    })
    const ended = await forker.delete(path)
    expect([ended.status, ended.body]).toEqual([204, ''])
    expect((await forker.get(`/projects/${copy.id}`)).body).not.toHaveProperty('forked_from_project')
    expect((await forker.delete(path)).status).toBe(304)
    expect((await forker.post(`${path}/owner%2Fsource`)).status).toBe(201)
  })

  test('never forms a cycle', async () => {
    const [a, b] = [await server.make.project('circle-a', forker), await server.make.project('circle-b', forker)]
    const link = (from: ProjectRow, to: ProjectRow) => forker.post(`/projects/${from.id}/fork/${to.id}`)
    expect((await link(a, a)).status).toBe(409)
    const answers = await Promise.all([link(a, b), link(b, a)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  })

  test('requires an owner who may fork the source', async () => {
    const copy = await server.make.project('linked', forker, { visibility: 'public' })
    await server.make.member({ project: copy }, guest, 40)
    const path = `/projects/${copy.id}/fork`
    const secret = await pushed('unseen', 'private')
    expect(await forker.post(`${path}/${secret.id}`)).toMatchObject(notFound('Project'))
    for (const text of ['0', '987654', 'nowhere', 'no%2Fwhere', '%2F', '99999999999999999999']) {
      expect(await forker.post(`${path}/${text}`)).toMatchObject(notFound('Project'))
    }
    await server.make.member({ project: secret }, forker, 10)
    expect((await forker.post(`${path}/${secret.id}`)).status).toBe(403)
    expect((await guest.post(`${path}/${source.id}`)).status).toBe(403)
    expect((await owner.delete(path)).status).toBe(403)
    expect((await server.anonymous.delete(path)).status).toBe(401)
    expect((await server.root.post(`${path}/${source.id}`)).status).toBe(201)
  })
})
