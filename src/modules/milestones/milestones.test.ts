import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dayAfter } from '../../api/index.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import type { NamespaceRow } from '../namespaces/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import { milestonesByIds } from './store/milestones.ts'
import { unusableMilestones, usableMilestone, usableMilestonesTitled } from './store/usable.ts'
import { makeMilestone } from './testing.ts'
import { type MilestoneDraft, milestoneFailure, problemsOf } from './validation.ts'

let server: TestServer
let owner: Person
let planner: Person
let top: NamespaceRow
let group: NamespaceRow
let project: ProjectRow
let base: Record<'project' | 'group', string>

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  planner = await server.user('planner')
})
afterAll(() => server.stop())

let made = 0
beforeEach(async () => {
  made += 1
  top = await server.make.group(`top${made}`, owner)
  group = await server.make.group('sub', owner, { parent: top })
  project = await server.make.project('demo', owner, { namespace: group })
  await server.make.member({ namespace: group }, planner, 15)
  base = { project: `/projects/${project.id}/milestones`, group: `/groups/${group.id}/milestones` }
})

const day = (days: number) => dayAfter(server.app.platform.clock.now(), days)
const kinds = ['project', 'group'] as const
const failed = (verb: string, text: string) => ({
  status: 400,
  body: { message: `Failed to ${verb} milestone {${text}}` },
})
const used = ':title=>["already being used for another group or project milestone."]'
const reversed = ':due_date=>["must be greater than start date"]'
const gone = { status: 404, body: { message: '404 Not found' } }

