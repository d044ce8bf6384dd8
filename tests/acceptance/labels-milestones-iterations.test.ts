import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayAfter } from '../../src/api/index.ts'
import type { NamespaceRow } from '../../src/modules/namespaces/index.ts'
import type { ProjectRow } from '../../src/modules/projects/index.ts'
import { type Answer, type Person, startTestServer, type TestServer } from '../../src/testing/index.ts'

/** The acceptance walk of labels, milestones, iterations and epics, step by step (contract 17); the numbers are the walk's. */
let server: TestServer
let owner: Person
let planner: Person
let guest: Person
let group: NamespaceRow
let project: ProjectRow
let at: { project: string; group: string }
/** The path of the issue with both labels, and its id. */
let issue: string
let issueId: number

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  planner = await server.user('planner')
  guest = await server.user('guest')
  group = await server.make.group('g', owner)
  project = await server.make.project('p', owner, { namespace: group })
  await server.make.member({ namespace: group }, planner, 15)
  await server.make.member({ namespace: group }, guest, 10)
  at = { project: `/projects/${project.id}`, group: `/groups/${group.id}` }
})
afterAll(() => server.stop())

const day = (days: number) => dayAfter(server.app.platform.clock.now(), days)
const namesOf = ({ body }: Answer) => body.map(({ name }: { name: string }) => name)
const iidsOf = ({ body }: Answer) => body.map(({ iid }: { iid: number }) => iid)
const issues = async (query: string) => iidsOf(await planner.get(`${at.project}/issues?${query}`))

test('1: a label of a project', async () => {
  const bug = { name: 'bug', color: '#ff0000', priority: 1 }
  const created = await planner.post(`${at.project}/labels`, bug)
  expect(created).toMatchObject({ status: 201, body: { priority: 1, is_project_label: true } })
  const again = await planner.post(`${at.project}/labels`, bug)
  expect(again).toMatchObject({ status: 409, body: { message: 'Label already exists' } })
  const named = (name: string, color: string) => planner.post(`${at.project}/labels`, { name, color })
  expect((await named('red', 'red')).body.color).toBe('#FF0000')
  expect((await named('foo', 'foo')).status).toBe(400)
  expect(await named('a,b', 'red')).toMatchObject({ status: 400, body: { message: { title: ['is invalid'] } } })
  expect((await planner.delete(`${at.project}/labels/red`)).status).toBe(204)
})

test('2: a label of a group, in the list of the project', async () => {
  expect((await planner.post(`${at.group}/labels`, { name: 'ui', color: '#00ff00' })).status).toBe(201)
  const list = (query = '') => planner.get(`${at.project}/labels?${query}`)
  expect(namesOf(await list())).toEqual(['bug', 'ui'])
  expect(namesOf(await list('include_ancestor_groups=false'))).toEqual(['bug'])
  expect((await list('with_counts=true')).body[0]).toMatchObject({
    open_issues_count: expect.any(Number),
    closed_issues_count: expect.any(Number),
    open_merge_requests_count: expect.any(Number),
  })
})

test('3: an issue with both labels', async () => {
  await planner.post(`${at.project}/issues`, { title: 'without labels' })
  const { status, body } = await planner.post(`${at.project}/issues`, { title: 'with labels', labels: 'bug,ui' })
  expect([status, body.labels]).toEqual([201, ['bug', 'ui']])
  issue = `${at.project}/issues/${body.iid}`
  issueId = body.id
  expect(await issues('order_by=label_priority&sort=asc')).toEqual([2, 1])
  const [detailed] = (await planner.get(`${at.project}/issues?labels=bug&with_labels_details=true`)).body
  expect(detailed.labels).toMatchObject([
    { name: 'bug', color: '#ff0000', text_color: '#FFFFFF' },
    { name: 'ui', color: '#00ff00' },
  ])
})

