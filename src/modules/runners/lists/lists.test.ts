import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { ownRoles } from '../../access/index.ts'
import { reachesFewProjects } from '../../projects/index.ts'
import { contact } from '../testing.ts'

let server: TestServer
let owner: Person
let member: Person
const ids: Record<string, number> = {}
let project: { id: number }
let other: { id: number }
let group: { id: number }
let below: { id: number }

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  member = await server.user('member')
  const top = await server.make.group('top', owner)
  const sub = await server.make.group('sub', owner, { parent: top })
  ;[group, below] = [top, sub]
  project = await server.make.project('demo', owner, { namespace: sub })
  other = await server.make.project('other', owner)
  await server.make.member({ project: other as never }, member, 40)
  const make = async (name: string, body: object, by = owner) => {
    ids[name] = (await by.post('/user/runners', { ...body, description: name })).body.id
  }
  const root = server.root as Person
  await make('shared', { runner_type: 'instance_type', tag_list: ['docker', 'linux'] }, root)
  await make('paused', { runner_type: 'instance_type', paused: true }, root)
  await make('top', { runner_type: 'group_type', group_id: top.id })
  await make('sub', { runner_type: 'group_type', group_id: sub.id })
  await make('demo', { runner_type: 'project_type', project_id: project.id })
  await make('other', { runner_type: 'project_type', project_id: other.id, tag_list: ['linux'] })
})
afterAll(() => server.stop())

async function names(by: Pick<Person, 'get'>, path: string): Promise<string[]> {
  const { status, body } = await by.get(path)
  expect(status).toBe(200)
  return body.map(({ description }: { description: string }) => description)
}

describe('the list of', () => {
  test('own runners has those of projects and groups that the caller administers', async () => {
    expect(await names(owner, '/runners')).toEqual(['other', 'demo', 'sub', 'top'])
    expect(await names(member, '/runners')).toEqual(['other'])
    expect(await names(server.root, '/runners')).toEqual([])
  })

  test('all runners has every one, in the form of the contract', async () => {
    const all = await server.root.get('/runners/all')
    expect(all.headers.get('x-total')).toBe('6')
    expect(Object.keys(all.body[0])).toEqual([
      ...['id', 'description', 'ip_address', 'active', 'paused', 'is_shared', 'runner_type', 'name', 'online'],
      ...['created_at', 'created_by', 'status', 'job_execution_status'],
    ])
  })

  test('runners of a project has those of its groups and of the instance, where the project uses them', async () => {
    const path = `/projects/${project.id}/runners`
    expect(await names(owner, path)).toEqual(['demo', 'sub', 'top', 'paused', 'shared'])
    await owner.put(`/projects/${project.id}`, { shared_runners_enabled: false })
    expect(await names(owner, path)).toEqual(['demo', 'sub', 'top'])
    await owner.put(`/projects/${project.id}`, { group_runners_enabled: false })
    expect(await names(owner, path)).toEqual(['demo'])
    await owner.put(`/projects/${project.id}`, { shared_runners_enabled: true, group_runners_enabled: true })
  })

  test('runners of a group has those above it and of the instance', async () => {
    expect(await names(owner, `/groups/${group.id}/runners`)).toEqual(['top', 'paused', 'shared'])
    expect(await names(owner, `/groups/${below.id}/runners`)).toEqual(['sub', 'top', 'paused', 'shared'])
  })

  test('runners of a project is refused while its pipelines are disabled', async () => {
    await owner.put(`/projects/${other.id}`, { builds_access_level: 'disabled' })
    expect(await owner.get(`/projects/${other.id}/runners`)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden' },
    })
    await owner.put(`/projects/${other.id}`, { builds_access_level: 'enabled' })
  })
})

