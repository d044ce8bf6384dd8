import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Answer, type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { makeLabel } from '../testing.ts'
import { labelsByIds } from '../usable/store.ts'

let server: TestServer
let owner: Person
let planner: Person
let guest: Person
let top: NamespaceRow
let group: NamespaceRow
let project: ProjectRow
let base: Record<'project' | 'group', string>

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  planner = await server.user('planner')
  guest = await server.user('guest')
})
afterAll(() => server.stop())

let made = 0
beforeEach(async () => {
  made += 1
  top = await server.make.group(`top${made}`, owner)
  group = await server.make.group('sub', owner, { parent: top })
  project = await server.make.project('demo', owner, { namespace: group })
  await server.make.member({ namespace: group }, planner, 15)
  await server.make.member({ project }, guest, 10)
  base = { project: `/projects/${project.id}/labels`, group: `/groups/${group.id}/labels` }
})

const kinds = ['project', 'group'] as const
const invalid = (message: object) => ({ status: 400, body: { message } })
const namesOf = ({ body }: Answer): string[] => body.map(({ name }: { name: string }) => name)
const ofProject = (kind: (typeof kinds)[number]) =>
  kind === 'project' ? { priority: null, is_project_label: true } : {}
const gone = { status: 404, body: { message: '404 Label Not Found' } }

