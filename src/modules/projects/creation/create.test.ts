import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git, type Person, type TestServer, temporaryDirectory } from '../../../testing/index.ts'
import { messageOf, startWithAliceAndBob } from '../testing.ts'

let server: TestServer
let alice: Person
let bob: Person

beforeAll(async () => {
  ;({ server, alice, bob } = await startWithAliceAndBob())
})
afterAll(() => server.stop())

describe('creating a project', () => {
  test('uses the personal namespace, and derives the path from the name', async () => {
    const { status, body } = await alice.post('/projects', { name: 'Foo Bar', description: 'What <it> is' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'Foo Bar',
      path: 'foo-bar',
      path_with_namespace: 'alice/foo-bar',
      name_with_namespace: 'alice person / Foo Bar',
      visibility: 'private',
      default_branch: null,
      empty_repo: true,
      creator_id: alice.id,
      owner: { username: 'alice' },
      import_status: 'none',
      description_html: '<p>What &lt;it&gt; is</p>\n',
      repository_object_format: 'sha1',
    })
    expect(body).not.toHaveProperty('permissions')
    expect(body).not.toHaveProperty('repository_storage')
  })

  test('renders the description as Markdown, without what browsers would run', async () => {
    const upload = `/uploads/${'0'.repeat(32)}/a.png`
    const description = `**Fast** [site](javascript:alert(1)) <script>x</script>\n\n![it](${upload})`
    const { body } = await alice.post('/projects', { name: 'Rendered', description })
    const html = (await alice.get(`/projects/${body.id}`)).body.description_html
    expect(html).toContain('<strong>Fast</strong> [site](javascript:alert(1)) &lt;script&gt;')
    expect(html).toContain(`<img src="/-/project/${body.id}${upload}" alt="it"`)
    expect((await alice.put(`/projects/${body.id}`, { description: '' })).body.description_html).toBe('')
  })

  test('derives the name from the path, and uses both as given', async () => {
    const fromPath = await alice.post('/projects', { path: 'only.path' })
    expect(fromPath.body).toMatchObject({ name: 'only.path', path: 'only.path' })
    const both = await alice.post('/projects', { name: 'Größe 🚀 +1', path: 'Size-1' })
    expect([both.status, both.body.name, both.body.path]).toEqual([201, 'Größe 🚀 +1', 'Size-1'])
  })

  test('makes a first commit, which git can clone', async () => {
    await using folder = await temporaryDirectory()
    const made = await alice.post('/projects', { name: 'Ready', initialize_with_readme: true, default_branch: 'trunk' })
    expect(made.body).toMatchObject({ default_branch: 'trunk', empty_repo: false })
    expect(made.body.readme_url).toBe(`${server.url}/alice/ready/-/blob/trunk/README.md`)
    const address = made.body.http_url_to_repo.replace('http://', `http://alice:${alice.token}@`)
    expect(await git(folder.path, 'clone', address, 'copy')).toMatchObject({ code: 0 })
    const log = await git(`${folder.path}/copy`, 'log', '--format=%an|%ae|%s|%D')
    expect(log.stdout.trim()).toBe(
      'alice person|alice@example.com|Initial commit|HEAD -> trunk, origin/trunk, origin/HEAD',
    )
  })

  test('accepts an avatar, which must be an image', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    const withPicture = (name: string, content: Uint8Array<ArrayBuffer>) => {
      const form = new FormData()
      form.append('name', name)
      form.append('avatar', new Blob([content]), 'logo.png')
      return alice.post('/projects', form)
    }
    const { status, body } = await withPicture('pictured', new Uint8Array(png))
    expect(status).toBe(201)
    expect(body.avatar_url).toBe(`${server.url}/uploads/-/system/project/avatar/${body.id}/logo.png`)
    const picture = await fetch(body.avatar_url, { headers: { 'PRIVATE-TOKEN': alice.token } })
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(png)
    expect((await fetch(body.avatar_url)).status).toBe(404)
    const refused = await withPicture('unpictured', new Uint8Array(Buffer.from('<svg>')))
    expect(refused.status).toBe(400)
    expect(refused.body.message.avatar[0]).toMatch(/^file format is not supported\./)
    expect((await alice.get('/projects/alice%2Funpictured')).status).toBe(404)
  })

  test('uses SHA-256 on request', async () => {
    const made = await alice.post('/projects', {
      name: 'sha256',
      repository_object_format: 'sha256',
      initialize_with_readme: true,
    })
    expect(made.body).toMatchObject({ repository_object_format: 'sha256', readme_url: expect.any(String) })
  })

  test('accepts settings by their new and their older names', async () => {
    const made = await alice.post('/projects', {
      name: 'settings',
      issues_enabled: false,
      wiki_enabled: false,
      wiki_access_level: 'private',
      emails_disabled: true,
      merge_method: 'ff',
      ci_default_git_depth: null,
      topics: 'one, two,,one',
      container_expiration_policy_attributes: { cadence: '7d', enabled: true, name_regex_delete: 'v.*' },
    })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      issues_access_level: 'disabled',
      issues_enabled: false,
      wiki_access_level: 'private',
      wiki_enabled: true,
      emails_disabled: true,
      emails_enabled: false,
      merge_method: 'ff',
      ci_default_git_depth: null,
      topics: ['one', 'two'],
      tag_list: ['one', 'two'],
      container_expiration_policy: { cadence: '7d', enabled: true, name_regex: 'v.*', keep_n: 10 },
    })
    expect(made.body._links).not.toHaveProperty('issues')
    expect(made.body._links.merge_requests).toBe(`${server.url}/api/v4/projects/${made.body.id}/merge_requests`)
  })

  test('accepts a form with an array', async () => {
    const form = new URLSearchParams([
      ['name', 'formed'],
      ['topics[]', 'a'],
      ['topics[]', 'b'],
      ['container_expiration_policy_attributes[keep_n]', '5'],
    ])
    const made = await alice.post('/projects', form)
    expect(made.body).toMatchObject({ topics: ['a', 'b'], container_expiration_policy: { keep_n: 5 } })
  })

  test('is possible for another user', async () => {
    const made = await server.root.post('/projects?sudo=bob', { name: 'by sudo' })
    expect(made.body).toMatchObject({ path_with_namespace: 'bob/by-sudo', creator_id: bob.id })
  })
})

