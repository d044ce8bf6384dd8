import { afterAll, beforeAll, expect, test } from 'vitest'
import { now } from '../../infra/database/index.ts'
import { react } from '../../platform/index.ts'
import { makePeople, type People, projectWithMembers, startTestServer, type TestServer } from '../../testing/index.ts'
import type { NamespaceRow } from '../namespaces/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import { createdIssue, issuesOf } from './testing.ts'

let server: TestServer
let people: People
let group: NamespaceRow
let project: ProjectRow
let at: string

beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  group = await server.make.group('reacting', people.owner)
  ;({ project } = await projectWithMembers(server, { people, path: 'p', namespace: group }))
  at = issuesOf(project)
})
afterAll(() => server.stop())

const read = async (iid: number) => (await people.owner.get(`${at}/${iid}`)).body

test('issues of a removed user go to the ghost user, or are deleted', async () => {
  const [leaving, hated] = [await server.user('leaving'), await server.user('hated')]
  for (const person of [leaving, hated]) await server.make.member({ project }, person, 20)
  const written = await createdIssue(leaving, project)
  const assigned = await createdIssue(people.guest, project)
  await people.maintainer.put(`${at}/${assigned.iid}`, { assignee_ids: [leaving.id] })
  await leaving.put(`${at}/${assigned.iid}`, { state_event: 'close' })
  const gone = await createdIssue(hated, project)
  await server.root.delete(`/users/${leaving.id}`)
  await server.root.delete(`/users/${hated.id}?hard_delete=true`)
  await server.app.platform.jobs.drain()
  expect(await read(written.iid)).toMatchObject({ author: { username: 'ghost' } })
  expect(await read(assigned.iid)).toMatchObject({ assignees: [], closed_by: { username: 'ghost' } })
  expect((await people.owner.get(`${at}/${gone.iid}`)).status).toBe(404)
})

test('a deleted milestone is taken off its issues, and a promoted one stays', async () => {
  const { body: milestone } = await people.owner.post(`/projects/${project.id}/milestones`, { title: 'v1' })
  const { iid } = await createdIssue(people.reporter, project, { milestone_id: milestone.id })
  expect((await read(iid)).milestone).toMatchObject({ title: 'v1', project_id: project.id })
  await people.owner.post(`/projects/${project.id}/milestones/${milestone.id}/promote`)
  const promoted = (await read(iid)).milestone
  expect(promoted).toMatchObject({ title: 'v1', group_id: group.id })
  await people.owner.delete(`/groups/${group.id}/milestones/${promoted.id}`)
  expect((await read(iid)).milestone).toBeNull()
})

/** Stores two iterations of the group by rows. */
async function twoIterations() {
  const { database, clock } = server.app.platform
  const moment = now(clock)
  const times = { created_at: moment, updated_at: moment }
  return database.write(async (tx) => {
    const cadence = await tx
      .insertInto('iteration_cadences')
      .values({
        namespace_id: group.id,
        title: 'c',
        automatic: false,
        roll_over: true,
        active: true,
        ...times,
      } as never)
      .returning('id')
      .executeTakeFirstOrThrow()
    const dates = [
      ['2030-01-01', '2030-01-07'],
      ['2030-01-08', '2030-01-14'],
    ] as const
    const rows = dates.map(([start_date, due_date], index) => ({
      ...{ iid: 100 + index, namespace_id: group.id, cadence_id: cadence.id, sequence: index + 1, title: `i${index}` },
      ...{ start_date, due_date, closed: false, ...times },
    }))
    const made = await tx
      .insertInto('iterations')
      .values(rows as never)
      .returning('id')
      .execute()
    return made.map(({ id }) => id).sort((left, right) => left - right) as [number, number]
  })
}

test('open issues of an ended iteration go to the next one, and lose one that is deleted', async () => {
  const { platform } = server.app
  const [first, second] = await twoIterations()
  const open = await createdIssue(people.reporter, project, { iteration_id: first })
  const closed = await createdIssue(people.reporter, project, { iteration_id: first })
  await people.reporter.put(`${at}/${closed.iid}`, { state_event: 'close' })
  const ended = { iterationId: first, nextIterationId: second }
  await platform.database.write((tx) => react(platform, tx, 'iteration.closed', ended))
  expect((await read(open.iid)).iteration).toMatchObject({ id: second })
  expect((await read(closed.iid)).iteration).toMatchObject({ id: first })
  const events = await platform.database.read
    .selectFrom('resource_iteration_events')
    .innerJoin('users', 'users.id', 'resource_iteration_events.user_id')
    .select(['iteration_id', 'action', 'username'])
    .where('issuable_id', '=', open.id)
    .orderBy('resource_iteration_events.id')
    .execute()
  expect(events).toEqual([
    { iteration_id: first, action: 'add', username: 'reporter' },
    { iteration_id: second, action: 'add', username: 'automation-bot' },
  ])
  await platform.database.write((tx) => react(platform, tx, 'iterations.removed', { iterationIds: [second] }))
  expect((await read(open.iid)).iteration).toBeNull()
})

test('issues of a project that moves keep the milestones of its former group, and lose the iterations', async () => {
  const own = await projectWithMembers(server, { people, path: 'leaving-project', namespace: group })
  const [iteration] = await twoIterations().catch(async () => {
    const row = await server.app.platform.database.read.selectFrom('iterations').select('id').executeTakeFirstOrThrow()
    return [row.id]
  })
  const { body: milestone } = await people.owner.post(`/groups/${group.id}/milestones`, { title: 'of group' })
  const { body: kept } = await people.owner.post(`/projects/${own.project.id}/milestones`, { title: 'of project' })
  const lost = await createdIssue(people.owner, own.project, { milestone_id: milestone.id, iteration_id: iteration })
  const stays = await createdIssue(people.owner, own.project, { milestone_id: kept.id })
  const moved = await people.owner.put(`/projects/${own.project.id}/transfer`, { namespace: people.owner.username })
  expect(moved.status).toBe(200)
  const get = async (iid: number) => (await people.owner.get(`${issuesOf(own.project)}/${iid}`)).body
  expect(await get(lost.iid)).toMatchObject({
    milestone: { title: 'of group', project_id: own.project.id },
    iteration: null,
    web_url: expect.stringContaining('/owner/'),
  })
  expect(await get(stays.iid)).toMatchObject({ milestone: { title: 'of project' } })
})

test('projects and labels show their numbers of issues', async () => {
  const own = await projectWithMembers(server, { people, path: 'counted', namespace: group })
  await createdIssue(people.owner, own.project, { labels: 'counted' })
  await createdIssue(people.owner, own.project, { labels: 'counted', confidential: true })
  const { iid } = await createdIssue(people.owner, own.project, { labels: 'counted' })
  await people.owner.put(`${issuesOf(own.project)}/${iid}`, { state_event: 'close' })
  expect((await people.guest.get(`/projects/${own.project.id}`)).body.open_issues_count).toBe(1)
  const counts = async (person: typeof people.guest) =>
    (await person.get(`/projects/${own.project.id}/labels?with_counts=true`)).body[0]
  expect(await counts(people.reporter)).toMatchObject({ open_issues_count: 2, closed_issues_count: 1 })
  expect(await counts(people.guest)).toMatchObject({ open_issues_count: 1, closed_issues_count: 1 })
})
