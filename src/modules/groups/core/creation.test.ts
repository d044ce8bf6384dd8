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

const failed = (fields: string) => ({ status: 400, body: { message: `Failed to save group {${fields}}` } })

const nameRule =
  "can contain only letters, digits, emoji, '_', '.', dash, space, parenthesis. It must start with letter, digit, emoji or '_'."

describe('creating a group', () => {
  test('makes the creator its owner and returns the whole object', async () => {
    const made = await owner.post('/groups', { name: 'Great Group', path: 'great', description: 'All of us' })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      web_url: `${server.url}/groups/great`,
      name: 'Great Group',
      path: 'great',
      description: 'All of us',
      visibility: 'private',
      share_with_group_lock: false,
      require_two_factor_authentication: false,
      two_factor_grace_period: 48,
      project_creation_level: 'developer',
      auto_devops_enabled: null,
      subgroup_creation_level: 'maintainer',
      emails_disabled: false,
      emails_enabled: true,
      mentions_disabled: null,
      lfs_enabled: true,
      math_rendering_limits_enabled: true,
      lock_math_rendering_limits_enabled: false,
      default_branch: null,
      default_branch_protection: 2,
      default_branch_protection_defaults: {
        allowed_to_push: [{ access_level: 40 }],
        allow_force_push: false,
        allowed_to_merge: [{ access_level: 40 }],
        developer_can_initial_push: false,
      },
      avatar_url: null,
      request_access_enabled: true,
      full_name: 'Great Group',
      full_path: 'great',
      parent_id: null,
      organization_id: 1,
      shared_runners_setting: 'enabled',
      ldap_cn: null,
      ldap_access: null,
      file_template_project_id: null,
      marked_for_deletion_on: null,
      wiki_access_level: 'enabled',
      shared_with_groups: [],
      runners_token: null,
      enabled_git_access_protocol: 'all',
      prevent_sharing_groups_outside_hierarchy: false,
      membership_lock: false,
      ip_restriction_ranges: null,
      unique_project_download_limit: 0,
    })
    expect(made.body).not.toHaveProperty('statistics')
    expect(made.body).not.toHaveProperty('repository_storage')
    expect(made.body).not.toHaveProperty('custom_attributes')
    const members = server.app.platform.database.read.selectFrom('members').selectAll()
    expect(await members.where('namespace_id', '=', made.body.id).execute()).toMatchObject([
      { user_id: owner.id, access_level: 50 },
    ])
  })

  test('takes every setting, in JSON and in a form', async () => {
    const made = await owner.post('/groups', {
      name: 'Set',
      path: 'set',
      visibility: 'public',
      project_creation_level: 'noone',
      subgroup_creation_level: 'owner',
      emails_disabled: true,
      mentions_disabled: 'true',
      lfs_enabled: 0,
      two_factor_grace_period: '12',
      default_branch: 'trunk',
      shared_runners_setting: 'disabled_and_overridable',
      enabled_git_access_protocol: 'ssh',
      wiki_access_level: 'private',
      membership_lock: true,
      shared_runners_minutes_limit: 100,
    })
    expect(made).toMatchObject({
      status: 201,
      body: {
        visibility: 'public',
        project_creation_level: 'noone',
        subgroup_creation_level: 'owner',
        emails_disabled: true,
        emails_enabled: false,
        mentions_disabled: true,
        lfs_enabled: false,
        two_factor_grace_period: 12,
        default_branch: 'trunk',
        shared_runners_setting: 'disabled_and_overridable',
        enabled_git_access_protocol: 'ssh',
        wiki_access_level: 'private',
        membership_lock: true,
        // Only administrators set this one.
        shared_runners_minutes_limit: null,
      },
    })
    const form = new URLSearchParams([
      ['name', 'Form'],
      ['path', 'form'],
      ['default_branch_protection_defaults[allowed_to_push][][access_level]', '30'],
      ['default_branch_protection_defaults[allow_force_push]', 'true'],
    ])
    const posted = await owner.post('/groups', form)
    expect(posted).toMatchObject({
      status: 201,
      body: {
        default_branch_protection: 0,
        default_branch_protection_defaults: {
          allowed_to_push: [{ access_level: 30 }],
          allow_force_push: true,
          allowed_to_merge: [{ access_level: 40 }],
        },
      },
    })
    const byRoot = await server.root.post('/groups', { name: 'M', path: 'minutes', shared_runners_minutes_limit: 100 })
    expect(byRoot.body).toMatchObject({ shared_runners_minutes_limit: 100, repository_storage: 'default' })
  })

  test.each([0, 1, 2, 3, 4])('accepts the branch protection %i', async (level) => {
    const made = await owner.post('/groups', {
      name: 'P',
      path: `protection-${level}`,
      default_branch_protection: level,
    })
    const pushed = [{ access_level: level < 2 ? 30 : 40 }]
    const merged = [{ access_level: level < 2 || level === 3 ? 30 : 40 }]
    expect(made.body).toMatchObject({
      default_branch_protection: level,
      default_branch_protection_defaults: {
        allowed_to_push: pushed,
        allow_force_push: level === 0,
        allowed_to_merge: merged,
        developer_can_initial_push: level === 4,
      },
    })
  })

  test('gives subgroups the visibility of their parent by default', async () => {
    const top = await owner.post('/groups', { name: 'Top', path: 'top', visibility: 'internal' })
    const sub = await owner.post('/groups', { name: 'Sub', path: 'sub', parent_id: top.body.id })
    expect(sub).toMatchObject({
      status: 201,
      body: { full_path: 'top/sub', full_name: 'Top / Sub', parent_id: top.body.id, visibility: 'internal' },
    })
    expect(sub.body).not.toHaveProperty('prevent_sharing_groups_outside_hierarchy')
    expect(sub.body).not.toHaveProperty('unique_project_download_limit')
  })

  test('names missing parameters', async () => {
    expect(await owner.post('/groups', {})).toMatchObject({
      status: 400,
      body: {
        error: 'name is missing, path is missing',
        message: '400 (Bad request) "name", "path" not given',
      },
    })
    expect(await owner.post('/groups', { name: 'x' })).toMatchObject({ body: { error: 'path is missing' } })
    expect(await owner.post('/groups', { path: 'x' })).toMatchObject({ body: { error: 'name is missing' } })
  })

  test('refuses taken paths in any case', async () => {
    await owner.post('/groups', { name: 'Taken', path: 'taken' })
    for (const path of ['taken', 'TAKEN', 'olga', 'root']) {
      expect(await owner.post('/groups', { name: 'Other', path })).toMatchObject(
        failed(':path=>["has already been taken"]'),
      )
    }
    const parent = await owner.post('/groups', { name: 'Family', path: 'family' })
    const child = { name: 'Child', path: 'child', parent_id: parent.body.id }
    expect((await owner.post('/groups', child)).status).toBe(201)
    expect(await owner.post('/groups', { ...child, path: 'other' })).toMatchObject(
      failed(':name=>["has already been taken"]'),
    )
    const group = await server.make.group('withproject', owner)
    await server.make.project('thing', owner, { namespace: group })
    expect(await owner.post('/groups', { name: 'Thing', path: 'thing', parent_id: group.id })).toMatchObject(
      failed(':path=>["has already been taken"]'),
    )
  })

  test.each([
    ['-x', [pathRule, strictPathRule]],
    ['a b', [pathRule, strictPathRule]],
    ['x.git', [pathRule, strictPathRule]],
    ['x.', [pathRule, strictPathRule]],
    ['_x', [strictPathRule]],
    ['x-', [strictPathRule]],
    ['é', [pathRule, strictPathRule]],
    ['a/b', [pathRule, strictPathRule]],
    ['..', [pathRule, strictPathRule]],
  ])('refuses the path %s', async (path, rules) => {
    const told = rules.map((rule) => JSON.stringify(rule)).join(', ')
    expect(await owner.post('/groups', { name: 'Bad', path })).toMatchObject(failed(`:path=>[${told}]`))
  })

  test('refuses the paths reserved at the top level and below groups', async () => {
    expect(await owner.post('/groups', { name: 'A', path: 'admin' })).toMatchObject(
      failed(':path=>["admin is a reserved name"]'),
    )
    const parent = await owner.post('/groups', { name: 'environments', path: 'environments' })
    const below = (path: string) => owner.post('/groups', { name: path, path, parent_id: parent.body.id })
    expect(await below('tree')).toMatchObject(failed(':path=>["tree is a reserved name"]'))
    expect(await below('folders')).toMatchObject(failed(':path=>["folders is a reserved name"]'))
    expect((await below('admin')).status).toBe(201)
  })

  test('refuses invalid names and descriptions', async () => {
    expect(await owner.post('/groups', { name: '<b>', path: 'named' })).toMatchObject(
      failed(`:name=>[${JSON.stringify(nameRule)}]`),
    )
    expect(await owner.post('/groups', { name: ' ', path: 'named' })).toMatchObject(failed(`:name=>["can't be blank"]`))
    expect(await owner.post('/groups', { name: 'x'.repeat(256), path: 'named' })).toMatchObject(
      failed(':name=>["is too long (maximum is 255 characters)"]'),
    )
    expect(await owner.post('/groups', { name: 'x', path: 'named', description: 'd'.repeat(501) })).toMatchObject(
      failed(':description=>["is too long (maximum is 500 characters)"]'),
    )
    expect(await owner.post('/groups', { name: '🚀 (fast).', path: 'named' })).toMatchObject({ status: 201 })
  })

  test('refuses a visibility above that of the parent or of the instance', async () => {
    const parent = await owner.post('/groups', { name: 'Closed', path: 'closed' })
    const child = { name: 'Open', path: 'open', parent_id: parent.body.id, visibility: 'public' }
    expect(await owner.post('/groups', child)).toMatchObject(
      failed(':visibility_level=>["public is not allowed since the parent group has a private visibility."]'),
    )
    await server.root.put('/application/settings', { restricted_visibility_levels: ['public'] })
    try {
      const open = { name: 'Open', path: 'openly', visibility: 'public' }
      expect(await owner.post('/groups', open)).toMatchObject(
        failed(':visibility_level=>["public has been restricted by your GitLab administrator"]'),
      )
      expect((await server.root.post('/groups', open)).status).toBe(201)
    } finally {
      await server.root.put('/application/settings', { restricted_visibility_levels: [] })
    }
    expect(await owner.post('/groups', { ...child, visibility: 'secret' })).toMatchObject({
      status: 400,
      body: { error: 'visibility does not have a valid value' },
    })
  })

  test('takes default settings from the instance', async () => {
    const before = (await server.root.get('/application/settings')).body
    await server.root.put('/application/settings', {
      default_group_visibility: 'public',
      restricted_visibility_levels: ['public'],
      default_project_creation: 4,
      default_branch_protection: 3,
    })
    try {
      const made = await owner.post('/groups', { name: 'Begin', path: 'begin' })
      expect(made.body).toMatchObject({
        visibility: 'internal',
        project_creation_level: 'owner',
        default_branch_protection: 3,
      })
    } finally {
      const { default_group_visibility, default_project_creation, default_branch_protection } = before
      await server.root.put('/application/settings', {
        default_group_visibility,
        default_project_creation,
        default_branch_protection,
        restricted_visibility_levels: [],
      })
    }
  })

  test('refuses more than twenty levels below the root', async () => {
    let parent = await server.make.group('deep', owner)
    for (let depth = 1; depth < 20; depth += 1) parent = await server.make.group(`d${depth}`, owner, { parent })
    const last = await owner.post('/groups', { name: 'd20', path: 'd20', parent_id: parent.id })
    expect(last.status).toBe(201)
    expect(await owner.post('/groups', { name: 'd21', path: 'd21', parent_id: last.body.id })).toMatchObject(
      failed(':parent_id=>["has too deep level of nesting"]'),
    )
  })

  test('requires the right to create groups', async () => {
    const stranger = await server.user('create-stranger')
    const group = await server.make.group('guarded', owner)
    const sub = { name: 'S', path: 's', parent_id: group.id }
    const notFound = { status: 404, body: { message: '404 Group Not Found' } }
    expect(await stranger.post('/groups', sub)).toMatchObject(notFound)
    expect(await owner.post('/groups', { ...sub, parent_id: 99_999_999 })).toMatchObject(notFound)
    expect(await owner.post('/groups', { ...sub, parent_id: '9223372036854775807' })).toMatchObject(notFound)
    await server.make.member({ namespace: group }, stranger, 30)
    const forbidden = { status: 403, body: { message: '403 Forbidden' } }
    expect(await stranger.post('/groups', sub)).toMatchObject(forbidden)
    const maintainer = await server.user('create-maintainer')
    await server.make.member({ namespace: group }, maintainer, 40)
    expect((await maintainer.post('/groups', sub)).status).toBe(201)
    await owner.put(`/groups/${group.id}`, { subgroup_creation_level: 'owner' })
    expect(await maintainer.post('/groups', { ...sub, name: 'T', path: 't' })).toMatchObject(forbidden)
    expect(await server.anonymous.post('/groups', sub)).toMatchObject({ status: 401 })
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('users').set({ can_create_group: false }).where('id', '=', maintainer.id).execute(),
    )
    expect(await maintainer.post('/groups', { name: 'N', path: 'nobody' })).toMatchObject(forbidden)
    const reader = server.as(await server.make.token(owner, ['read_api']))
    expect(await reader.post('/groups', { name: 'N', path: 'nobody' })).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope', scope: 'api' },
    })
  })

  test('succeeds once for concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => owner.post('/groups', { name: 'Race', path: 'race' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
    const parent = await server.make.group('race-parent', owner)
    const sub = { name: 'Race', path: 'race', parent_id: parent.id }
    const below = await Promise.all([
      owner.post('/groups', sub),
      owner.post('/groups', { ...sub, path: 'race2' }),
      owner.post('/groups', { ...sub, name: 'Race 2' }),
    ])
    expect(below.map(({ status }) => status).sort()).not.toContain(500)
    expect(below.filter(({ status }) => status === 201).length).toBeGreaterThan(0)
  })

  test.each([
    [{ name: { a: 1 }, path: 'h1' }, 'name is invalid'],
    [{ name: 'x', path: ['a'] }, 'path is invalid'],
    [{ name: 'x', path: 'h2', parent_id: 'one' }, 'parent_id is invalid'],
    [{ name: 'x\u0000', path: 'h3' }, 'name is invalid'],
    [{ name: 'x', path: 'h4', default_branch_protection: 5 }, 'default_branch_protection does not have a valid value'],
    [{ name: 'x', path: 'h5', two_factor_grace_period: 1e300 }, 'two_factor_grace_period is invalid'],
    [{ name: 'x', path: 'h6', avatar: 'text' }, 'avatar is invalid'],
  ])('refuses %j', async (body, error) => {
    expect(await owner.post('/groups', body)).toMatchObject({ status: 400, body: { error } })
  })
})
