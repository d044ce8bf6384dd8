import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { createdIssue } from '../../issues/testing.ts'
import { makeMilestone } from '../../milestones/testing.ts'

let server: TestServer
let owner: Person
let guest: Person
let group: Awaited<ReturnType<TestServer['make']['group']>>
let project: Awaited<ReturnType<TestServer['make']['project']>>

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  guest = await server.user('guest')
})
afterAll(() => server.stop())

let made = 0
beforeEach(async () => {
  made += 1
  group = await server.make.group(`team${made}`, owner)
  project = await server.make.project('demo', owner, { namespace: group })
  await server.make.member({ namespace: group }, guest, 10)
  await owner.post(`/groups/${group.id}/epics`, { title: 'E' })
})

const path = (iid = 1) => `/groups/${group.id}/epics/${iid}/issues`
const makeIssue = (given: Record<string, unknown> = {}, into: { id: number } = project) =>
  createdIssue(owner, into, { title: 'I', ...given })
const add = (issue: { id: number }, iid = 1, person: Person = guest) => person.post(`${path(iid)}/${issue.id}`)
const order = async () => (await owner.get(path())).body.map(({ iid }: { iid: number }) => iid)
const noIssue = {
  status: 404,
  body: { message: 'No matching issue found. Make sure that you are adding a valid issue URL.' },
}

