import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  makePeople,
  type People,
  projectWithTwoCommits,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'
import { createdIssue, issuesOf } from '../issues/testing.ts'
import { makeMilestone } from './testing.ts'

let server: TestServer
let people: People
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())

test('a project that leaves its group keeps the milestones that it uses as its own, with their records', async () => {
  const group = await server.make.group('left', people.owner)
  await using own = await projectWithTwoCommits(server, { people, path: 'moves', namespace: group })
  const stay = await server.make.project('stays', people.owner, { namespace: group })
  const dates = { start_date: '2030-01-01', due_date: '2030-02-01' }
  const used = await makeMilestone(server, { group }, 'used', { description: 'd', state: 'closed', ...dates })
  const [before, taken] = [
    await makeMilestone(server, { group }, 'before'),
    await makeMilestone(server, { group }, 'taken'),
  ]
  await makeMilestone(server, { group }, 'unused')
  const issue = await createdIssue(people.owner, own.project, { milestone_id: before.id })
  const at = `${issuesOf(own.project)}/${issue.iid}`
  await people.owner.put(at, { milestone_id: used.id })
  const other = await createdIssue(people.owner, own.project, { milestone_id: taken.id })
  const elsewhere = await createdIssue(people.owner, stay, { milestone_id: used.id })
  await people.owner.post(`${own.base}/repository/branches`, { branch: 'work', ref: 'main' })
  const request = await people.owner.post(`${own.base}/merge_requests`, {
    ...{ source_branch: 'work', target_branch: 'main', title: 'r', milestone_id: used.id },
  })
  expect(request.status).toBe(201)
  await people.owner.post(`${own.base}/releases`, { tag_name: 'v1', ref: 'main', milestone_ids: [used.id] })
  const target = await server.make.group('entered', people.owner)
  const there = await makeMilestone(server, { group: target }, 'taken')

  expect((await people.owner.put(`${own.base}/transfer`, { namespace: target.id })).status).toBe(200)

  const read = async (path: string) => (await people.owner.get(path)).body
  const { milestone } = await read(at)
  const shown = { title: 'used', description: 'd', state: 'closed', project_id: own.project.id, ...dates }
  expect(milestone).toMatchObject(shown)
  expect(milestone.id).not.toBe(used.id)
  expect((await read(`${own.base}/merge_requests/${request.body.iid}`)).milestone.id).toBe(milestone.id)
  expect((await read(`${own.base}/releases/v1`)).milestones).toMatchObject([{ id: milestone.id }])
  expect((await read(`${issuesOf(own.project)}/${other.iid}`)).milestone.id).toBe(there.id)
  expect((await read(`${issuesOf(stay)}/${elsewhere.iid}`)).milestone.id).toBe(used.id)
  const titles = (list: { title: string }[]) => list.map(({ title }) => title).toSorted()
  expect(titles(await read(`${own.base}/milestones`))).toEqual(['before', 'used'])
  const events = await read(`${at}/resource_milestone_events`)
  expect(
    events.map((event: { action: string; milestone: { title: string; project_id: number } }) => [
      event.action,
      event.milestone.title,
      event.milestone.project_id,
    ]),
  ).toEqual([
    ['add', 'before', own.project.id],
    ['add', 'used', own.project.id],
  ])
})
