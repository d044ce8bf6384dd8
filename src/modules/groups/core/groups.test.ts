import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { pathRule, strictPathRule } from '../testing.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('olga')
})
afterAll(() => server.stop())

const wrong = (fields: Record<string, string[]>) => ({ status: 400, body: { message: fields } })

describe('reading a group', () => {
  test('finds it by id and by full path in any case', async () => {
    const top = await server.make.group('Reading', owner)
    await server.make.group('Below', owner, { parent: top })
    for (const path of [`${top.id}`, 'reading', 'READING']) {
      expect((await owner.get(`/groups/${path}`)).body).toMatchObject({ id: top.id, full_path: 'Reading' })
    }
    expect((await owner.get('/groups/reading%2Fbelow')).body).toMatchObject({ full_path: 'Reading/Below' })
  })

  test('answers 404 to callers who may not see it', async () => {
    const stranger = await server.user('read-stranger')
    const notFound = { status: 404, body: { message: '404 Group Not Found' } }
    const secret = await server.make.group('read-private', owner)
    const inner = await server.make.group('read-internal', owner, { visibility: 'internal' })
    const open = await server.make.group('read-public', owner, { visibility: 'public' })
    expect(await stranger.get(`/groups/${secret.id}`)).toMatchObject(notFound)
    expect(await server.anonymous.get(`/groups/${inner.id}`)).toMatchObject(notFound)
    expect((await stranger.get(`/groups/${inner.id}`)).status).toBe(200)
    expect((await server.root.get(`/groups/${secret.id}`)).status).toBe(200)
    const seen = await server.anonymous.get(`/groups/${open.id}`)
    expect(seen.status).toBe(200)
    expect(seen.body).not.toHaveProperty('runners_token')
    expect(seen.body).not.toHaveProperty('enabled_git_access_protocol')
    for (const id of ['0', '-1', 'olga', '99999999999999999999', '%F0%9F%9A%80', 'a%2F..%2Fb', '%25']) {
      expect(await owner.get(`/groups/${id}`)).toMatchObject(notFound)
    }
    expect((await owner.get('/groups/%00')).status).toBe(400)
  })
})

describe('the projects of a group', () => {
  test('are shown by default, those that the caller may see', async () => {
    const group = await server.make.group('full', owner, { visibility: 'public' })
    const sub = await server.make.group('sub', owner, { parent: group })
    const other = await server.make.group('full-other', owner)
    await server.make.project('secret', owner, { namespace: group })
    await server.make.project('open', owner, { namespace: group, visibility: 'public' })
    await server.make.project('below', owner, { namespace: sub })
    const shared = await server.make.project('shared', owner, { namespace: other })
    const created_at = '2026-01-01T00:00:00.000Z'
    const link = { group_id: group.id, project_id: shared.id, access_level: 30, created_at }
    await server.app.platform.database.write((tx) => tx.insertInto('group_links').values(link).execute())
    const names = (projects: { path: string }[]) => projects.map(({ path }) => path).sort()
    const own = (await owner.get(`/groups/${group.id}`)).body
    expect(names(own.projects)).toEqual(['open', 'secret'])
    expect(names(own.shared_projects)).toEqual(['shared'])
    const seen = (await server.anonymous.get(`/groups/${group.id}`)).body
    expect(names(seen.projects)).toEqual(['open'])
    expect(names(seen.shared_projects)).toEqual([])
    const without = (await owner.get(`/groups/${group.id}?with_projects=false`)).body
    expect(without).not.toHaveProperty('projects')
    expect(without).not.toHaveProperty('shared_projects')
  })
})

