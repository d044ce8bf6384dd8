import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Person,
  type ProjectWithMembers,
  projectWithMembers,
  queriesOf,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'

let server: TestServer
let group: NamespaceRow
let inner: NamespaceRow
let stranger: NamespaceRow
let people: ProjectWithMembers
let base: string
let ofGroup: string
let groupOwner: Person
let groupMaintainer: Person

beforeAll(async () => {
  server = await startTestServer()
  groupOwner = await server.user('group-owner')
  groupMaintainer = await server.user('group-maintainer')
  group = await server.make.group('g', groupOwner)
  inner = await server.make.group('inner', groupOwner, { parent: group })
  stranger = await server.make.group('stranger', groupOwner)
  await server.make.member({ namespace: group }, groupMaintainer, 40)
  people = await projectWithMembers(server, { namespace: inner })
  base = `/projects/${people.project.id}/protected_environments`
  ofGroup = `/groups/${group.id}/protected_environments`
})
afterAll(() => server.stop())

const byMaintainers = [{ access_level: 40 }]
let count = 0
/** A name that is not taken. */
const fresh = () => {
  count += 1
  return `environment-${count}`
}
const create = (body: object) => people.maintainer.post(base, body)
const tooShort = { message: ['Deploy access levels is too short (minimum is 1 character)'] }