test('4 and 5: a label is renamed, and promoted', async () => {
  const path = `${at.project}/labels`
  expect((await planner.put(`${path}/bug`, { new_name: 'defect' })).status).toBe(200)
  expect((await planner.get(issue)).body.labels).toEqual(['defect', 'ui'])
  expect((await planner.put(`${path}/defect`)).status).toBe(400)
  expect(await planner.put(`${path}/defect/promote`)).toMatchObject({ status: 200, body: { name: 'defect' } })
  expect(namesOf(await planner.get(`${at.group}/labels`))).toEqual(['defect', 'ui'])
  expect((await planner.get(issue)).body.labels).toEqual(['defect', 'ui'])
  const own = await server.make.project('own', owner)
  await owner.post(`/projects/${own.id}/labels`, { name: 'x', color: 'red' })
  expect((await owner.put(`/projects/${own.id}/labels/x/promote`)).status).toBe(400)
})

test('6: a label is deleted', async () => {
  const path = `${at.group}/labels/defect`
  expect((await planner.delete(path)).status).toBe(204)
  expect((await planner.get(issue)).body.labels).toEqual(['ui'])
  expect(await planner.delete(path)).toMatchObject({ status: 404, body: { message: '404 Label Not Found' } })
})

test('7 to 9: a milestone', async () => {
  const path = `${at.project}/milestones`
  const v1 = { title: 'v1', start_date: day(-1), due_date: day(7) }
  const created = await planner.post(path, v1)
  expect(created).toMatchObject({ status: 201, body: { state: 'active', expired: false } })
  const reversed = await planner.post(path, { title: 'v2', start_date: day(2), due_date: day(1) })
  expect([reversed.status, reversed.body.message]).toEqual([
    400,
    expect.stringContaining('must be greater than start date'),
  ])
  expect((await planner.post(path, v1)).status).toBe(400)

  const { id } = created.body
  expect((await planner.put(issue, { milestone_id: id })).body.milestone).toMatchObject({ id, title: 'v1' })
  for (const query of ['milestone=v1', 'milestone_id=Any', 'milestone_id=Started', 'milestone_id=Upcoming']) {
    expect([query, await issues(query)]).toEqual([query, [2]])
  }
  expect((await planner.put(`${path}/${id}`, { state_event: 'close' })).body.state).toBe('closed')
  expect([await issues('milestone_id=Started'), await issues('milestone_id=Upcoming')]).toEqual([[], []])
  expect(await issues('milestone=v1')).toEqual([2])

  expect((await planner.delete(`${path}/${id}`)).status).toBe(204)
  expect((await planner.get(issue)).body.milestone).toBeNull()
})

test('10: an iteration', async () => {
  const path = `${at.group}/iterations`
  const created = await planner.post(path, { start_date: day(0), due_date: day(6) })
  expect(created).toMatchObject({ status: 201, body: { state: 2, sequence: 1 } })
  expect((await planner.post(path, { start_date: day(6), due_date: day(12) })).status).toBe(400)
  const { id } = created.body
  expect((await planner.put(issue, { iteration_id: id })).body.iteration).toMatchObject({ id })
  expect((await planner.get(`${at.project}/iterations?state=current`)).body).toMatchObject([{ id }])
})

test('11: an epic', async () => {
  const path = `${at.group}/epics`
  const created = await planner.post(path, { title: 'E' })
  expect(created).toMatchObject({ status: 201, body: { iid: 1 } })
  expect((await planner.post(`${path}/1/issues/${issueId}`)).status).toBe(201)
  expect((await planner.get(issue)).body).toMatchObject({ epic: { iid: 1 }, epic_iid: 1 })
  expect(await issues(`epic_id=${created.body.id}`)).toEqual([2])
  expect((await planner.delete(`${path}/1`)).status).toBe(204)
  expect((await planner.get(issue)).body.epic).toBeNull()
})

test('12: guests and anonymous users', async () => {
  expect((await guest.post(`${at.project}/labels`, { name: 'x', color: 'red' })).status).toBe(403)
  expect((await guest.post(`${at.project}/milestones`, { title: 'x' })).status).toBe(403)
  expect((await guest.post(`${at.group}/epics`, { title: 'x' })).status).toBe(403)
  expect((await server.anonymous.get(`${at.project}/labels`)).status).toBe(401)
})