describe('the namespace of a new project', () => {
  const invalid = [400, { namespace: ['is not valid'] }]

  test('must not be unknown, invisible or of another user', async () => {
    const group = await server.make.group('closed', alice)
    const own = await server.root.get('/namespaces?search=alice')
    const aliceNamespace = own.body.find((one: { path: string }) => one.path === 'alice').id
    for (const namespace_id of [999_999, '9223372036854775807', group.id, aliceNamespace]) {
      expect(await messageOf(bob.post('/projects', { name: 'x', namespace_id }))).toEqual(invalid)
    }
  })

  test.each([
    ['developer', 30, 201],
    ['developer', 20, 400],
    ['maintainer', 40, 201],
    ['maintainer', 30, 400],
    ['owner', 40, 400],
    ['owner', 50, 201],
    ['administrator', 50, 400],
    ['noone', 50, 400],
  ])('project_creation_level %s, role %i: %i', async (level, role, status) => {
    const group = await server.make.group(`level-${level}-${role}`, alice)
    await server.make.member({ namespace: group }, bob, role)
    const set = await server.app.platform.database.write((tx) =>
      tx
        .updateTable('namespaces')
        .set({ settings: JSON.stringify({ project_creation_level: level }) })
        .where('id', '=', group.id)
        .returning('id')
        .execute(),
    )
    expect(set).toHaveLength(1)
    expect((await bob.post('/projects', { name: 'x', namespace_id: group.id })).status).toBe(status)
    const asRoot = await server.root.post('/projects', { name: 'y', namespace_id: group.id })
    expect(asRoot.status).toBe(level === 'noone' ? 400 : 201)
  })

  test('may be a group in which the role is inherited', async () => {
    const parent = await server.make.group('upper', alice)
    const group = await server.make.group('lower', alice, { parent })
    await server.make.member({ namespace: parent }, bob, 30)
    const made = await bob.post('/projects', { name: 'x', namespace_id: group.id })
    expect(made.body).toMatchObject({
      path_with_namespace: 'upper/lower/x',
      namespace: { id: group.id, kind: 'group', full_path: 'upper/lower', parent_id: parent.id },
    })
    expect(made.body).not.toHaveProperty('owner')
    expect(made.body.namespace.web_url).toBe(`${server.url}/groups/upper/lower`)
  })

  test('must not be a group that is marked for deletion', async () => {
    const group = await server.make.group('leaving', alice)
    expect((await alice.delete(`/groups/${group.id}`)).status).toBe(202)
    expect(await messageOf(alice.post('/projects', { name: 'x', namespace_id: group.id }))).toEqual(invalid)
  })

  test('accepts projects up to the limit of the user, also concurrently', async () => {
    const carol = await server.user('carol')
    const limit = (projects_limit: number) =>
      server.app.platform.database.write((tx) =>
        tx.updateTable('users').set({ projects_limit }).where('id', '=', carol.id).execute(),
      )
    await limit(0)
    const none = await carol.post('/projects', { name: 'x' })
    expect([none.status, none.body]).toEqual([
      403,
      { error: ['You cannot create projects in your personal namespace. Contact your GitLab administrator.'] },
    ])
    await limit(2)
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => carol.post('/projects', { name })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403])
    expect(answers.find(({ status }) => status === 403)?.body).toEqual({
      error: ["You've reached your limit of 2 projects created. Contact your GitLab administrator."],
    })
    const group = await server.make.group('unlimited', carol)
    expect((await carol.post('/projects', { name: 'x', namespace_id: group.id })).status).toBe(201)
  })
})

