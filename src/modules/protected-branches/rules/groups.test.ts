import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Person,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { ruleOwnerOf, rulesFor } from '../store/rules.ts'
import { presentedRules } from './rules.ts'

let server: TestServer
let owner: Person
let maintainer: Person
let group: NamespaceRow
let inner: NamespaceRow
let people: ProjectWithMembers
let base: string

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('group-owner')
  maintainer = await server.user('group-maintainer')
  group = await server.make.group('g', owner)
  inner = await server.make.group('inner', owner, { parent: group })
  await server.make.member({ namespace: group }, maintainer, 40)
  people = await projectWithMembers(server, { namespace: inner })
  base = `/groups/${group.id}/protected_branches`
})
afterAll(() => server.stop())

describe('the rules of a top-level group', () => {
  test('apply to every project below, and are changed only through the group', async () => {
    const made = await owner.post(base, { name: 'hotfix/*', merge_access_level: 30 })
    expect(made).toMatchObject({ status: 201, body: { name: 'hotfix/*' } })
    expect(Object.keys(made.body)).not.toContain('inherited')
    const path = `/projects/${people.project.id}/protected_branches`
    expect((await people.reporter.get(path)).body).toEqual([{ ...made.body, inherited: true }])
    expect((await people.reporter.get(`${path}/hotfix%2F*`)).body.inherited).toBe(true)
    for (const answer of [
      await people.owner.delete(`${path}/hotfix%2F*`),
      await people.owner.patch(`${path}/hotfix%2F*`, { allow_force_push: true }),
    ])
      expect(answer).toMatchObject({
        status: 403,
        body: { message: '403 Forbidden - Protected branch is inherited from the group' },
      })
    const own = await people.owner.post(path, { name: 'hotfix/*', push_access_level: 30 })
    expect(own.status).toBe(201)
    expect((await people.owner.get(`${path}/hotfix%2F*`)).body).toEqual(own.body)
    expect((await people.owner.get(path)).body.map(({ id }: { id: number }) => id)).toEqual([made.body.id, own.body.id])
    expect((await people.owner.delete(`${path}/hotfix%2F*`)).status).toBe(204)
    expect((await people.owner.get(`${path}/hotfix%2F*`)).body.inherited).toBe(true)
    const elsewhere = await projectWithMembers(server)
    expect((await elsewhere.owner.get(`/projects/${elsewhere.project.id}/protected_branches`)).body).toEqual([])
  })

  test('are listed, read, changed and deleted like rules of projects', async () => {
    expect((await owner.post(base, { name: 'b' })).status).toBe(201)
    expect(await owner.post(base, { name: 'b' })).toMatchObject({
      status: 409,
      body: { message: "Protected branch 'b' already exists" },
    })
    expect((await owner.post(base, {})).body.error).toBe('name is missing')
    expect((await owner.get(`${base}?search=B`)).body).toMatchObject([{ name: 'b' }])
    const { body } = await owner.get(`${base}/b`)
    const [entry] = body.push_access_levels
    const changed = await owner.patch(`${base}/b`, { allowed_to_push: [{ id: entry.id, access_level: 30 }] })
    expect(changed).toMatchObject({ status: 200, body: { push_access_levels: [{ id: entry.id, access_level: 30 }] } })
    expect((await owner.patch(`${base}/b`, { allow_force_push: '' })).body.error).toBe('allow_force_push is empty')
    const headers = { 'If-Unmodified-Since': 'Wed, 01 Jan 2020 00:00:00 GMT' }
    expect((await owner.delete(`${base}/b`, { headers })).status).toBe(412)
    expect((await owner.delete(`${base}/b`)).status).toBe(204)
    for (const answer of [await owner.delete(`${base}/b`), await owner.get(`${base}/b`)])
      expect(answer).toMatchObject({ status: 404, body: { message: '404 Not found' } })
  })

  test('name members of the group, its subgroups and invited groups', async () => {
    const friends = await server.make.group('friends', owner)
    const strangers = await server.make.group('strangers', owner)
    const { database, clock } = server.app.platform
    const link = { group_id: friends.id, namespace_id: group.id, project_id: null, access_level: 30, expires_at: null }
    await database.write((tx) =>
      tx
        .insertInto('group_links')
        .values({ ...link, created_at: clock.now().toISOString() })
        .execute(),
    )
    const made = await owner.post(base, {
      name: 'named',
      allowed_to_push: [{ user_id: maintainer.id }, { group_id: inner.id }, { group_id: friends.id }],
    })
    expect(made.status).toBe(201)
    const refused = await owner.post(base, {
      name: 'refused',
      allowed_to_push: [{ user_id: people.outsider.id }, { deploy_key_id: 1 }],
      allowed_to_merge: [{ user_id: people.developer.id }, { group_id: strangers.id }],
    })
    expect(refused).toMatchObject({
      status: 422,
      body: {
        message: [
          'Push access levels user is not a member of the group',
          'Push access levels must set exactly one of access_level, user_id, group_id or deploy_key_id',
          'Merge access levels user is not a member of the group',
          'Merge access levels group does not have access to the group',
        ],
      },
    })
  })

  test('are changed by owners on the unprotect list', async () => {
    const founder = await server.user('second-owner')
    await server.make.member({ namespace: group }, founder, 50)
    await owner.post(base, { name: 'guarded', allowed_to_unprotect: [{ user_id: founder.id }] })
    expect((await owner.delete(`${base}/guarded`)).status).toBe(403)
    expect((await founder.patch(`${base}/guarded`, { allow_force_push: true })).status).toBe(200)
    expect((await server.root.delete(`${base}/guarded`)).status).toBe(204)
    // Their role in a subgroup counts for the rules of the group.
    await owner.post(base, { name: 'guarded', allowed_to_unprotect: [{ group_id: inner.id }] })
    expect((await owner.delete(`${base}/guarded`)).status).toBe(204)
  })

  test('are found with those of a project, by name and by wildcard', async () => {
    const namespace = await server.make.group('with-rules', owner)
    const project = await server.make.project('ruled', owner, { namespace })
    const path = `/projects/${project.id}/protected_branches`
    const own = (await owner.post(path, { name: 'both' })).body
    const above = (await owner.post(`/groups/${namespace.id}/protected_branches`, { name: 'both' })).body
    for (const name of ['wild/*', 'alone']) await owner.post(path, { name })
    const listed = [own, { ...above, inherited: true }]
    const { platform } = server.app
    const ruleOwner = ruleOwnerOf(project)
    expect(await presentedRules(platform, ruleOwner, ['both'])).toEqual(listed)
    const all = await presentedRules(platform, ruleOwner)
    expect(all.map(({ name }) => name)).toEqual(['alone', 'both', 'both', 'wild/*'])
    const found = await rulesFor(platform.database.read, ruleOwner, ['alone', 'nothing'])
    expect(found.map(({ name }) => name)).toEqual(['alone', 'wild/*'])
    expect((await owner.get(`${path}?search=both`)).body).toEqual(listed)
  })

  test('exist in top-level groups only', async () => {
    await owner.post(base, { name: 'closed' })
    const asked = [
      ['get', ''],
      ['get', '/closed'],
      ['post', ''],
      ['patch', '/closed'],
      ['delete', '/closed'],
    ] as const
    for (const [method, suffix] of asked) {
      const path = `/groups/${inner.id}/protected_branches`
      const answer = method === 'post' ? owner.post(path, { name: 'x' }) : owner[method](path + suffix)
      expect(await answer).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
    }
    expect((await owner.get(`${base}/closed`)).status).toBe(200)
  })
})