describe.each(kinds)('milestones of a %s', (kind) => {
  const create = (params: object) => planner.post(base[kind], params)

  test('are created, read, changed, closed and deleted', async () => {
    const dates = { start_date: day(-1), due_date: day(7) }
    const created = await create({ title: ' v1 ', description: 'a *b*', ...dates })
    expect(created.status).toBe(201)
    const { id, created_at } = created.body
    const [parent, page] =
      kind === 'project'
        ? [{ project_id: project.id }, `${server.url}/${project.full_path}/-/milestones/1`]
        : [{ group_id: group.id }, `${server.url}/groups/${group.full_path}/-/milestones/1`]
    expect(created.body).toEqual({
      ...{ id: expect.any(Number), iid: 1, ...parent, title: 'v1', description: 'a *b*', state: 'active' },
      ...{ created_at: expect.any(String), updated_at: created_at, ...dates, expired: false, web_url: page },
    })
    expect((await planner.get(`${base[kind]}/${id}`)).body).toEqual(created.body)
    const change = async (params: object) => (await planner.put(`${base[kind]}/${id}`, params)).body
    expect(await change({ title: 'v2', description: null, start_date: '', due_date: day(-2) })).toMatchObject({
      ...{ id, iid: 1, title: 'v2', description: null, start_date: null, due_date: day(-2), expired: true },
    })
    const closed = await change({ state_event: 'close' })
    expect(closed.state).toBe('closed')
    expect(await change({ state_event: 'close' })).toEqual(closed)
    expect(await change({ state_event: 'activate', due_date: null })).toMatchObject({ state: 'active', due_date: null })
    const headers = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }
    expect((await planner.delete(`${base[kind]}/${id}`, { headers })).status).toBe(412)
    expect((await planner.delete(`${base[kind]}/${id}`)).status).toBe(204)
    for (const method of ['get', 'delete'] as const) {
      expect(await planner[method](`${base[kind]}/${id}`)).toMatchObject(gone)
    }
    expect(await planner.put(`${base[kind]}/${id}`, { title: 'x' })).toMatchObject(gone)
    expect((await create({ title: 'next' })).body.iid).toBe(2)
  })

  const tooLong = ':title=>["is too long (maximum is 255 characters)"]'
  test.each([
    [{}, { status: 400, body: { error: 'title is missing' } }],
    [{ title: ' ' }, failed('create', `:title=>["can't be blank"]`)],
    [{ title: '🦊'.repeat(256) }, failed('create', tooLong)],
    [{ title: 'x', start_date: '2026-02-02', due_date: '2026-02-01' }, failed('create', reversed)],
    [
      { title: '', start_date: '2026-02-02', due_date: '2026-02-01' },
      failed('create', `:title=>["can't be blank"], ${reversed}`),
    ],
    [
      { title: 'x', due_date: 'soon' },
      { status: 400, body: { message: { due_date: ['is invalid'] } } },
    ],
    [
      { title: 'x', start_date: '2026-02-30' },
      { status: 400, body: { message: { start_date: ['is invalid'] } } },
    ],
    [
      { title: 'x', due_date: { a: 1 } },
      { status: 400, body: { error: 'due_date is invalid' } },
    ],
    [{ title: ['x'] }, { status: 400, body: { error: 'title is invalid' } }],
  ])('cannot be created with %j', async (params, refusal) => {
    expect(await create(params)).toMatchObject(refusal)
    expect((await planner.get(base[kind])).body).toEqual([])
  })

  test('are changed with the same rules', async () => {
    const { id } = (await create({ title: 'x', start_date: '2026-01-10' })).body
    await create({ title: 'y' })
    const change = (params: object) => planner.put(`${base[kind]}/${id}`, params)
    const names = 'title, description, start_date, due_date, state_event'
    expect((await change({})).body.error).toBe(`${names} are missing, at least one parameter must be provided`)
    expect((await change({ state_event: 'open' })).body.error).toBe('state_event does not have a valid value')
    expect(await change({ title: '' })).toMatchObject(failed('update', `:title=>["can't be blank"]`))
    expect(await change({ title: 'y' })).toMatchObject(failed('update', used))
    expect(await change({ due_date: '2026-01-09' })).toMatchObject(failed('update', reversed))
    expect(await change({ due_date: '2026-01-10T23:00:00Z' })).toMatchObject({ body: { due_date: '2026-01-10' } })
    expect(await change({ title: 'x' })).toMatchObject({ status: 200 })
    expect(await planner.put(`${base[kind]}/nope`, { title: 'z' })).toMatchObject({
      status: 400,
      body: { error: 'milestone_id is invalid' },
    })
    expect(await planner.get(`${base[kind]}/${'9'.repeat(19)}`)).toMatchObject(gone)
  })

  test('have titles of their own in the tree', async () => {
    await makeMilestone(server, { group: top }, 'above')
    await makeMilestone(server, kind === 'project' ? { group } : { project }, 'beside')
    const other = await server.make.project('other', owner, { namespace: group })
    await makeMilestone(server, { project: other }, 'of a sibling')
    expect(await create({ title: 'above' })).toMatchObject(failed('create', used))
    expect(await create({ title: 'beside' })).toMatchObject(failed('create', used))
    expect((await create({ title: 'Above' })).status).toBe(201)
    expect((await create({ title: 'of a sibling' })).status).toBe(kind === 'project' ? 201 : 400)
    const { id } = (await create({ title: 'own' })).body
    expect(await planner.put(`${base[kind]}/${id}`, { title: 'above' })).toMatchObject(failed('update', used))
  })

  test('are not those of the groups above', async () => {
    const { id } = await makeMilestone(server, { group: top }, 'above')
    expect(await planner.get(`${base[kind]}/${id}`)).toMatchObject(gone)
    expect(await planner.delete(`${base[kind]}/${id}`)).toMatchObject(gone)
  })
})

describe('a title', () => {
  test('is given once to milestones that are created at the same time above, beside and below each other', async () => {
    const paths = [`/groups/${top.id}/milestones`, base.group, base.project]
    const answers = await Promise.all([...paths, ...paths].map((path) => owner.post(path, { title: 'once' })))
    const statuses = answers.map(({ status }) => status)
    // Those of the project and of its group exclude each other as well.
    expect(statuses.toSorted()).toEqual([201, 400, 400, 400, 400, 400])
    const iids = await Promise.all(
      Array.from({ length: 5 }, (_, index) => owner.post(base.project, { title: `parallel ${index}` })),
    )
    expect(new Set(iids.map(({ body }) => body.iid)).size).toBe(5)
  })
})