describe.each(kinds)('labels of a %s', (kind) => {
  test('link to uploads in the rendered description', async () => {
    const url = `/uploads/${'a'.repeat(32)}/dk.png`
    const given = { name: 'shown', color: '#000', description: `[x](${url})` }
    const { id } = kind === 'project' ? project : group
    const { body } = await planner.post(base[kind], given)
    expect(body.description_html).toContain(`href="/-/${kind}/${id}${url}"`)
  })

  test('are created, read, changed and deleted', async () => {
    const created = await planner.post(base[kind], { name: ' bug ', color: '#aBc', description: 'a *b*' })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      id: expect.any(Number),
      name: 'bug',
      description: 'a *b*',
      description_html: '<p>a <em>b</em></p>\n',
      text_color: '#1F1E24',
      color: '#aaBBcc',
      subscribed: false,
      ...ofProject(kind),
    })
    const { id } = created.body
    for (const key of ['bug', String(id)]) {
      expect(await planner.get(`${base[kind]}/${key}`)).toMatchObject({ status: 200, body: created.body })
    }
    const changed = await planner.put(`${base[kind]}/bug`, { new_name: 'defect', color: 'Red', description: null })
    expect(changed.body).toEqual({
      ...created.body,
      ...{ name: 'defect', color: '#FF0000', text_color: '#FFFFFF', description: null, description_html: '' },
    })
    expect((await planner.get(base[kind])).body).toEqual([changed.body])
    const headers = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }
    expect((await planner.delete(`${base[kind]}/defect`, { headers })).status).toBe(412)
    expect(await planner.delete(`${base[kind]}/defect`)).toMatchObject({ status: 204 })
    expect(await planner.delete(`${base[kind]}/defect`)).toMatchObject(gone)
    expect(await planner.get(`${base[kind]}/${id}`)).toMatchObject(gone)
    expect(await planner.put(`${base[kind]}/${id}`, { color: 'red' })).toMatchObject(gone)
  })

  const missing = (name: string) => ({ status: 400, body: { error: `${name} is missing` } })
  const tooLong = 'is too long (maximum is 255 characters)'
  test.each([
    [{ color: 'red' }, missing('name')],
    [{ name: 'x' }, missing('color')],
    [{}, { status: 400, body: { error: 'name is missing, color is missing' } }],
    [{ name: 'a,b', color: 'red' }, invalid({ title: ['is invalid'] })],
    [{ name: ' ', color: 'red' }, invalid({ title: ["can't be blank", 'is invalid'] })],
    [{ name: '', color: 'red' }, invalid({ title: ["can't be blank", 'is invalid'] })],
    [{ name: '🦊'.repeat(256), color: 'red' }, invalid({ title: [tooLong] })],
    [{ name: `${'x'.repeat(256)},`, color: 'red' }, invalid({ title: ['is invalid', tooLong] })],
    [{ name: 'x', color: '' }, invalid({ color: ['must be a valid color code'] })],
    [{ name: 'x', color: 'foo' }, invalid({ color: ['must be a valid color code'] })],
    [{ name: 'x', color: '#12345' }, invalid({ color: ['must be a valid color code'] })],
    [{ name: 'x', color: '#gggggg' }, invalid({ color: ['must be a valid color code'] })],
    [{ name: 'x', color: 'constructor' }, invalid({ color: ['must be a valid color code'] })],
    [{ name: ',', color: '?' }, invalid({ title: ['is invalid'], color: ['must be a valid color code'] })],
    [
      { name: { a: 1 }, color: 'red' },
      { status: 400, body: { error: 'name is invalid' } },
    ],
    [
      { name: 'x', color: 'red', description: 'd'.repeat(4_097) },
      invalid({ description: ['is too long (maximum is 4096 characters)'] }),
    ],
  ])('cannot be created with %j', async (params, refusal) => {
    expect(await planner.post(base[kind], params)).toMatchObject(refusal)
    expect((await planner.get(base[kind])).body).toEqual([])
  })

  test('are changed with the same rules', async () => {
    await planner.post(base[kind], { name: 'x', color: 'red' })
    await planner.post(base[kind], { name: 'y', color: 'red' })
    const change = (params: object) => planner.put(`${base[kind]}/x`, params)
    const names = kind === 'project' ? 'new_name, color, description, priority' : 'new_name, color, description'
    expect((await change({})).body.error).toBe(`${names} are missing, at least one parameter must be provided`)
    expect((await change({ name: 'z' })).status).toBe(400)
    expect(await change({ new_name: 'y' })).toMatchObject(invalid({ title: ['has already been taken'] }))
    expect(await change({ new_name: 'a,b' })).toMatchObject(invalid({ title: ['is invalid'] }))
    expect(await change({ new_name: '' })).toMatchObject(invalid({ title: ["can't be blank", 'is invalid'] }))
    expect(await change({ color: 'nope' })).toMatchObject(invalid({ color: ['must be a valid color code'] }))
    expect(await change({ new_name: 'x' })).toMatchObject({ status: 200, body: { name: 'x' } })
    expect(await change({ new_name: 'Y' })).toMatchObject({ status: 200, body: { name: 'Y' } })
  })

  test('exist once, also when they are created at the same time', async () => {
    const create = (name: string) => planner.post(base[kind], { name, color: 'red' })
    const answers = await Promise.all(Array.from({ length: 4 }, () => create('once')))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
    expect(await create('once')).toMatchObject({ status: 409, body: { message: 'Label already exists' } })
    expect((await create('Once')).status).toBe(201)
    for (const name of ['a', 'b', 'c']) await create(name)
    const renamed = await Promise.all(
      ['a', 'b', 'c'].map((key) => planner.put(`${base[kind]}/${key}`, { new_name: 'z' })),
    )
    expect(renamed.map(({ status }) => status).toSorted()).toEqual([200, 400, 400])
  })

  test('cannot have the name of a label of a group above', async () => {
    await makeLabel(server, { group: top }, 'above')
    expect(await planner.post(base[kind], { name: 'above', color: 'red' })).toMatchObject({
      status: 409,
      body: { message: 'Label already exists' },
    })
    await planner.post(base[kind], { name: 'own', color: 'red' })
    expect(await planner.put(`${base[kind]}/own`, { new_name: 'above' })).toMatchObject(
      invalid({ title: ['has already been taken'] }),
    )
  })

  test('of the groups above are found, but neither changed nor deleted', async () => {
    const { id } = await makeLabel(server, { group: top }, 'above')
    expect((await planner.get(`${base[kind]}/above`)).body).toMatchObject({ id })
    for (const key of ['above', id]) {
      expect(await planner.get(`${base[kind]}/${key}?include_ancestor_groups=false`)).toMatchObject(gone)
      expect(await planner.put(`${base[kind]}/${key}`, { color: 'red' })).toMatchObject(gone)
      expect(await planner.delete(`${base[kind]}/${key}`)).toMatchObject(gone)
    }
    for (const key of ['name=above', `label_id=${id}`]) {
      expect(await planner.put(`${base[kind]}?${key}`, { color: 'red' })).toMatchObject(gone)
      expect(await planner.delete(`${base[kind]}?${key}`)).toMatchObject(gone)
    }
    expect((await planner.get(`${base[kind]}/above`)).body).toMatchObject({ id, color: '#6699cc' })
  })

  test('are named in the path by any text', async () => {
    for (const name of ['../../x', 'a/b', 'a%2Fb', '🦊 é', '..%2f', '0', 'key::value', "'; drop table labels; --"]) {
      expect((await planner.post(base[kind], { name, color: 'red' })).status).toBe(201)
      const path = `${base[kind]}/${encodeURIComponent(name)}`
      expect((await planner.get(path)).body.name).toBe(name)
      expect((await planner.delete(path)).status).toBe(204)
    }
  })

  test('that look like a number are an id first', async () => {
    const first = await makeLabel(server, { [kind]: kind === 'project' ? project : group } as never, 'first')
    const named = (await planner.post(base[kind], { name: String(first.id), color: 'red' })).body
    expect((await planner.get(`${base[kind]}/${first.id}`)).body.id).toBe(first.id)
    expect((await planner.delete(`${base[kind]}/${first.id}`)).status).toBe(204)
    expect((await planner.get(`${base[kind]}/${first.id}`)).body.id).toBe(named.id)
    expect(await planner.get(`${base[kind]}/${'9'.repeat(30)}`)).toMatchObject(gone)
  })

  test('can be named by a parameter', async () => {
    const { id } = (await planner.post(base[kind], { name: 'x', color: 'red' })).body
    const none = 'label_id, name are missing, exactly one parameter must be provided'
    for (const method of ['put', 'delete'] as const) {
      expect((await planner[method](base[kind])).body.error).toBe(none)
      const both = `${base[kind]}?label_id=${id}&name=x&color=red`
      expect((await planner[method](both)).body.error).toBe('label_id, name are mutually exclusive')
      expect(await planner[method](`${base[kind]}?name=nope&color=red`)).toMatchObject(gone)
    }
    const names = kind === 'project' ? 'new_name, color, description, priority' : 'new_name, color, description'
    const changes = `${names} are missing, at least one parameter must be provided`
    expect((await planner.put(base[kind], { name: 'x' })).body.error).toBe(changes)
    const changed = await planner.put(base[kind], { name: 'x', new_name: 'y' })
    expect(changed).toMatchObject({ status: 200, body: { id, name: 'y' } })
    expect(changed.headers.get('deprecation')).toBe('true')
    expect((await planner.put(base[kind], { label_id: id, color: 'blue' })).body).toMatchObject({ color: '#0000FF' })
    const headers = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }
    expect((await planner.delete(`${base[kind]}?label_id=${id}`, { headers })).status).toBe(412)
    expect((await planner.delete(`${base[kind]}?label_id=${id}`)).status).toBe(204)
    await planner.post(base[kind], { name: 'z', color: 'red' })
    expect((await planner.request('DELETE', base[kind], { body: { name: 'z' } })).status).toBe(204)
    expect((await planner.get(base[kind])).body).toEqual([])
  })

  test('are listed by name, with and without those above, and searched', async () => {
    await makeLabel(server, { group: top }, 'above', { description: 'Needle in it' })
    for (const name of ['b', 'NEEDLE', 'a_c', '%']) await planner.post(base[kind], { name, color: 'red' })
    const list = async (query: string) => namesOf(await planner.get(`${base[kind]}?${query}`))
    expect(await list('')).toEqual(['%', 'NEEDLE', 'a_c', 'above', 'b'])
    expect(await list('include_ancestor_groups=false')).toEqual(['%', 'NEEDLE', 'a_c', 'b'])
    expect(await list('search=needle')).toEqual(['NEEDLE', 'above'])
    expect(await list('search=%25')).toEqual(['%'])
    expect(await list('search=_')).toEqual(['a_c'])
    expect(await list('per_page=2&page=2')).toEqual(['a_c', 'above'])
  })

  test('have counts on request', async () => {
    await planner.post(base[kind], { name: 'x', color: 'red' })
    const counts = { open_issues_count: 0, closed_issues_count: 0, open_merge_requests_count: 0 }
    expect((await planner.get(`${base[kind]}?with_counts=true`)).body[0]).toMatchObject(counts)
    expect((await planner.get(base[kind])).body[0]).not.toHaveProperty('open_issues_count')
  })

  test('take the same number of queries for any number of them', async () => {
    for (let index = 0; index < 2; index += 1) await planner.post(base[kind], { name: `x${index}`, color: 'red' })
    const ask = () => planner.get(`${base[kind]}?per_page=100&with_counts=true&search=x&only_group_labels=false`)
    const before = await queriesOf(server, ask)
    for (let index = 2; index < 30; index += 1) await planner.post(base[kind], { name: `x${index}`, color: 'red' })
    expect(namesOf(await ask())).toHaveLength(30)
    expect(await queriesOf(server, ask)).toBe(before)
  })
})