describe('a protected environment', () => {
  test('is created with who may deploy and who has to approve', async () => {
    const { developer } = people
    const made = await create({
      name: 'review/a b',
      deploy_access_levels: [{ access_level: 40 }, { user_id: developer.id }, { group_id: group.id }],
      approval_rules: [
        { access_level: 60, required_approvals: 5 },
        { group_id: inner.id, group_inheritance_type: 1 },
      ],
      required_approval_count: 0,
    })
    const nobody = { access_level: null, user_id: null, group_id: null, group_inheritance_type: 0 }
    const id = expect.any(Number)
    expect(made).toMatchObject({ status: 201 })
    expect(made.body).toEqual({
      name: 'review/a b',
      deploy_access_levels: [
        { ...nobody, id, access_level: 40, access_level_description: 'Maintainers' },
        { ...nobody, id, user_id: developer.id, access_level_description: expect.any(String) },
        { ...nobody, id, group_id: group.id, access_level_description: group.name },
      ],
      required_approval_count: 0,
      approval_rules: [
        { ...nobody, id, access_level: 60, access_level_description: 'Instance admins', required_approvals: 5 },
        {
          ...nobody,
          ...{ id, group_id: inner.id, access_level_description: inner.name },
          ...{ group_inheritance_type: 1, required_approvals: 1 },
        },
      ],
    })
    const { body: user } = await people.maintainer.get(`/users/${developer.id}`)
    expect(made.body.deploy_access_levels[1].access_level_description).toBe(user.name)
    expect((await people.maintainer.get(`${base}/review%2Fa%20b`)).body).toEqual(made.body)
  })

  test('is listed by name, with a fixed number of queries', async () => {
    const own = await projectWithMembers(server)
    const path = `/projects/${own.project.id}/protected_environments`
    for (const name of ['b', 'c', 'a']) {
      const given = { name, deploy_access_levels: [{ user_id: own.developer.id }], approval_rules: byMaintainers }
      expect((await own.owner.post(path, given)).status).toBe(201)
    }
    const listed = await own.maintainer.get(path)
    expect(listed.body.map(({ name }: { name: string }) => name)).toEqual(['a', 'b', 'c'])
    expect((await own.maintainer.get(`${path}?per_page=1&page=2`)).body).toEqual([listed.body[1]])
    const one = await queriesOf(server, () => own.maintainer.get(`${path}?per_page=1`))
    expect(await queriesOf(server, () => own.maintainer.get(path))).toBe(one)
  })

  test('is created once', async () => {
    const given = { name: fresh(), deploy_access_levels: byMaintainers }
    const answers = await Promise.all([create(given), create(given), create(given)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect(await create(given)).toMatchObject({
      status: 409,
      body: { message: `Environment '${given.name}' is already protected` },
    })
  })

  test('is for maintainers to see and change, in the premium edition', async () => {
    for (const person of [people.developer, people.reporter]) {
      expect((await person.get(base)).status).toBe(403)
      expect((await person.post(base, { name: fresh(), deploy_access_levels: byMaintainers })).status).toBe(403)
    }
    expect((await server.anonymous.get(base)).status).toBe(401)
  })

  test.each([
    [{}, { error: 'name is missing, deploy_access_levels is missing' }],
    [{ name: 'x' }, { error: 'deploy_access_levels is missing' }],
    [
      { name: 'x', deploy_access_levels: [{ access_level: 50 }] },
      { error: 'deploy_access_levels[0][access_level] does not have a valid value' },
    ],
    [
      { name: 'x', deploy_access_levels: byMaintainers, approval_rules: [{ access_level: 0 }] },
      { error: 'approval_rules[0][access_level] does not have a valid value' },
    ],
    [
      { name: 'x', deploy_access_levels: byMaintainers, approval_rules: [{ required_approvals: 1 }] },
      {
        error:
          'approval_rules[0][access_level], approval_rules[0][user_id], approval_rules[0][group_id] are missing, ' +
          'at least one parameter must be provided',
      },
    ],
    [{ name: 'x', deploy_access_levels: [{}] }, { error: expect.stringContaining('at least one parameter') }],
    [{ name: 'x', deploy_access_levels: [{ access_level: 40, group_inheritance_type: 2 }] }, {}],
    [{ name: 'x', deploy_access_levels: ['x'] }, { error: 'deploy_access_levels[0] is invalid' }],
    [{ name: 'x', deploy_access_levels: [{ user_id: 'x' }] }, { error: 'deploy_access_levels[0][user_id] is invalid' }],
    ...[0, 6, -1, 'x'].map((required_approvals): [object, object] => [
      { name: 'x', deploy_access_levels: byMaintainers, approval_rules: [{ access_level: 40, required_approvals }] },
      { error: expect.stringContaining('approval_rules[0][required_approvals]') },
    ]),
  ])('refuses %j', async (given, body) => {
    expect(await create(given)).toMatchObject({ status: 400, body })
  })

  test.each([
    [{ name: ' ' }, ["Name can't be blank"]],
    [{ name: 'x'.repeat(256) }, ['Name is too long (maximum is 255 characters)']],
    [{ required_approval_count: 1 }, "Parameter 'required_approval_count' is deprecated and shouldn't be used."],
    [{ deploy_access_levels: [] }, tooShort.message],
    [{ deploy_access_levels: [{ user_id: 987_654 }, { group_id: 987_654 }] }, tooShort.message],
    [
      { deploy_access_levels: [{ user_id: 1, access_level: 40 }] },
      ['Deploy access levels must set exactly one of access_level, user_id or group_id'],
    ],
    [
      { deploy_access_levels: Array.from({ length: 101 }, () => ({ access_level: 40 })) },
      ['Deploy access levels is too long (maximum is 100)'],
    ],
    [
      { approval_rules: Array.from({ length: 21 }, () => ({ access_level: 40 })) },
      ['Approval rules is too long (maximum is 20)'],
    ],
    [
      { approval_rules: Array.from({ length: 1_000 }, (_, index) => ({ user_id: index + 1 })) },
      ['Approval rules is too long (maximum is 20)'],
    ],
  ])('refuses what cannot be stored: %j', async (given, message) => {
    const name = fresh()
    const answer = await create({ name, deploy_access_levels: byMaintainers, ...given })
    expect(answer).toMatchObject({ status: 422, body: { message } })
    expect((await people.maintainer.get(`${base}/${name}`)).status).toBe(404)
  })

  test('is one of at most 10,000', async () => {
    const own = await projectWithMembers(server)
    const { database } = server.app.platform
    const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' }
    const rows = Array.from({ length: 9_999 }, (_, index) => ({
      project_id: own.project.id,
      name: `e${index}`,
      ...times,
    }))
    await database.write(async (tx) => {
      for (let from = 0; from < rows.length; from += 1_111) {
        await tx
          .insertInto('protected_environments')
          .values(rows.slice(from, from + 1_111))
          .execute()
      }
    })
    const add = (name: string) =>
      own.maintainer.post(`/projects/${own.project.id}/protected_environments`, {
        ...{ name, deploy_access_levels: byMaintainers },
      })
    expect((await add('last')).status).toBe(201)
    expect(await add('one more')).toMatchObject({
      status: 422,
      body: { message: ['Protected environments are too many (maximum is 10000)'] },
    })
  })

  test('may have any legal name, also odd ones', async () => {
    for (const name of ['é🚀', '../../etc', 'a%2Fb', '*', "'; drop table users; --", '(a+)+$', 'x'.repeat(255)]) {
      expect(await create({ name, deploy_access_levels: byMaintainers })).toMatchObject({ status: 201, body: { name } })
      const one = `${base}/${encodeURIComponent(name)}`
      expect((await people.maintainer.get(one)).body.name).toBe(name)
      expect((await people.maintainer.delete(one)).status).toBe(204)
    }
  })

  test('leaves out users without a role, and groups that are neither invited nor above', async () => {
    const outsider = await server.user('without-role')
    const invited = await server.make.group('invited', groupOwner, { visibility: 'public' })
    const share = { group_id: invited.id, group_access: 30 }
    expect((await people.owner.post(`/projects/${people.project.id}/share`, share)).status).toBe(201)
    const given = [outsider.id, people.guest.id].map((user_id) => ({ user_id }))
    const groups = [stranger, invited, inner, group].map(({ id: group_id }) => ({ group_id }))
    const { body } = await create({
      name: fresh(),
      deploy_access_levels: [...given, ...groups],
      approval_rules: [{ user_id: outsider.id }, { group_id: stranger.id }, { user_id: people.guest.id }],
    })
    const named = (entries: { user_id: number; group_id: number }[]) =>
      entries.map(({ user_id, group_id }) => user_id ?? group_id)
    expect(named(body.deploy_access_levels)).toEqual([people.guest.id, invited.id, inner.id, group.id])
    expect(named(body.approval_rules)).toEqual([people.guest.id])
  })
})

describe('changing a protected environment', () => {
  const made = async () => {
    const name = fresh()
    const { body } = await create({
      name,
      deploy_access_levels: [{ access_level: 40 }, { user_id: people.developer.id }],
      approval_rules: [{ access_level: 30, required_approvals: 2 }],
    })
    const change = (given: object) => people.maintainer.put(`${base}/${name}`, given)
    return { name, levels: body.deploy_access_levels, rules: body.approval_rules, body, change }
  }

  test('adds, changes and removes entries', async () => {
    const { levels, rules, change } = await made()
    const { status, body } = await change({
      deploy_access_levels: [
        { id: levels[0].id, group_id: group.id, group_inheritance_type: 1 },
        { id: levels[1].id, _destroy: true },
        { access_level: 30 },
      ],
      approval_rules: [{ id: rules[0].id, required_approvals: 3 }, { user_id: people.reporter.id }],
    })
    expect(status).toBe(200)
    expect(body.deploy_access_levels).toMatchObject([
      { id: levels[0].id, access_level: null, group_id: group.id, group_inheritance_type: 1 },
      { access_level: 30, group_id: null },
    ])
    expect(body.approval_rules).toMatchObject([
      { id: rules[0].id, access_level: 30, required_approvals: 3 },
      { user_id: people.reporter.id, required_approvals: 1 },
    ])
    const cleared = await change({
      approval_rules: body.approval_rules.map(({ id }: { id: number }) => ({ id, _destroy: true })),
    })
    expect(cleared.body).toMatchObject({ approval_rules: [], deploy_access_levels: body.deploy_access_levels })
  })

  test('takes what was read, and nothing at all', async () => {
    const { body, change } = await made()
    expect(await change(body)).toMatchObject({ status: 200, body })
    expect(await change({})).toMatchObject({ status: 200, body })
    const unchanged = { deploy_access_levels: [{ id: body.deploy_access_levels[0].id }] }
    expect(await change(unchanged)).toMatchObject({ status: 200, body })
  })

  test('changes nothing for users and groups without access', async () => {
    const { body, levels, change } = await made()
    const outsider = await server.user('without-role-either')
    const given = { deploy_access_levels: [{ id: levels[0].id, user_id: outsider.id }, { group_id: stranger.id }] }
    expect(await change(given)).toMatchObject({ status: 200, body })
  })

  test('keeps someone who may deploy, and refuses entries of others', async () => {
    const { name, body, levels, change } = await made()
    const all = levels.map(({ id }: { id: number }) => ({ id, _destroy: true }))
    expect(await change({ deploy_access_levels: all })).toMatchObject({ status: 422, body: tooShort })
    const other = await made()
    for (const given of [
      { deploy_access_levels: [{ id: other.levels[0].id, access_level: 30 }] },
      { approval_rules: [{ id: other.rules[0].id, _destroy: true }] },
      { approval_rules: [{ id: 987_654, access_level: 40 }] },
    ]) {
      expect((await change({ ...given, required_approval_count: 0 })).status).toBe(404)
    }
    expect(await change({ required_approval_count: 2 })).toMatchObject({ status: 422 })
    const more = Array.from({ length: 99 }, () => ({ access_level: 40 }))
    expect(await change({ deploy_access_levels: more })).toMatchObject({
      status: 422,
      body: { message: ['Deploy access levels is too long (maximum is 100)'] },
    })
    expect((await people.maintainer.get(`${base}/${name}`)).body).toEqual(body)
    expect((await people.maintainer.put(`${base}/none`, {})).status).toBe(404)
  })

  test('ends with its deletion, which honours If-Unmodified-Since', async () => {
    const { name } = await made()
    const one = `${base}/${name}`
    const headers = { 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }
    expect((await people.maintainer.delete(one, { headers })).status).toBe(412)
    const twice = await Promise.all([people.maintainer.delete(one), people.maintainer.delete(one)])
    expect(twice.map(({ status }) => status).sort()).toEqual([204, 404])
    expect((await people.maintainer.get(one)).status).toBe(404)
  })
})

describe('a protected tier of a group', () => {
  test('is created, listed, changed and deleted by maintainers', async () => {
    const given = {
      name: 'production',
      deploy_access_levels: [{ group_id: inner.id }, { user_id: groupMaintainer.id }],
    }
    const made = await groupMaintainer.post(ofGroup, given)
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'production', deploy_access_levels: [{ group_id: inner.id }, { user_id: groupMaintainer.id }] },
    })
    expect(await groupOwner.post(ofGroup, given)).toMatchObject({
      status: 409,
      body: { message: "Protected environment 'production' already exists" },
    })
    expect((await groupMaintainer.get(ofGroup)).body).toEqual([made.body])
    expect((await groupMaintainer.get(`${ofGroup}/production`)).body).toEqual(made.body)
    const changed = await groupOwner.put(`${ofGroup}/production`, { approval_rules: byMaintainers })
    expect(changed.body).toMatchObject({ approval_rules: [{ access_level: 40 }] })
    expect((await groupMaintainer.delete(`${ofGroup}/production`)).status).toBe(204)
    expect((await groupMaintainer.get(`${ofGroup}/production`)).status).toBe(404)
  })

  test('has the name of a tier', async () => {
    for (const name of ['x', 'Production', '', 'production ']) {
      expect(await groupOwner.post(ofGroup, { name, deploy_access_levels: byMaintainers })).toMatchObject({
        status: 422,
        body: {
          message: ['Name must be one of environment tiers: production, staging, testing, development, other.'],
        },
      })
    }
  })

  test('names members of the group, and groups that are invited, above or below', async () => {
    const given = {
      name: 'staging',
      deploy_access_levels: [{ user_id: people.developer.id }, { group_id: stranger.id }],
    }
    expect(await groupOwner.post(ofGroup, given)).toMatchObject({ status: 422, body: tooShort })
    const below = `/groups/${inner.id}/protected_environments`
    const groups = [{ group_id: group.id }, { group_id: inner.id }, { group_id: stranger.id }]
    const { body } = await groupOwner.post(below, { name: 'staging', deploy_access_levels: groups })
    expect(body.deploy_access_levels.map(({ group_id }: { group_id: number }) => group_id)).toEqual([
      group.id,
      inner.id,
    ])
  })
})
