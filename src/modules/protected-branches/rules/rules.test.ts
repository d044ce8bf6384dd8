import { describe, expect, test } from 'vitest'
import { projectWithMembers, queriesOf } from '../../../testing/index.ts'
import { base, named, people, protect, serveRulesForTests, server, unprocessable } from '../testing.ts'

serveRulesForTests()

const level = (access_level: number, description: string) => ({
  id: expect.any(Number),
  access_level,
  access_level_description: description,
  user_id: null,
  group_id: null,
})
const maintainers = level(40, 'Maintainers')
const developers = level(30, 'Developers + Maintainers')

describe('1.19 create', () => {
  test('grants maintainers everything by default', async () => {
    const answer = await protect({ name: 'plain' })
    expect(answer).toMatchObject({ status: 201 })
    expect(answer.body).toEqual({
      id: expect.any(Number),
      name: 'plain',
      push_access_levels: [maintainers],
      merge_access_levels: [maintainers],
      allow_force_push: false,
      unprotect_access_levels: [maintainers],
      code_owner_approval_required: false,
    })
  })

  test('accepts levels, flags, and lists that replace the default level or follow a given one', async () => {
    const { developer, maintainer } = people
    const answer = await protect({
      name: 'lists/*',
      push_access_level: 0,
      merge_access_level: 30,
      unprotect_access_level: 60,
      allow_force_push: true,
      code_owner_approval_required: true,
      allowed_to_push: [{ user_id: developer.id }, { access_level: 30 }],
      allowed_to_unprotect: [{ user_id: maintainer.id }],
    })
    expect(answer.body).toMatchObject({ allow_force_push: true, code_owner_approval_required: true })
    const { push_access_levels, merge_access_levels, unprotect_access_levels } = answer.body
    expect(push_access_levels[0]).toEqual(level(0, 'No one'))
    expect(push_access_levels[1]).toMatchObject({
      access_level: null,
      access_level_description: `${developer.username} person`,
      user_id: developer.id,
    })
    expect(named(push_access_levels)).toEqual([
      [0, null, null],
      [null, developer.id, null],
      [30, null, null],
    ])
    expect(merge_access_levels).toEqual([developers])
    expect(unprotect_access_levels[0]).toEqual(level(60, 'Instance admins'))
    expect(named(unprotect_access_levels)[1]).toEqual([null, maintainer.id, null])
    const only = await protect({ name: 'only', allowed_to_push: [{ user_id: developer.id }], allowed_to_merge: [] })
    expect(named(only.body.push_access_levels)).toEqual([[null, developer.id, null]])
    expect(named(only.body.merge_access_levels)).toEqual([[40, null, null]])
  })

  test('accepts the same parameters as a form', async () => {
    const form = new URLSearchParams([
      ['name', 'form'],
      ['allowed_to_push[][user_id]', String(people.developer.id)],
      ['allowed_to_push[][access_level]', '30'],
      ['allowed_to_merge[0][access_level]', '0'],
    ])
    const answer = await people.maintainer.post(base, form)
    expect(answer).toMatchObject(
      unprocessable('Push access levels must set exactly one of access_level, user_id, group_id or deploy_key_id'),
    )
    form.delete('allowed_to_push[][access_level]')
    expect(await people.maintainer.post(base, form)).toMatchObject({
      status: 201,
      body: { push_access_levels: [{ user_id: people.developer.id }], merge_access_levels: [{ access_level: 0 }] },
    })
  })

  test('reports invalid parameters', async () => {
    expect(await protect({})).toMatchObject({
      status: 400,
      body: { message: '400 (Bad request) "name" not given', error: 'name is missing' },
    })
    const wrong = async (body: object) => (await protect({ name: 'wrong', ...body })).body
    expect(await wrong({ push_access_level: 35 })).toEqual({
      message: { push_access_level: ['does not have a valid value'] },
      error: 'push_access_level does not have a valid value',
    })
    expect((await wrong({ unprotect_access_level: 0 })).error).toBe(
      'unprotect_access_level does not have a valid value',
    )
    expect((await wrong({ allowed_to_push: [{ access_level: 50 }] })).error).toBe(
      'allowed_to_push[0][access_level] does not have a valid value',
    )
    expect((await wrong({ allowed_to_unprotect: [{ access_level: 40 }, { access_level: 0 }] })).error).toBe(
      'allowed_to_unprotect[1][access_level] does not have a valid value',
    )
    expect((await wrong({ allowed_to_push: [{ user_id: 'x' }] })).error).toBe('allowed_to_push[0][user_id] is invalid')
    for (const value of ['x', 7, { a: 1 }, ['x']])
      expect((await wrong({ allowed_to_push: value })).message, JSON.stringify(value)).toBeTypeOf('object')
    expect((await wrong({ name: 'a\u0000b' })).error).toBe('name is invalid')
    expect((await wrong({ allow_force_push: 'maybe' })).error).toBe('allow_force_push is invalid')
  })

  test('refuses a name that no branch can have (contract 01, "Names")', async () => {
    for (const name of ['a..b', 'a\nb', '/a', 'a b', '-x', 'HEAD', 'refs/heads/main', '*.lock', 'a/', '*@{*']) {
      expect(await protect({ name })).toMatchObject(unprocessable('Name is invalid'))
    }
    for (const name of ['*', 'a.*', 'HEAD*', 'release/**/ü', '*/*-stable']) {
      expect((await protect({ name })).status).toBe(201)
      await people.maintainer.delete(`${base}/${encodeURIComponent(name)}`)
    }
  })

  test('reports all problems of a rule and stores nothing', async () => {
    const group = await server.make.group('elsewhere', people.outsider)
    const missing = 2_000_000_000
    expect(await protect({ name: ' ' })).toMatchObject(unprocessable("Name can't be blank"))
    expect((await protect({ name: 'x'.repeat(255) })).status).toBe(201)
    expect(await protect({ name: 'x'.repeat(256) })).toMatchObject(
      unprocessable('Name is too long (maximum is 255 characters)'),
    )
    const answer = await protect({
      name: 'refused',
      push_access_level: 40,
      allowed_to_push: [{ access_level: 40 }, { user_id: people.outsider.id }, {}, { user_id: missing, group_id: 1 }],
      allowed_to_merge: [{ group_id: group.id }, { group_id: missing }, { deploy_key_id: 1 }],
      allowed_to_unprotect: [{ user_id: people.developer.id }, { user_id: people.developer.id }],
    })
    expect(answer).toMatchObject(
      unprocessable(
        'Push access levels user is not a member of the project',
        'Push access levels must set exactly one of access_level, user_id, group_id or deploy_key_id',
        'Push access levels access level has already been taken',
        'Merge access levels group does not have access to the project',
        'Merge access levels must set exactly one of access_level, user_id, group_id or deploy_key_id',
        'Unprotect access levels user has already been taken',
      ),
    )
    expect(await protect({ name: 'refused', allowed_to_push: [{ deploy_key_id: missing }] })).toMatchObject(
      unprocessable('Push access levels deploy key is not enabled for this project'),
    )
    const hundred = Array.from({ length: 101 }, () => ({ access_level: 30 }))
    expect(await protect({ name: 'refused', allowed_to_push: hundred })).toMatchObject(
      unprocessable('Push access levels is too long (maximum is 100)'),
    )
    expect((await people.maintainer.get(`${base}/refused`)).status).toBe(404)
  })

  test('creates one rule for a name, even with concurrent requests', async () => {
    await protect({ name: 'taken' })
    expect(await protect({ name: 'taken' })).toMatchObject({
      status: 409,
      body: { message: "Protected branch 'taken' already exists" },
    })
    const answers = await Promise.all(Array.from({ length: 6 }, () => protect({ name: 'contended' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
    expect((await protect({ name: 'Taken' })).status).toBe(201)
  })

  test('accepts groups with access and keys with push access', async () => {
    const { project, owner } = people
    const group = await server.make.group('invited', owner)
    const { database, clock } = server.app.platform
    const now = clock.now().toISOString()
    await database.write((tx) =>
      tx
        .insertInto('group_links')
        .values({
          group_id: group.id,
          namespace_id: null,
          project_id: project.id,
          access_level: 20,
          expires_at: null,
          created_at: now,
        })
        .execute(),
    )
    const key = await deployKey(project.id, 'the key', true)
    const readOnly = await deployKey(project.id, 'read-only', false)
    const answer = await protect({
      name: 'others',
      allowed_to_push: [{ group_id: group.id }, { deploy_key_id: key }],
    })
    expect(answer.body.push_access_levels).toEqual([
      {
        id: expect.any(Number),
        access_level: null,
        access_level_description: 'invited',
        user_id: null,
        group_id: group.id,
      },
      {
        id: expect.any(Number),
        access_level: null,
        access_level_description: 'the key',
        deploy_key_id: key,
        user_id: null,
        group_id: null,
      },
    ])
    expect(await protect({ name: 'read-only', allowed_to_push: [{ deploy_key_id: readOnly }] })).toMatchObject(
      unprocessable('Push access levels deploy key is not enabled for this project'),
    )
  })

  test('needs the scope api, and is open to administrators', async () => {
    const body = { name: 'read-only' }
    const reading = server.as(await server.make.token(people.maintainer, ['read_api']))
    expect((await protect(body, reading)).status).toBe(403)
    expect((await protect({ name: 'root' }, server.root)).status).toBe(201)
  })
})

/** Inserts the rows of a deploy key of the project. */
async function deployKey(projectId: number, title: string, canPush: boolean, ownerId = people.owner.id) {
  const { database, clock } = server.app.platform
  const now = clock.now().toISOString()
  return database.write(async (tx) => {
    const { id } = await tx
      .insertInto('keys')
      .values({
        kind: 'deploy',
        title,
        key: `ssh-ed25519 ${title}`,
        type: 'ssh-ed25519',
        fingerprint_md5: title,
        fingerprint_sha256: title,
        usage_type: 'auth_and_signing',
        owner_id: ownerId,
        created_at: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await tx
      .insertInto('deploy_key_projects')
      .values({ key_id: id, project_id: projectId, can_push: canPush, created_at: now, updated_at: now })
      .execute()
    return id
  })
}

describe('1.17 list and 1.18 get', () => {
  test('list rules by name, searched and paged, in a constant number of queries', async () => {
    const { project, maintainer } = await projectWithMembers(server)
    const path = `/projects/${project.id}/protected_branches`
    const names = async (query = '') =>
      (await maintainer.get(path + query)).body.map(({ name }: { name: string }) => name)
    for (const name of ['b', 'A', 'release/*', 'a%b', 'é']) await protect({ name }, maintainer, path)
    expect(await names()).toEqual(['A', 'a%b', 'b', 'release/*', 'é'])
    expect(await names('?search=a')).toEqual(['A', 'a%b', 'release/*'])
    expect(await names('?search=%25')).toEqual(['a%b'])
    expect(await names('?search=*')).toEqual(['release/*'])
    const second = await maintainer.get(`${path}?per_page=2&page=2`)
    expect(second.headers.get('x-total')).toBe('5')
    expect(second.body).toHaveLength(2)
    const queries = () => queriesOf(server, () => maintainer.get(`${path}?per_page=100`))
    const few = await queries()
    for (let index = 0; index < 20; index += 1) await protect({ name: `many${index}` }, maintainer, path)
    expect(await queries()).toBe(few)
  })

  test('find a rule by its exact name', async () => {
    await protect({ name: 'release/*' })
    for (const name of ['release%2F*', 'release%2F%2A'])
      expect(await people.reporter.get(`${base}/${name}`)).toMatchObject({ status: 200, body: { name: 'release/*' } })
    for (const name of ['release%2F1', 'Release%2F*', 'nope', '%25'])
      expect(await people.reporter.get(`${base}/${name}`)).toMatchObject({
        status: 404,
        body: { message: '404 Not found' },
      })
  })
})