describe('a milestone', () => {
  test('is expired from the day after its due date', async () => {
    for (const [days, expired] of [
      [-1, true],
      [0, false],
      [1, false],
    ] as const) {
      const { body } = await planner.post(base.project, { title: `due ${days}`, due_date: day(days) })
      expect([days, body.expired]).toEqual([days, expired])
    }
  })

  test('of a public project is read without a role, and changed by planners', async () => {
    const open = await server.make.group(`open${made}`, owner, { visibility: 'public' })
    const shown = await server.make.project('shown', owner, { namespace: open, visibility: 'public' })
    const { id } = await makeMilestone(server, { project: shown }, 'v1')
    const path = `/projects/${shown.id}/milestones`
    expect((await server.anonymous.get(path)).body).toHaveLength(1)
    expect((await server.anonymous.get(`${path}/${id}`)).status).toBe(200)
    expect((await server.anonymous.post(path, { title: 'x' })).status).toBe(401)
    const guest = await server.user(`guest${made}`)
    await server.make.member({ project: shown }, guest, 10)
    expect((await guest.post(path, { title: 'x' })).status).toBe(403)
    expect((await guest.delete(`${path}/${id}`)).status).toBe(403)
  })

  test('is deleted with its project or group', async () => {
    const ids = [(await makeMilestone(server, { project }, 'a')).id, (await makeMilestone(server, { group }, 'b')).id]
    const path = `/groups/${group.id}`
    await owner.delete(path)
    const { full_path } = (await owner.get(path)).body
    expect((await owner.request('DELETE', path, { body: { permanently_remove: true, full_path } })).status).toBe(202)
    const { database, jobs } = server.app.platform
    await jobs.drain()
    expect(await milestonesByIds(database.read, ids)).toEqual(new Map())
  })

  test('is usable in its project, and in everything below its group', async () => {
    const db = server.app.platform.database.read
    const ref = { kind: 'project' as const, id: project.id, namespaceId: group.id }
    const own = await makeMilestone(server, { project }, 'own')
    const near = await makeMilestone(server, { group }, 'same')
    const far = await makeMilestone(server, { group: top }, 'same')
    const foreign = await makeMilestone(server, { project: await server.make.project(`f${made}`, owner) }, 'foreign')
    for (const { id } of [own, near, far]) expect((await usableMilestone(db, ref, id))?.id).toBe(id)
    expect(await usableMilestone(db, ref, foreign.id)).toBeNull()
    expect(await usableMilestone(db, { kind: 'group', id: group.id, namespaceId: group.id }, own.id)).toBeNull()
    const titled = await usableMilestonesTitled(db, ref, ['own', 'same', 'foreign'])
    expect(Object.fromEntries([...titled].map(([title, { id }]) => [title, id]))).toEqual({
      own: own.id,
      same: near.id,
    })
    expect(await unusableMilestones(db, ref, [own.id, far.id, foreign.id])).toEqual([foreign.id])
    expect((await milestonesByIds(db, [near.id])).get(near.id)?.parent_path).toBe(group.full_path)
  })
})

const draft: MilestoneDraft = { title: 'v1', start_date: null, due_date: null }
const reversedDates = { due_date: ['must be greater than start date'] }

test.each<[Partial<MilestoneDraft>, object]>([
  [{}, {}],
  [{ title: '' }, { title: ["can't be blank"] }],
  [{ title: 'x'.repeat(255) }, {}],
  [{ title: 'x'.repeat(256) }, { title: ['is too long (maximum is 255 characters)'] }],
  [{ start_date: '2026-01-02', due_date: '2026-01-01' }, reversedDates],
  [{ start_date: '2026-01-01', due_date: '2026-01-01' }, {}],
  [{ start_date: '2026-01-01' }, {}],
  [{ due_date: '2026-01-01' }, {}],
])('a milestone with %j: %j', (given, problems) => expect(problemsOf({ ...draft, ...given })).toEqual(problems))

test('the problems are said as clients know them', () => {
  const { status, body } = milestoneFailure('update', { title: ['is odd', 'is even'], ...reversedDates })
  const message =
    'Failed to update milestone {:title=>["is odd", "is even"], :due_date=>["must be greater than start date"]}'
  expect([status, body]).toEqual([400, { message }])
})
