import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestServer } from '../../../testing/index.ts'
import { type AliceAndBob, startWithAliceAndBob } from '../testing.ts'

let server: TestServer
let alice: Person
let bob: Person
let projectWithBob: AliceAndBob['projectWithBob']

beforeAll(async () => {
  ;({ server, alice, bob, projectWithBob } = await startWithAliceAndBob())
})
afterAll(() => server.stop())

describe('changing a project', () => {
  test('changes the given attributes only', async () => {
    const { path, name } = await projectWithBob()
    const first = await alice.put(path, { description: 'one', squash_option: 'always', topics: ['a'] })
    expect([first.status, first.body]).toMatchObject([
      200,
      { description: 'one', squash_option: 'always', topics: ['a'] },
    ])
    expect(first.body).not.toHaveProperty('permissions')
    const second = await alice.put(path, {
      merge_method: 'ff',
      container_registry_access_level: 'private',
      description: null,
    })
    expect(second.body).toMatchObject({
      name,
      description: null,
      squash_option: 'always',
      merge_method: 'ff',
      container_registry_access_level: 'private',
      topics: ['a'],
    })
    const third = await alice.put(path, { squash_option: 'default_off', merge_method: 'merge', tag_list: '' })
    expect(third.body).toMatchObject({ squash_option: 'default_off', merge_method: 'merge', topics: [] })
    expect((await alice.get(path)).body).toMatchObject({
      squash_option: 'default_off',
      container_registry_access_level: 'private',
    })
  })

  test('stores only values that differ from the defaults', async () => {
    const { id, path } = await projectWithBob()
    await alice.put(path, { lfs_enabled: false, mirror: false, issues_enabled: true })
    await alice.put(path, { lfs_enabled: true, build_timeout: 7200 })
    const query = server.app.platform.database.read.selectFrom('projects').select('settings').where('id', '=', id)
    expect((await query.executeTakeFirstOrThrow()).settings).toEqual({ build_timeout: 7200 })
  })

  test('prefers the access level to the older switch', async () => {
    const { path } = await projectWithBob()
    const changed = await alice.put(path, {
      container_registry_enabled: false,
      container_registry_access_level: 'private',
    })
    expect(changed.body).toMatchObject({ container_registry_access_level: 'private', container_registry_enabled: true })
    const off = await alice.put(path, { container_registry_enabled: 'false' })
    expect(off.body).toMatchObject({ container_registry_access_level: 'disabled', container_registry_enabled: false })
  })

  test('retains both of two concurrent changes', async () => {
    const { path } = await projectWithBob()
    const changes = [{ lfs_enabled: false }, { merge_method: 'ff' }, { build_timeout: 900 }, { public_jobs: false }]
    const answers = await Promise.all(changes.map((change) => alice.put(path, change)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await alice.get(path)).body).toMatchObject(Object.assign({}, ...changes))
  })

  test('changes the given members of the registry policy, and reschedules it', async () => {
    const { path } = await projectWithBob()
    const before = (await alice.get(path)).body
    const daily = Date.parse(before.container_expiration_policy.next_run_at) - Date.parse(before.created_at)
    expect(daily).toBe(86_400_000)
    const policy = { keep_n: null, older_than: '', name_regex_keep: 'v.*' }
    const changed = await alice.put(path, { container_expiration_policy_attributes: policy })
    expect(changed.body.container_expiration_policy).toEqual({
      ...before.container_expiration_policy,
      keep_n: null,
      older_than: null,
      name_regex_keep: 'v.*',
    })
    const enabled = await alice.put(path, {
      container_expiration_policy_attributes: { enabled: true, cadence: '3month' },
    })
    const until = Date.parse(enabled.body.container_expiration_policy.next_run_at) - Date.parse(enabled.body.updated_at)
    expect(Math.abs(until - 90 * 86_400_000)).toBeLessThan(60_000)
    const blank = await alice.put(path, { container_expiration_policy_attributes: { name_regex: '' } })
    expect(blank.body).toEqual({ message: { 'container_expiration_policy.name_regex': ["can't be blank"] } })
    const wrong = await alice.put(path, { container_expiration_policy_attributes: 'x' })
    expect(wrong.body.error).toBe('container_expiration_policy_attributes is invalid')
  })
})

describe('the right to change a project', () => {
  test('belongs to maintainers; name and visibility are for owners', async () => {
    const { path, name } = await projectWithBob(40)
    expect((await bob.put(path, { description: 'by bob', path: `bobs-${name}` })).status).toBe(200)
    for (const change of [{ name: 'x' }, { visibility: 'private' }]) {
      const refused = await bob.put(path, change)
      expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
    }
  })

  test.each([10, 20, 30])('is missing at level %i', async (level) => {
    const { path } = await projectWithBob(level)
    expect((await bob.put(path, { description: 'x' })).status).toBe(403)
  })

  test('is missing for non-members, anonymous users and read-only tokens', async () => {
    const { path } = await projectWithBob()
    expect((await bob.put(path, { description: 'x' })).body).toEqual({ message: '404 Project Not Found' })
    expect((await server.anonymous.put(path, { description: 'x' })).status).toBe(401)
    const reader = server.as(await server.make.token(alice, ['read_api']))
    expect((await reader.put(path, { description: 'x' })).body.error).toBe('insufficient_scope')
  })

  test('is missing for everyone while it is archived', async () => {
    const { path } = await projectWithBob()
    await alice.post(`${path}/archive`)
    expect((await alice.put(path, { description: 'x' })).status).toBe(403)
    await alice.post(`${path}/unarchive`)
    expect((await alice.put(path, { description: 'x' })).status).toBe(200)
  })
})

