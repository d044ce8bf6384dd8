import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import { hashToken } from '../../../infra/secrets/index.ts'
import {
  type Person,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { contact } from '../testing.ts'

const start = '2026-03-04T05:06:07.890Z'
const hourMs = 3_600_000
let clock: ManualClock
let server: TestServer
let people: ProjectWithMembers
let groupOwner: Person
let groupId: number
beforeAll(async () => {
  clock = manualClock({ start })
  server = await startTestServer({ clock })
  people = await projectWithMembers(server)
  groupOwner = await server.user('group_owner')
  groupId = (await server.make.group('above', groupOwner)).id
})
afterAll(() => server.stop())
beforeEach(async () => {
  await server.app.platform.database.write((tx) => tx.deleteFrom('runners').execute())
  await server.root.put('/application/plan_limits', {
    plan_name: 'default',
    ci_registered_group_runners: 1000,
    ci_registered_project_runners: 1000,
  })
})

const forbidden = (reason?: string) => ({
  status: 403,
  body: { message: reason ? `403 Forbidden - ${reason}` : '403 Forbidden' },
})
const invalid = (message: object) => ({ status: 400, body: { message } })
const ofProject = (more: object = {}) => ({ runner_type: 'project_type', project_id: people.project.id, ...more })
const ofGroup = (more: object = {}) => ({ runner_type: 'group_type', group_id: groupId, ...more })
const make = async (by: Person | TestServer['root'], body: object) => {
  const answer = await by.post('/user/runners', body)
  expect(answer.status).toBe(201)
  return answer.body as { id: number; token: string }
}

describe('a runner', () => {
  test('is created with the defaults, and shows its token once', async () => {
    const { maintainer, project } = people
    const created = await maintainer.post('/user/runners', ofProject())
    expect(created).toMatchObject({ status: 201, body: { token_expires_at: null } })
    const { id, token } = created.body
    expect(token).toMatch(/^glrt-[\w-]{20}$/)
    const detail = await maintainer.get(`/runners/${id}`)
    expect(detail.body).toEqual({
      ...{ id, description: null, ip_address: null, active: true, paused: false, is_shared: false },
      ...{ runner_type: 'project_type', name: null, online: null, created_at: start },
      created_by: expect.objectContaining({ username: 'maintainer' }),
      ...{ status: 'never_contacted', job_execution_status: 'idle', tag_list: [], run_untagged: true, locked: false },
      ...{ maximum_timeout: null, access_level: 'not_protected', version: null, revision: null, platform: null },
      ...{ architecture: null, contacted_at: null, maintenance_note: null, groups: [] },
      projects: [
        {
          ...{ id: project.id, name: project.name, name_with_namespace: `owner person / ${project.name}` },
          ...{ path: project.path, path_with_namespace: people.path },
        },
      ],
    })
    const row = await server.app.platform.database.read
      .selectFrom('runners')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row.token_digest).toBe(hashToken(token))
    expect(JSON.stringify(row)).not.toContain(token)
  })

  test('is created by those who administer its owner', async () => {
    const { developer, maintainer, outsider } = people
    expect(await developer.post('/user/runners', ofProject())).toMatchObject(forbidden())
    expect(await outsider.post('/user/runners', ofProject())).toMatchObject(forbidden())
    expect(await maintainer.post('/user/runners', ofProject({ project_id: 999_999 }))).toMatchObject(forbidden())
    expect(await maintainer.post('/user/runners', ofGroup())).toMatchObject(forbidden())
    expect((await groupOwner.post('/user/runners', ofGroup())).status).toBe(201)
    expect(await groupOwner.post('/user/runners', { runner_type: 'instance_type' })).toMatchObject(forbidden())
    expect((await server.root.post('/user/runners', { runner_type: 'instance_type' })).status).toBe(201)
  })

  test('is created and managed with the scopes for runners alone', async () => {
    const creating = server.as(await server.make.token(people.maintainer, ['create_runner']))
    const managing = server.as(await server.make.token(people.maintainer, ['manage_runner']))
    const { id } = await make(creating as Person, ofProject())
    expect(await creating.put(`/runners/${id}`, { paused: true })).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope', scope: 'api manage_runner' },
    })
    expect((await managing.put(`/runners/${id}`, { paused: true })).body).toMatchObject({ paused: true, active: false })
    expect((await managing.post('/user/runners', ofProject())).status).toBe(403)
    expect((await managing.delete(`/runners/${id}`)).status).toBe(204)
  })

  const untaggable = ['can not be empty when runner is not allowed to pick untagged jobs']
  test.each<[object, object]>([
    [{}, { error: 'runner_type is missing' }],
    [{ runner_type: 'shared' }, { error: 'runner_type does not have a valid value' }],
    [
      { runner_type: 'group_type' },
      { error: 'group_id is missing', message: '400 (Bad request) "group_id" not given' },
    ],
    [{ runner_type: 'project_type' }, { error: 'project_id is missing' }],
    [{ runner_type: 'instance_type', run_untagged: false }, { message: { tags_list: untaggable } }],
    [{ runner_type: 'instance_type', run_untagged: false, tag_list: ' , ' }, { message: { tags_list: untaggable } }],
    [
      { runner_type: 'instance_type', maximum_timeout: 599 },
      { message: { maximum_timeout: ['needs to be at least 10 minutes'] } },
    ],
    [{ runner_type: 'instance_type', maximum_timeout: 'soon' }, { error: 'maximum_timeout is invalid' }],
    [
      { runner_type: 'instance_type', maintenance_note: 'x'.repeat(1025) },
      { message: { maintenance_note: ['is too long (maximum is 1024 characters)'] } },
    ],
    [{ runner_type: 'instance_type', access_level: 'any' }, { error: 'access_level does not have a valid value' }],
    [{ runner_type: 'instance_type', tag_list: [{ a: 1 }] }, { error: 'tag_list[0] is invalid' }],
    [{ runner_type: 'instance_type', description: 'a\u0000b' }, { error: 'description is invalid' }],
  ])('is refused: %j', async (body, expected) => {
    expect(await server.root.post('/user/runners', body)).toMatchObject({ status: 400, body: expected })
  })

  test('keeps unusual tags, and large numbers', async () => {
    const tags = ['ünïcode', 'a/b', '%_', '"quoted"', 'x'.repeat(255)]
    const { id } = await make(server.root, {
      runner_type: 'instance_type',
      tag_list: [...tags, tags[0], ' '],
      maximum_timeout: 9_007_199_254_740_991,
    })
    expect((await server.root.get(`/runners/${id}`)).body).toMatchObject({
      tag_list: tags,
      maximum_timeout: 9_007_199_254_740_991,
    })
    for (const tag of tags) {
      const found = await server.root.get(`/runners/all?tag_list[]=${encodeURIComponent(tag)}`)
      expect(found.body.map((runner: { id: number }) => runner.id)).toEqual([id])
    }
    expect((await server.root.get('/runners/all?tag_list=a')).body).toEqual([])
  })

  test('counts against the limit of its owner, also when several are created at once', async () => {
    await server.root.put('/application/plan_limits', {
      plan_name: 'default',
      ci_registered_group_runners: 2,
      ci_registered_project_runners: 1,
    })
    const answers = await Promise.all(Array.from({ length: 4 }, () => groupOwner.post('/user/runners', ofGroup())))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 400, 400])
    expect(answers.find(({ status }) => status === 400)).toMatchObject(
      invalid({ 'runner_namespaces.base': ['Maximum number of ci registered group runners (2) exceeded'] }),
    )
    await make(people.maintainer, ofProject())
    expect(await people.maintainer.post('/user/runners', ofProject())).toMatchObject(
      invalid({ 'runner_projects.base': ['Maximum number of ci registered project runners (1) exceeded'] }),
    )
  })

  test('has a token that expires as the project demands', async () => {
    const { maintainer, owner, project } = people
    await owner.put(`/projects/${project.id}`, { runner_token_expiration_interval: 3600 })
    const created = await maintainer.post('/user/runners', ofProject())
    const expiry = new Date(Date.parse(start) + hourMs).toISOString()
    expect(created.body.token_expires_at).toBe(expiry)
    const reset = await maintainer.post(`/runners/${created.body.id}/reset_authentication_token`)
    expect(reset.body.token_expires_at).toBe(expiry)
    await server.app.platform.database.write((tx) =>
      tx.updateTable('projects').set({ settings: '{}' }).where('id', '=', project.id).execute(),
    )
  })

  test('has a token that expires as the instance demands for its type', async () => {
    const set = (value: object) => server.root.put('/application/settings', value)
    const { maintainer, project } = people
    const [instance, group, own] = ['', 'group_', 'project_'].map((type) => `${type}runner_token_expiration_interval`)
    const expiresAfter = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString()
    const former = await make(groupOwner, ofGroup())
    expect((await set({ [`${instance}`]: 60, [`${group}`]: 120, [`${own}`]: 180 })).status).toBe(200)
    const ofInstance = await server.root.post('/user/runners', { runner_type: 'instance_type' })
    expect(ofInstance.body.token_expires_at).toBe(expiresAfter(60))
    expect((await groupOwner.post('/user/runners', ofGroup())).body.token_expires_at).toBe(expiresAfter(120))
    const created = await maintainer.post('/user/runners', ofProject())
    expect(created.body.token_expires_at).toBe(expiresAfter(180))

    const verified = await server.anonymous.post('/runners/verify', { token: former.token })
    expect(verified.body.token_expires_at).toBeNull()
    const replaced = await groupOwner.post(`/runners/${former.id}/reset_authentication_token`)
    expect(replaced.body.token_expires_at).toBe(expiresAfter(120))

    const interval = (seconds: number | null) =>
      people.owner.put(`/projects/${project.id}`, { runner_token_expiration_interval: seconds })
    await interval(170)
    expect((await maintainer.post('/user/runners', ofProject())).body.token_expires_at).toBe(expiresAfter(170))
    await interval(190)
    expect((await maintainer.post('/user/runners', ofProject())).body.token_expires_at).toBe(expiresAfter(180))
    await interval(null)
    for (const value of [0, -1, 'x', 2 ** 31, [60]]) {
      expect([value, (await set({ [`${group}`]: value })).status]).toEqual([value, 400])
    }
    expect((await groupOwner.put('/application/settings', { [`${group}`]: 1 })).status).toBe(403)
    await set({ [`${instance}`]: null, [`${group}`]: null, [`${own}`]: null })
    expect((await maintainer.post('/user/runners', ofProject())).body.token_expires_at).toBeNull()
  })

  test('is added by administrators only, where the setting does not name its owner', async () => {
    const set = (registrars: unknown) =>
      server.root.put('/application/settings', { valid_runner_registrars: registrars })
    const { maintainer } = people
    expect((await set(['project'])).status).toBe(200)
    expect(await groupOwner.post('/user/runners', ofGroup())).toMatchObject(forbidden())
    await make(maintainer, ofProject())
    await make(server.root, ofGroup())
    await set('group')
    expect(await maintainer.post('/user/runners', ofProject())).toMatchObject(forbidden())
    await make(groupOwner, ofGroup())
    await set([])
    expect(await groupOwner.post('/user/runners', ofGroup())).toMatchObject(forbidden())
    await make(server.root, ofProject())
    for (const value of [['user'], 'project,x', [1], { group: true }]) expect((await set(value)).status).toBe(400)
    await set(['project', 'group'])
    await make(maintainer, ofProject())
  })

  test('is shown to those who administer it; one of the instance to every user', async () => {
    const { maintainer, developer, outsider } = people
    const shared = await make(server.root, { runner_type: 'instance_type' })
    const { id } = await make(maintainer, ofProject())
    const group = await make(groupOwner, ofGroup())
    expect((await outsider.get(`/runners/${shared.id}`)).body).toMatchObject({ is_shared: true })
    for (const path of [`/runners/${id}`, `/runners/${id}/managers`]) {
      expect(await developer.get(path)).toMatchObject(forbidden('No access granted'))
      expect((await maintainer.get(path)).status).toBe(200)
      expect((await server.root.get(path)).status).toBe(200)
    }
    expect(await maintainer.get(`/runners/${group.id}`)).toMatchObject(forbidden('No access granted'))
    const { body } = await groupOwner.get(`/runners/${group.id}`)
    expect(body.groups).toEqual([{ id: groupId, name: 'above', web_url: `${server.url}/groups/above` }])
    expect(await maintainer.get('/runners/999999')).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    expect(await maintainer.get('/runners/x')).toMatchObject({ status: 400, body: { error: 'id is invalid' } })
    expect((await maintainer.get('/runners/99999999999999999999')).status).toBe(404)
  })

  test('is changed member by member', async () => {
    const { maintainer, developer } = people
    const { id } = await make(maintainer, ofProject({ tag_list: ['a'], description: 'one' }))
    const path = `/runners/${id}`
    expect(await maintainer.put(path, {})).toMatchObject({
      status: 400,
      body: {
        error: expect.stringMatching(/^description, active, .* are missing, at least one parameter must be provided$/),
      },
    })
    expect(await developer.put(path, { paused: true })).toMatchObject(forbidden('No access granted'))
    expect((await maintainer.put(path, { active: false })).body).toMatchObject({ paused: true, description: 'one' })
    expect((await maintainer.put(path, { active: true, paused: true })).status).toBe(400)
    const changes = { locked: true, access_level: 'ref_protected', maximum_timeout: 600, run_untagged: false }
    expect((await maintainer.put(path, changes)).body).toMatchObject({ ...changes, tag_list: ['a'], paused: true })
    expect(await maintainer.put(path, { tag_list: [] })).toMatchObject(invalid({ tags_list: untaggable }))
    expect(
      (await maintainer.put(path, { tag_list: 'b, c', maximum_timeout: null, description: null })).body,
    ).toMatchObject({
      tag_list: ['b', 'c'],
      maximum_timeout: null,
      description: null,
    })
    expect((await maintainer.put(path, { maximum_timeout: 700 })).body).toMatchObject({ maximum_timeout: 700 })
    expect((await maintainer.put(path, { maximum_timeout: '' })).body).toMatchObject({ maximum_timeout: null })
    expect((await maintainer.put('/runners/999999', { paused: true })).status).toBe(404)
  })

  test('gets another token, and the old one is forgotten', async () => {
    const { maintainer, developer } = people
    const { id, token } = await make(maintainer, ofProject())
    const path = `/runners/${id}/reset_authentication_token`
    expect(await developer.post(path)).toMatchObject(forbidden('No access granted'))
    const { status, body } = await maintainer.post(path)
    expect([status, Object.keys(body)]).toEqual([201, ['token', 'token_expires_at']])
    const stored = await server.app.platform.database.read.selectFrom('runners').select('token_digest').execute()
    expect(stored).toEqual([{ token_digest: hashToken(body.token) }])
    expect(body.token).not.toBe(token)
  })

  test('is deleted, unless several projects use it', async () => {
    const { maintainer, owner } = people
    const { id } = await make(maintainer, ofProject())
    const second = await server.make.project(`second${id}`, owner)
    await server.make.member({ project: second }, maintainer, 40)
    expect((await maintainer.post(`/projects/${second.id}/runners`, { runner_id: id })).status).toBe(201)
    expect(await maintainer.delete(`/runners/${id}`)).toMatchObject(
      forbidden('Runner associated with more than one project'),
    )
    expect((await maintainer.delete(`/projects/${second.id}/runners/${id}`)).status).toBe(204)
    const headers = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }
    expect((await maintainer.delete(`/runners/${id}`, { headers })).status).toBe(412)
    expect((await maintainer.delete(`/runners/${id}`)).status).toBe(204)
    expect((await maintainer.delete(`/runners/${id}`)).status).toBe(404)
  })

  test('is removed with its only project, and stays while another has it', async () => {
    const { owner } = people
    const [one, other] = [await server.make.project('gone', owner), await server.make.project('stays', owner)]
    const only = await make(owner, { runner_type: 'project_type', project_id: one.id })
    const both = await make(owner, { runner_type: 'project_type', project_id: one.id })
    await owner.post(`/projects/${other.id}/runners`, { runner_id: both.id })
    await server.root.delete(`/projects/${one.id}`)
    await server.root.delete(`/projects/${one.id}?permanently_remove=true&full_path=owner%2Fgone`)
    clock.advance(8 * 24 * hourMs)
    await server.app.platform.jobs.drain()
    await expect
      .poll(async () => {
        const rows = await server.app.platform.database.read.selectFrom('runners').select('id').execute()
        return rows.map(({ id }) => id)
      })
      .toEqual([both.id])
    expect((await owner.get(`/runners/${only.id}`)).status).toBe(404)
  })
})