describe('a list', () => {
  test.each<[string, string[]]>([
    ['type=instance_type', ['paused', 'shared']],
    ['paused=true', ['paused']],
    ['scope=paused', ['paused']],
    ['scope=specific', ['other', 'demo']],
    ['scope=group_type', ['sub', 'top']],
    ['scope=shared&paused=0', ['shared']],
    ['tag_list=linux', ['other', 'shared']],
    ['tag_list=linux,docker', ['shared']],
    ['tag_list[]=LINUX', []],
    ['status=online', ['demo']],
    ['scope=online', ['demo']],
    ['version_prefix=19.', ['demo']],
    ['version_prefix=%25', []],
    ['version_prefix=19_', []],
    ['type=project_type&scope=group_type', []],
  ])('is filtered by %s', async (query, expected) => {
    if (query === 'status=online') await contact(server, ids.demo as number)
    expect(await names(server.root, `/runners/all?${query}`)).toEqual(expected)
  })

  test.each([
    ['scope=none', { message: 'Scope contains invalid value' }],
    ['scope=constructor', { message: 'Scope contains invalid value' }],
    ['type=any', { error: 'type does not have a valid value' }],
    ['status=gone', { error: 'status does not have a valid value' }],
    ['paused=maybe', { error: 'paused is invalid' }],
  ])('is refused with %s', async (query, body) => {
    for (const path of ['/runners', `/projects/${project.id}/runners`, `/groups/${group.id}/runners`]) {
      expect(await owner.get(`${path}?${query}`), path).toMatchObject({ status: 400, body })
    }
  })

  test('has the same runners on pages of one each, from all of its parts', async () => {
    for (const path of ['/runners', `/projects/${project.id}/runners`, `/groups/${below.id}/runners`]) {
      const all = await names(owner, path)
      const pages = all.map((_, index) => owner.get(`${path}?per_page=1&page=${index + 1}`))
      const answers = await Promise.all(pages)
      expect(answers.map(({ body }) => body.map(({ description }: { description: string }) => description))).toEqual(
        all.map((name) => [name]),
      )
      expect(new Set(answers.map(({ headers }) => headers.get('x-total')))).toEqual(new Set([String(all.length)]))
      expect(await names(owner, `${path}?per_page=1&page=${all.length + 1}`)).toEqual([])
    }
  })

  test('is the same when the caller has few projects and many, by the kept totals of their namespaces', async () => {
    const { read: db, write } = server.app.platform.database
    const roles = await ownRoles(db, owner.id, '2026-01-01')
    const isFew = () => reachesFewProjects(db, roles, 40, 'runners')
    expect(await isFew()).toBe(true)
    const total = { namespace_id: below.id, is_own: true, projects: 9_999 }
    await write((tx) =>
      tx
        .insertInto('namespace_totals')
        .values(total as never)
        .execute(),
    )
    expect(await isFew()).toBe(false)
    expect(await names(owner, '/runners')).toEqual(['other', 'demo', 'sub', 'top'])
    await write((tx) => tx.deleteFrom('namespace_totals').where('namespace_id', '=', below.id).execute())
  })

  test('takes as many queries for many runners as for one', async () => {
    const paths = ['/runners', `/projects/${project.id}/runners`, `/groups/${below.id}/runners`]
    for (const path of paths) {
      const one = await queriesOf(server, () => owner.get(`${path}?per_page=1`))
      expect(await queriesOf(server, () => owner.get(path)), path).toBe(one)
    }
  })
})

describe('a runner of projects', () => {
  const assign = (by: Pick<Person, 'post'>, projectId: number, id: unknown) =>
    by.post(`/projects/${projectId}/runners`, { runner_id: id })
  const forbidden = (reason: string) => ({ status: 403, body: { message: `403 Forbidden - ${reason}` } })

  test('is assigned to a further project by those who administer both', async () => {
    expect(await assign(member, other.id, ids.demo)).toMatchObject(forbidden('No access granted'))
    expect(await assign(owner, other.id, ids.demo)).toMatchObject({ status: 201, body: { id: ids.demo } })
    expect(await assign(owner, other.id, ids.demo)).toMatchObject({
      status: 400,
      body: { message: { runner_projects: ['is invalid'] } },
    })
    expect(await names(member, '/runners')).toEqual(['other', 'demo'])
    expect((await owner.delete(`/projects/${other.id}/runners/${ids.demo}`)).status).toBe(204)
  })

  test('is assigned once by concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => assign(owner, other.id, ids.demo)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400])
    expect((await owner.delete(`/projects/${other.id}/runners/${ids.demo}`)).status).toBe(204)
  })

  test('is not assigned while it is locked, or of a group or the instance', async () => {
    await owner.put(`/runners/${ids.demo}`, { locked: true })
    expect(await assign(owner, other.id, ids.demo)).toMatchObject(forbidden('Runner is locked'))
    await owner.put(`/runners/${ids.demo}`, { locked: false })
    expect(await assign(owner, project.id, ids.top)).toMatchObject(forbidden('Runner is a group runner'))
    expect(await assign(server.root, project.id, ids.shared)).toMatchObject(forbidden('Runner is an instance runner'))
    expect((await assign(owner, project.id, 999_999)).status).toBe(404)
    expect(await assign(owner, project.id, undefined)).toMatchObject({ body: { error: 'runner_id is missing' } })
    expect(await assign(owner, project.id, { a: 1 })).toMatchObject({ body: { error: 'runner_id is invalid' } })
  })

  test('is not taken from its only project', async () => {
    const only = 'Only one project associated with the runner. Please remove the runner instead'
    expect(await owner.delete(`/projects/${project.id}/runners/${ids.demo}`)).toMatchObject(forbidden(only))
    const missing = { status: 404, body: { message: '404 Runner Not Found' } }
    expect(await owner.delete(`/projects/${other.id}/runners/${ids.demo}`)).toMatchObject(missing)
    expect(await owner.delete(`/projects/${other.id}/runners/${ids.shared}`)).toMatchObject(missing)
    expect((await owner.delete(`/projects/${other.id}/runners/x`)).status).toBe(400)
  })
})