describe('an issue of an epic', () => {
  test('is assigned by guests, shown in both, and taken from the epic again', async () => {
    const issue = await makeIssue()
    const { status, headers, body } = await add(issue)
    expect([status, headers.get('deprecation')]).toEqual([201, 'true'])
    expect(body).toMatchObject({ epic: { iid: 1, title: 'E' }, issue: { id: issue.id, title: 'I' } })
    expect(await add(issue)).toMatchObject({ status: 409, body: { message: 'Issue(s) already assigned' } })
    const shown = (await guest.get(`/projects/${project.id}/issues/${issue.iid}`)).body
    expect(shown).toMatchObject({
      epic_iid: 1,
      epic: {
        id: body.epic.id,
        title: 'E',
        url: `/groups/${group.full_path}/-/epics/1`,
        human_readable_end_date: null,
      },
    })
    expect((await guest.get(path())).body).toMatchObject([{ id: issue.id, epic_issue_id: body.id, epic_iid: 1 }])
    const removed = await guest.delete(`${path()}/${body.id}`)
    expect(removed).toMatchObject({ status: 200, body: { id: body.id, issue: { id: issue.id } } })
    expect(await guest.delete(`${path()}/${body.id}`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
    expect((await guest.get(`/projects/${project.id}/issues/${issue.iid}`)).body.epic).toBeNull()
  })

  test('is reassigned from another epic', async () => {
    await owner.post(`/groups/${group.id}/epics`, { title: 'F' })
    const issue = await makeIssue()
    await add(issue)
    expect((await add(issue, 2)).status).toBe(201)
    expect([(await owner.get(path(1))).body.length, (await owner.get(path(2))).body.length]).toEqual([0, 1])
  })

  test('must be readable, in a project in which the caller has a role', async () => {
    const elsewhere = await server.make.project(`elsewhere${made}`, owner, { visibility: 'public' })
    const hidden = await server.make.project(`hidden${made}`, owner)
    for (const into of [elsewhere, hidden]) expect(await add(await makeIssue({}, into))).toMatchObject(noIssue)
    expect(await add(await makeIssue({ confidential: true }))).toMatchObject(noIssue)
    expect(await add({ id: 99_999_999 })).toMatchObject(noIssue)
    expect(await guest.post(`${path()}/x`)).toMatchObject({ status: 400, body: { error: 'issue_id is invalid' } })
  })

  test('may be of another group or of a user, and is shown to those who can read it', async () => {
    const far = await server.make.group(`far${made}`, owner)
    const [ofGroup, ofUser] = [
      await server.make.project('theirs', owner, { namespace: far }),
      await server.make.project(`own${made}`, guest),
    ]
    await server.make.member({ project: ofGroup }, guest, 10)
    const [first, second] = [await makeIssue({}, ofGroup), await createdIssue(guest, ofUser)]
    for (const one of [first, second]) expect(await add(one)).toMatchObject({ status: 201, body: { epic: { iid: 1 } } })
    const ids = async (person: Person) => (await person.get(path())).body.map(({ id }: { id: number }) => id)
    expect([await ids(guest), await ids(owner)]).toEqual([[first.id, second.id], [first.id]])
    const { epic } = (await guest.get(`/projects/${ofUser.id}/issues/${second.iid}`)).body
    expect(epic).toMatchObject({ title: 'E', group_id: group.id })
    await owner.post(`/groups/${group.id}/epics`, { title: 'S', confidential: true })
    expect(await add(first, 2, owner)).toMatchObject({
      status: 422,
      body: {
        message:
          'Cannot assign a non-confidential issue to a confidential epic. Make the issue confidential and try again',
      },
    })
  })

  test('takes an epic of another group in which the caller has a role', async () => {
    const other = await server.make.group(`other${made}`, owner, { visibility: 'public' })
    const epic = (await owner.post(`/groups/${other.id}/epics`, { title: 'G' })).body
    const issue = await makeIssue({ epic_id: epic.id })
    const at = `/projects/${project.id}/issues/${issue.iid}`
    expect((await owner.get(at)).body.epic).toMatchObject({ id: epic.id, title: 'G' })
    const planner = await server.user(`planner${made}`)
    await server.make.member({ project }, planner, 20)
    const refused = { status: 422, body: { message: 'Epic not found' } }
    expect(await planner.post(`/projects/${project.id}/issues`, { title: 'I', epic_id: epic.id })).toMatchObject(
      refused,
    )
    await server.make.member({ namespace: other }, planner, 10)
    expect((await planner.put(at, { epic_id: 0 })).body.epic).toBeNull()
    expect((await planner.put(at, { epic_id: epic.id })).body.epic).toMatchObject({ id: epic.id })
  })

  test('is set, found and cleared by the parameters of issues', async () => {
    const id = (await owner.get(`/groups/${group.id}/epics/1`)).body.id
    const byId = await makeIssue({ epic_id: id })
    const byIid = await makeIssue({ epic_iid: 1 })
    const without = await makeIssue()
    const found = async (query: string) =>
      (await owner.get(`/projects/${project.id}/issues?sort=asc&${query}`)).body.map(({ iid }: { iid: number }) => iid)
    expect(await found(`epic_id=${id}`)).toEqual([byId.iid, byIid.iid])
    expect(await found('epic_id=Any')).toEqual([byId.iid, byIid.iid])
    expect(await found('epic_id=None')).toEqual([without.iid])
    const cleared = await owner.put(`/projects/${project.id}/issues/${byId.iid}`, { epic_id: 0 })
    expect(cleared.body.epic).toBeNull()
    const unknown = await owner.post(`/projects/${project.id}/issues`, { title: 'I', epic_id: 99_999_999 })
    expect(unknown).toMatchObject({ status: 422, body: { message: 'Epic not found' } })
  })

  test('hides a confidential epic from guests', async () => {
    const secret = (await owner.post(`/groups/${group.id}/epics`, { title: 'S', confidential: true })).body
    const issue = await makeIssue({ epic_id: secret.id, confidential: true, assignee_ids: [guest.id] })
    const address = `/projects/${project.id}/issues/${issue.iid}`
    expect((await owner.get(address)).body.epic_iid).toBe(2)
    expect((await guest.get(address)).body).toMatchObject({ epic: null, epic_iid: null })
  })

  test('gives the epic the dates of its milestone', async () => {
    const dates = { start_date: '2027-01-05', due_date: '2027-01-31' }
    const milestone = await makeMilestone(server, { project }, 'M', dates)
    const issue = await makeIssue({ milestone_id: milestone.id, epic_iid: 1 })
    expect((await owner.get(`/groups/${group.id}/epics/1`)).body).toMatchObject({
      ...dates,
      start_date_from_milestones: '2027-01-05',
      due_date_from_inherited_source: '2027-01-31',
    })
    const shown = (await owner.get(`/projects/${project.id}/issues/${issue.iid}`)).body.epic
    expect(shown).toMatchObject({
      human_readable_end_date: 'Jan 31, 2027',
      human_readable_timestamp: expect.any(String),
    })
  })
})

describe('the order', () => {
  const links = async () =>
    (await owner.get(path())).body.map(({ epic_issue_id }: { epic_issue_id: number }) => epic_issue_id) as number[]
  const move = (id: number, places: object) => guest.put(`${path()}/${id}`, places)

  test('is changed by the neighbours, however often', async () => {
    for (let index = 0; index < 3; index += 1) await add(await makeIssue())
    expect(await order()).toEqual([1, 2, 3])
    const [first, second, third] = (await links()) as [number, number, number]
    const answer = await move(third, { move_before_id: first })
    expect(answer.body.map(({ iid }: { iid: number }) => iid)).toEqual([3, 1, 2])
    expect((await move(first, { move_after_id: second })).status).toBe(200)
    expect(await order()).toEqual([3, 2, 1])
    // Each move halves the distance, until the positions are spread again.
    for (let turn = 0; turn < 25; turn += 1) await move(turn % 2 ? second : first, { move_after_id: third })
    expect(await order()).toEqual([3, 1, 2])
  })

  test('refuses associations of other epics', async () => {
    await add(await makeIssue())
    const [link] = await links()
    for (const id of [link ?? 0, 99_999_999]) expect((await move(id, { move_after_id: 99_999_998 })).status).toBe(404)
    expect(await move(link ?? 0, { move_after_id: 'x' })).toMatchObject({ status: 400 })
  })

  test('leaves out what the caller cannot read, in the same queries for few and many', async () => {
    await add(await makeIssue())
    await add(await makeIssue({ confidential: true }), 1, owner)
    expect((await guest.get(path())).body).toHaveLength(1)
    const few = await queriesOf(server, () => owner.get(path()))
    for (let index = 0; index < 3; index += 1) await add(await makeIssue())
    expect(await queriesOf(server, () => owner.get(path()))).toBe(few)
  })
})

test('the issues of a project that leaves the tree of groups stay in their epic', async () => {
  const issue = await makeIssue({ epic_iid: 1 })
  const other = await server.make.group(`away${made}`, owner)
  expect((await owner.put(`/projects/${project.id}/transfer`, { namespace: other.id })).status).toBe(200)
  expect((await owner.get(`/projects/${project.id}/issues/${issue.iid}`)).body.epic).toMatchObject({ title: 'E' })
  expect(await order()).toEqual([issue.iid])
  expect((await guest.get(path())).body).toEqual([])
})

test('deleting the epic or the issue ends the association', async () => {
  const issue = await makeIssue({ epic_iid: 1 })
  const other = await makeIssue({ epic_iid: 1 })
  await owner.delete(`/projects/${project.id}/issues/${issue.iid}`)
  expect(await order()).toEqual([other.iid])
  await owner.delete(`/groups/${group.id}/epics/1`)
  expect((await owner.get(`/projects/${project.id}/issues/${other.iid}`)).body.epic).toBeNull()
})