describe('the visibility of a new project', () => {
  test('is at most that of the group, which is also the default', async () => {
    const group = await server.make.group('inside', alice, { visibility: 'internal' })
    const make = (body: object) => alice.post('/projects', { namespace_id: group.id, ...body })
    expect(await messageOf(make({ name: 'a', visibility: 'public' }))).toEqual([
      400,
      { visibility_level: ['public is not allowed in a internal group.'] },
    ])
    expect((await make({ name: 'b', visibility: 'internal' })).body.visibility).toBe('internal')
    await server.root.put('/application/settings', { default_project_visibility: 'public' })
    expect((await make({ name: 'c' })).body.visibility).toBe('internal')
    expect((await alice.post('/projects', { name: 'by default' })).body.visibility).toBe('public')
    await server.root.put('/application/settings', { default_project_visibility: 'private' })
  })

  test('is not a level that is restricted to administrators', async () => {
    await server.root.put('/application/settings', { restricted_visibility_levels: ['public'] })
    expect(await messageOf(alice.post('/projects', { name: 'restricted', visibility: 'public' }))).toEqual([
      400,
      { visibility_level: ['public has been restricted by your GitLab administrator'] },
    ])
    expect((await server.root.post('/projects', { name: 'restricted', visibility: 'public' })).status).toBe(201)
    await server.root.put('/application/settings', { restricted_visibility_levels: [] })
  })
})

describe('administrators', () => {
  test('choose the storage; for others the parameter is ignored', async () => {
    const made = await server.root.post('/projects', { name: 'stored', repository_storage: 'default' })
    expect(made.body.repository_storage).toBe('default')
    expect(await messageOf(server.root.post('/projects', { name: 'lost', repository_storage: 'nowhere' }))).toEqual([
      400,
      { repository_storage: ['is not included in the list'] },
    ])
    expect((await alice.post('/projects', { name: 'ignored', repository_storage: 'nowhere' })).status).toBe(201)
  })

  test('create projects for other users', async () => {
    const made = await server.root.post(`/projects/user/${bob.id}`, { name: 'For Bob' })
    expect([made.status, made.body.path_with_namespace, made.body.creator_id]).toEqual([201, 'bob/for-bob', bob.id])
    expect((await bob.get(`/projects/${made.body.id}`)).body.permissions.project_access.access_level).toBe(50)
    expect((await server.root.post('/projects/user/999999', { name: 'x' })).body.message).toBe('404 User Not Found')
    expect((await server.root.post(`/projects/user/${bob.id}`, { path: 'x' })).body.error).toBe('name is missing')
    expect((await server.root.post('/projects/user/bob', { name: 'x' })).status).toBe(400)
    expect((await alice.post(`/projects/user/${bob.id}`, { name: 'x' })).status).toBe(403)
    expect((await server.anonymous.post(`/projects/user/${bob.id}`, { name: 'x' })).status).toBe(401)
  })
})