describe('a refused change', () => {
  test('without a known parameter', async () => {
    const { path } = await projectWithBob()
    const { status, body } = await alice.put(path, { unknown: 1 })
    expect(status).toBe(400)
    expect(body.error).toMatch(
      /^allow_merge_on_skipped_pipeline, .+ are missing, at least one parameter must be provided$/,
    )
  })

  test('to a visibility above that of the group', async () => {
    const group = await server.make.group('narrow', alice)
    const project = await server.make.project('in-narrow', alice, { namespace: group })
    const refused = await alice.put(`/projects/${project.id}`, { visibility: 'public' })
    expect(refused.body.message).toEqual({ visibility_level: ['public is not allowed in a private group.'] })
  })

  test('to a visibility above that of the fork source', async () => {
    const source = await server.make.project('source', alice, { visibility: 'internal' })
    const fork = await server.make.project('a-fork', alice)
    await server.app.platform.database.write((tx) =>
      tx.updateTable('projects').set({ forked_from_id: source.id }).where('id', '=', fork.id).execute(),
    )
    const refused = await alice.put(`/projects/${fork.id}`, { visibility: 'public' })
    expect(refused.body.message).toEqual({
      visibility_level: ['public is not allowed since the fork source project has lower visibility.'],
    })
    expect((await alice.put(`/projects/${fork.id}`, { visibility: 'internal' })).body.visibility).toBe('internal')
  })

  test('to a restricted level, unless by an administrator or without a change', async () => {
    const { path } = await projectWithBob()
    await server.root.put('/application/settings', { restricted_visibility_levels: ['internal'] })
    const refused = await alice.put(path, { visibility: 'internal' })
    expect(refused.body.message).toEqual({
      visibility_level: ['internal has been restricted by your GitLab administrator'],
    })
    expect((await server.root.put(path, { visibility: 'internal' })).status).toBe(200)
    expect((await alice.put(path, { visibility: 'internal' })).status).toBe(200)
    await server.root.put('/application/settings', { restricted_visibility_levels: [] })
  })

  test('to an unknown storage, by an administrator', async () => {
    const { path } = await projectWithBob()
    const refused = await server.root.put(path, { repository_storage: 'nowhere' })
    expect(refused.body.message).toEqual({ repository_storage: ['is not included in the list'] })
    expect((await alice.put(path, { repository_storage: 'nowhere' })).status).toBe(200)
  })

  test('reports all problems and changes nothing', async () => {
    const { path } = await projectWithBob()
    const refused = await alice.put(path, {
      name: '*',
      build_timeout: 1,
      description: 'x'.repeat(2001),
      lfs_enabled: false,
    })
    expect(Object.keys(refused.body.message).sort()).toEqual(['build_timeout', 'description', 'name'])
    expect((await alice.get(path)).body.lfs_enabled).toBe(true)
  })

  test('with values of the wrong type', async () => {
    const { path } = await projectWithBob()
    const errors = await alice.put(path, { lfs_enabled: 'perhaps', build_timeout: '1.5', topics: { a: 1 } })
    expect(errors.body.error).toBe('topics is invalid, build_timeout is invalid, lfs_enabled is invalid')
    expect((await alice.put(path, '[1', { headers: { 'Content-Type': 'application/json' } })).status).toBe(400)
  })
})

describe('the avatar', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  const form = (content: Buffer, name: string) => {
    const data = new FormData()
    data.set('avatar', new Blob([new Uint8Array(content)]), name)
    return data
  }

  test('can be set, replaced and removed', async () => {
    const { id, path } = await projectWithBob()
    const set = await alice.put(path, form(png, 'me.png'))
    expect(set.body.avatar_url).toBe(`${server.url}/uploads/-/system/project/avatar/${id}/me.png`)
    const other = await alice.put(path, form(png, 'other.png'))
    expect(other.body.avatar_url).toMatch(/other\.png$/)
    expect((await alice.put(path, { avatar: '' })).body.avatar_url).toBeNull()
  })

  test('must be an image', async () => {
    const { path } = await projectWithBob()
    const refused = await alice.put(path, form(Buffer.from('<svg/>'), 'me.svg'))
    expect(refused.body.message.avatar[0]).toMatch(/^file format is not supported/)
    expect((await alice.put(path, { avatar: 'text' })).body.error).toBe('avatar is invalid')
  })
})