describe('changing a group', () => {
  test('changes only the given parameters', async () => {
    const group = await server.make.group('changing', owner)
    const changed = await owner.put(`/groups/${group.id}`, {
      description: 'new',
      request_access_enabled: false,
      prevent_sharing_groups_outside_hierarchy: true,
      ip_restriction_ranges: '10.0.0.0/8',
      unique_project_download_limit_allowlist: ['olga'],
    })
    expect(changed).toMatchObject({
      status: 200,
      body: {
        name: 'changing',
        description: 'new',
        request_access_enabled: false,
        prevent_sharing_groups_outside_hierarchy: true,
        ip_restriction_ranges: '10.0.0.0/8',
        unique_project_download_limit_allowlist: ['olga'],
      },
    })
    const cleared = await owner.put(`/groups/${group.id}`, { ip_restriction_ranges: '', request_access_enabled: true })
    expect(cleared.body).toMatchObject({
      ip_restriction_ranges: null,
      request_access_enabled: true,
      description: 'new',
    })
    const row = server.app.platform.database.read.selectFrom('namespaces').select('settings').where('id', '=', group.id)
    expect((await row.executeTakeFirstOrThrow()).settings).toEqual({
      prevent_sharing_groups_outside_hierarchy: true,
      unique_project_download_limit_allowlist: ['olga'],
    })
    const partly = await owner.put(`/groups/${group.id}`, {
      default_branch_protection_defaults: { developer_can_initial_push: true },
    })
    expect(partly.body).toMatchObject({
      default_branch_protection: 4,
      default_branch_protection_defaults: { allowed_to_push: [{ access_level: 40 }], developer_can_initial_push: true },
    })
    expect((await owner.put(`/groups/${group.id}`, {})).status).toBe(200)
    expect((await owner.put(`/groups/${group.id}`, { description: null })).body.description).toBe('')
  })

  test('renames everything below; old paths are free and are not found in the API', async () => {
    const top = await server.make.group('old-name', owner)
    const sub = await server.make.group('sub', owner, { parent: top })
    await server.make.group('subsub', owner, { parent: sub })
    const project = await server.make.project('thing', owner, { namespace: sub })
    const renamed = await owner.put(`/groups/${top.id}`, { name: 'Rocket 🚀', path: 'New-Name' })
    expect(renamed.body).toMatchObject({ full_path: 'New-Name', full_name: 'Rocket 🚀' })
    const again = await owner.put(`/groups/${top.id}`, { name: 'Plain' })
    expect(again.body).toMatchObject({ full_path: 'New-Name', full_name: 'Plain' })
    const below = await owner.get('/groups/new-name%2Fsub%2Fsubsub')
    expect(below.body).toMatchObject({ full_path: 'New-Name/sub/subsub', full_name: 'Plain / sub / subsub' })
    const { database } = server.app.platform
    const paths = database.read.selectFrom('projects').select('full_path').where('id', '=', project.id)
    expect(await paths.executeTakeFirst()).toEqual({ full_path: 'New-Name/sub/thing' })
    for (const path of ['old-name', 'old-name%2Fsub']) {
      expect(await owner.get(`/groups/${path}`)).toMatchObject({
        status: 404,
        body: { message: '404 Group Not Found' },
      })
    }
    expect((await owner.get('/projects/old-name%2Fsub%2Fthing/repository/branches')).status).toBe(301)
    // There and back again: the redirects make room.
    expect((await owner.put(`/groups/${top.id}`, { path: 'old-name' })).status).toBe(200)
    expect((await owner.get('/groups/old-name%2Fsub')).status).toBe(200)
    await owner.put(`/groups/${top.id}`, { path: 'new-name' })
    expect((await owner.post('/groups', { name: 'Taker', path: 'old-name' })).status).toBe(201)
    expect((await owner.put(`/groups/${top.id}`, { path: 'NEW-name' })).body).toMatchObject({ full_path: 'NEW-name' })
  })

  test('returns the problems by field', async () => {
    const top = await server.make.group('wrong', owner)
    const sub = await server.make.group('one', owner, { parent: top })
    await server.make.group('two', owner, { parent: top })
    await server.make.group('wrong2', owner)
    const put = (id: number, body: unknown) => owner.put(`/groups/${id}`, body)
    expect(await put(top.id, { path: 'WRONG2' })).toMatchObject(wrong({ path: ['has already been taken'] }))
    expect(await put(top.id, { path: 'api' })).toMatchObject(wrong({ path: ['api is a reserved name'] }))
    expect(await put(top.id, { path: 'a b' })).toMatchObject(wrong({ path: [pathRule, strictPathRule] }))
    expect(await put(sub.id, { name: 'TWO' })).toMatchObject(wrong({ name: ['has already been taken'] }))
    expect(await put(sub.id, { name: '', path: '' })).toMatchObject(
      wrong({ name: ["can't be blank"], path: ["can't be blank"] }),
    )
    expect(await put(sub.id, { default_branch: 'a..b' })).toMatchObject(wrong({ default_branch: ['is invalid'] }))
    expect(await put(sub.id, { visibility: 'internal' })).toMatchObject(
      wrong({ visibility_level: ['internal is not allowed since the parent group has a private visibility.'] }),
    )
    expect((await owner.get(`/groups/${sub.id}`)).body).toMatchObject({ name: 'one', full_path: 'wrong/one' })
  })

  test('refuses a visibility below that of its contents', async () => {
    const top = await server.make.group('visible', owner, { visibility: 'public' })
    await server.make.group('sub', owner, { parent: top, visibility: 'public' })
    const hide = () => owner.put(`/groups/${top.id}`, { visibility: 'private' })
    const groups = 'private is not allowed since there are sub-groups with higher visibility.'
    const projects = 'private is not allowed since this group contains projects with higher visibility.'
    expect(await hide()).toMatchObject(wrong({ visibility_level: [groups] }))
    await server.make.project('open', owner, { namespace: top, visibility: 'internal' })
    expect(await hide()).toMatchObject(wrong({ visibility_level: [projects, groups] }))
  })

  test('requires the role of an owner', async () => {
    const group = await server.make.group('owned', owner, { visibility: 'public' })
    const maintainer = await server.user('change-maintainer')
    await server.make.member({ namespace: group }, maintainer, 40)
    const forbidden = { status: 403, body: { message: '403 Forbidden' } }
    expect(await maintainer.put(`/groups/${group.id}`, { name: 'x' })).toMatchObject(forbidden)
    expect((await server.anonymous.put(`/groups/${group.id}`, { name: 'x' })).status).toBe(401)
    expect((await server.root.put(`/groups/${group.id}`, { max_artifacts_size: 5 })).status).toBe(200)
    const inherited = await server.make.group('inherits', owner, { parent: group })
    await server.make.member({ namespace: group }, await server.user('change-owner'), 50)
    expect((await maintainer.put(`/groups/${inherited.id}`, { name: 'y' })).status).toBe(403)
  })

  test('gives a path to one of two concurrent requests', async () => {
    const groups = await Promise.all(['ra', 'rb', 'rc'].map((path) => server.make.group(path, owner)))
    const answers = await Promise.all(groups.map(({ id }) => owner.put(`/groups/${id}`, { path: 'wanted' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    for (const { status, body } of answers) {
      if (status === 400) expect(body).toEqual({ message: { path: ['has already been taken'] } })
    }
  })
})

describe('the avatar of a group', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

  function upload(fields: Record<string, string>, file: Buffer) {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('avatar', new Blob([new Uint8Array(file)]), 'logo.png')
    return form
  }

  test('is stored, served and removed', async () => {
    const made = await owner.post('/groups', upload({ name: 'Pic', path: 'pic', visibility: 'public' }, png))
    expect(made.status).toBe(201)
    const address = `${server.url}/uploads/-/system/group/avatar/${made.body.id}/logo.png`
    expect(made.body.avatar_url).toBe(address)
    const served = await fetch(address)
    expect(served.status).toBe(200)
    expect(Buffer.from(await served.arrayBuffer())).toEqual(png)
    const removed = await owner.put(`/groups/${made.body.id}`, { avatar: '' })
    expect(removed.body.avatar_url).toBeNull()
    expect((await fetch(address)).status).toBe(404)
    const put = await owner.put(`/groups/${made.body.id}`, upload({}, png))
    expect(put.body.avatar_url).toBe(address)
    // A refused change leaves the picture as it was.
    const refused = await owner.put(`/groups/${made.body.id}`, upload({ path: 'api' }, png))
    expect(refused.status).toBe(400)
    expect((await fetch(address)).status).toBe(200)
  })

  test('must be an image', async () => {
    const text = Buffer.from('<script>')
    const made = await owner.post('/groups', upload({ name: 'Txt', path: 'txt' }, text))
    expect(made.status).toBe(400)
    expect(made.body.message).toMatch(/^Failed to save group \{:avatar=>\["file format is not supported\./)
    const group = await server.make.group('txt', owner)
    const changed = await owner.put(`/groups/${group.id}`, upload({}, text))
    expect(changed.status).toBe(400)
    expect(changed.body.message.avatar[0]).toMatch(/^file format is not supported\./)
  })
})