describe('labels of a project', () => {
  test('have a priority in it', async () => {
    const create = (name: string, priority: unknown) => planner.post(base.project, { name, color: 'red', priority })
    expect((await create('first', 0)).body).toMatchObject({ priority: 0 })
    expect((await create('none', '')).body).toMatchObject({ priority: null })
    expect((await create('nothing', null)).body).toMatchObject({ priority: null })
    expect(await create('text', 'high')).toMatchObject({ status: 400, body: { error: 'priority is invalid' } })
    expect(await create('low', -1)).toMatchObject(invalid({ priority: ['must be greater than or equal to 0'] }))
    const change = (params: object) => planner.put(`${base.project}/first`, params)
    await change({ description: 'kept' })
    expect((await change({ priority: 7 })).body).toMatchObject({ priority: 7, description: 'kept' })
    const repainted = { priority: 7, color: '#0000FF', description: 'kept' }
    expect((await change({ color: 'blue' })).body).toMatchObject(repainted)
    expect(await change({ priority: -1 })).toMatchObject(invalid({ priority: ['must be greater than or equal to 0'] }))
    expect((await change({ priority: null })).body).toMatchObject({ priority: null })
    await change({ priority: 1 })
    expect((await change({ priority: '' })).body).toMatchObject({ priority: null })
  })

  test('that are inherited have a priority in the project, and no other change', async () => {
    await makeLabel(server, { group: top }, 'above')
    const change = (params: object) => planner.put(`${base.project}/above`, params)
    expect(await change({ priority: 3 })).toMatchObject({ status: 200, body: { priority: 3, is_project_label: false } })
    for (const other of [{ color: 'red' }, { new_name: 'y' }, { description: 'd' }, { description: null }]) {
      expect(await change({ priority: 4, ...other })).toMatchObject(gone)
    }
    expect((await planner.get(base.project)).body).toMatchObject([{ name: 'above', priority: 3 }])
    const other = await server.make.project('other', owner, { namespace: group })
    expect((await planner.get(`/projects/${other.id}/labels`)).body).toMatchObject([{ name: 'above', priority: null }])
    expect((await planner.get(base.group)).body[0]).not.toHaveProperty('priority')
  })

  test('are read by guests, and not by anonymous users even where the project is public', async () => {
    expect((await guest.get(base.project)).status).toBe(200)
    expect((await guest.post(base.project, { name: 'x', color: 'red' })).status).toBe(403)
    const open = await server.make.group(`open${made}`, owner, { visibility: 'public' })
    const shown = await server.make.project('shown', owner, { namespace: open, visibility: 'public' })
    expect((await server.anonymous.get(`/projects/${shown.id}/labels`)).status).toBe(401)
    expect((await guest.get(`/projects/${shown.id}/labels`)).status).toBe(200)
  })

  test('are deleted with the project, and those of a group with the group', async () => {
    const ids = [
      (await planner.post(base.project, { name: 'x', color: 'red', priority: 1 })).body.id,
      (await planner.post(base.group, { name: 'y', color: 'red' })).body.id,
    ]
    await planner.post(`${base.group}/y/subscribe`)
    const path = `/groups/${group.id}`
    await owner.delete(path)
    const { full_path } = (await owner.get(path)).body
    expect((await owner.request('DELETE', path, { body: { permanently_remove: true, full_path } })).status).toBe(202)
    const { database, jobs } = server.app.platform
    await jobs.drain()
    expect(await labelsByIds(database.read, ids)).toEqual(new Map())
  })
})