describe('the status of a runner', () => {
  test('follows from its last contact', async () => {
    const { id } = await make(server.root, { runner_type: 'instance_type' })
    const at = async (status: string) => {
      const { body } = await server.root.get(`/runners/${id}`)
      const listed = (await server.root.get(`/runners/all?status=${status}`)).body.map((one: { id: number }) => one.id)
      return [body.status, body.online, listed.includes(id)]
    }
    expect(await at('never_contacted')).toEqual(['never_contacted', null, true])
    clock.advance(7 * 24 * hourMs + 1)
    expect(await at('stale')).toEqual(['stale', null, true])
    expect(await at('never_contacted')).toEqual(['stale', null, false])
    await contact(server, id)
    expect(await at('online')).toEqual(['online', true, true])
    clock.advance(2 * hourMs)
    expect(await at('online')).toEqual(['online', true, true])
    clock.advance(1)
    expect(await at('offline')).toEqual(['offline', false, true])
    clock.advance(7 * 24 * hourMs)
    expect(await at('stale')).toEqual(['stale', false, true])
    expect(await at('offline')).toEqual(['stale', false, false])
  })

  test('is that of each of its managers', async () => {
    const { id } = await make(server.root, { runner_type: 'instance_type' })
    await contact(server, id, 's_one')
    clock.advance(3 * hourMs)
    await contact(server, id, 's_two')
    const { body } = await server.root.get(`/runners/${id}/managers`)
    expect(body).toMatchObject([
      { system_id: 's_one', status: 'offline', job_execution_status: 'idle', version: '19.4.0' },
      { system_id: 's_two', status: 'online', ip_address: '10.0.0.1' },
    ])
    expect(Object.keys(body[0])).toEqual([
      ...['id', 'system_id', 'version', 'revision', 'platform', 'architecture', 'created_at', 'contacted_at'],
      ...['ip_address', 'status', 'job_execution_status'],
    ])
  })
})