describe('labels of a group', () => {
  test('can be listed with those of groups and projects below that the caller may see', async () => {
    const closed = await server.make.group('closed', owner, { parent: top })
    const outside = await server.make.project('outside', owner, { namespace: closed })
    await makeLabel(server, { group: top }, 'top')
    await makeLabel(server, { group }, 'sub')
    await makeLabel(server, { group: closed }, 'closed')
    await makeLabel(server, { project }, 'of the project')
    await makeLabel(server, { project: outside }, 'of the closed project')
    const list = async (person: Person, query: string, from = top) =>
      namesOf(await person.get(`/groups/${from.id}/labels?${query}`))
    expect(await list(owner, '')).toEqual(['top'])
    expect(await list(owner, 'include_descendant_groups=true')).toEqual(['closed', 'sub', 'top'])
    expect(await list(owner, 'only_group_labels=false')).toEqual(['of the closed project', 'of the project', 'top'])
    expect(await list(owner, 'only_group_labels=false&include_ancestor_groups=false', group)).toEqual([
      'of the project',
      'sub',
    ])
    const stranger = await server.user(`stranger${made}`)
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('namespaces').set({ visibility: 'public' }).where('id', 'in', [top.id, group.id]).execute(),
    )
    expect(await list(stranger, 'include_descendant_groups=true&only_group_labels=false')).toEqual(['sub', 'top'])
    expect(await list(planner, 'include_descendant_groups=true&only_group_labels=false')).toEqual([
      'of the project',
      'sub',
      'top',
    ])
  })
})
