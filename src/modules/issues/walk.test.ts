/** The acceptance walk of contract 16. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePeople, type People, projectWithMembers, startTestServer, type TestServer } from '../../testing/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import { iidsAt, issuesOf } from './testing.ts'

let server: TestServer
let people: People
let project: ProjectRow
let second: ProjectRow
let at: string

beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  const group = await server.make.group('walk', people.owner, { visibility: 'public' })
  ;({ project } = await projectWithMembers(server, { people, path: 'one', namespace: group }))
  ;({ project: second } = await projectWithMembers(server, { people, path: 'two', namespace: group }))
  at = issuesOf(project)
})
afterAll(() => server.stop())

test('issues are created, listed, filtered, changed, moved and deleted as the contract says', async () => {
  const { owner, maintainer, developer, guest } = people
  const today = server.app.platform.clock.now().toISOString().slice(0, 10)
  const list = (query: string, person = maintainer) => iidsAt(person, `${at}?${query}`)

  const first = await maintainer.post(at, { title: 'A', labels: 'bug,ui', weight: 3, due_date: today })
  expect(first.status).toBe(201)
  expect(first.body).toMatchObject({ iid: 1, labels: ['bug', 'ui'], type: 'ISSUE', weight: 3, subscribed: true })
  const names = (await maintainer.get(`/projects/${project.id}/labels`)).body.map(({ name }: { name: string }) => name)
  expect(names).toEqual(['bug', 'ui'])

  expect((await guest.post(at, { title: 'B', labels: 'x' })).body).toMatchObject({ iid: 2, labels: [] })
  const untitled = await guest.post(at, {})
  expect([untitled.status, untitled.body.message]).toEqual([400, expect.stringContaining('title')])

  expect(await iidsAt(developer, '/issues')).toEqual([])
  expect(await iidsAt(developer, '/issues?scope=all')).toEqual([2, 1])
  expect((await server.anonymous.get('/issues')).status).toBe(401)
  expect((await server.anonymous.get('/issues?scope=all')).body).toEqual([])

  expect(await list('labels=bug,ui')).toEqual([1])
  expect(await list('labels=None')).toEqual([2])
  expect(await list('labels=bug,nope')).toEqual([])
  expect(await list('not[labels]=bug')).toEqual([2])

  const both = await maintainer.get(`${at}?assignee_id=None&assignee_username[]=a`)
  expect([both.status, both.body.error]).toEqual([400, 'assignee_id, assignee_username are mutually exclusive'])
  expect((await maintainer.get(`${at}?milestone_id=foo`)).status).toBe(400)

  expect(await list('due_date=today')).toEqual([1])
  expect(await list('due_date=overdue')).toEqual([])
  expect(await list('due_date=0')).toEqual([2])
  expect((await maintainer.get(`${at}?due_date=soon`)).status).toBe(400)

  expect((await maintainer.put(`${at}/1`, { confidential: true })).status).toBe(200)
  expect((await guest.get(`${at}/1`)).status).toBe(404)
  for (const path of [at, '/issues?scope=all', '/groups/walk/issues']) expect(await iidsAt(guest, path)).toEqual([2])
  await maintainer.put(`${at}/1`, { assignee_id: guest.id })
  expect((await guest.get(`${at}/1`)).status).toBe(200)

  expect((await maintainer.post(`${at}/1/award_emoji`, { name: 'thumbsup' })).status).toBe(201)
  const again = await maintainer.post(`${at}/1/award_emoji`, { name: 'thumbsup' })
  expect([again.status, again.body.message]).toEqual([404, expect.stringContaining('has already been taken')])
  expect(await list('order_by=popularity')).toEqual([1, 2])
  expect(await list('my_reaction_emoji=thumbsup')).toEqual([1])
  expect(await list('my_reaction_emoji=None')).toEqual([2])

  expect((await maintainer.post(`${at}/1/notes`, { body: '/health_status on_track' })).status).toBe(202)
  expect((await maintainer.get(`${at}/1`)).body.health_status).toBe('on_track')
  expect(await list('health_status=Any')).toEqual([1])

  expect((await maintainer.put(`${at}/2/reorder`, { move_before_id: first.body.id })).status).toBe(200)
  expect(await list('order_by=relative_position&sort=asc')).toEqual([2, 1])

  const estimate = await maintainer.post(`${at}/1/time_estimate`, { duration: '3h30m' })
  expect([estimate.status, estimate.body.human_time_estimate]).toEqual([200, '3h 30m'])
  expect((await maintainer.post(`${at}/1/time_estimate`, { duration: 'abc' })).status).toBe(400)

  const target = { target_project_id: project.id, target_issue_iid: 2 }
  const link = await maintainer.post(`${at}/1/links`, target)
  expect(link.body).toMatchObject({ source_issue: { iid: 1 }, target_issue: { iid: 2 } })
  expect((await maintainer.post(`${at}/1/links`, target)).body).toEqual({ message: 'Issue(s) already assigned' })
  expect((await maintainer.get(`${at}/1/links`)).body).toMatchObject([{ issue_link_id: link.body.id }])
  expect((await maintainer.delete(`${at}/1/links/${link.body.id}`)).status).toBe(200)

  const closed = await maintainer.put(`${at}/1`, { state_event: 'close' })
  expect(closed.body).toMatchObject({ closed_at: expect.any(String), closed_by: { username: 'maintainer' } })
  const { body: statistics } = await maintainer.get(`/projects/${project.id}/issues_statistics`)
  expect(statistics).toEqual({ statistics: { counts: { all: 2, closed: 1, opened: 1 } } })
  const reopened = await maintainer.put(`${at}/1`, { state_event: 'reopen' })
  expect(reopened.body).toMatchObject({ closed_at: null, closed_by: null })

  const moved = await maintainer.post(`${at}/2/move`, { to_project_id: second.id })
  expect([moved.status, moved.body.project_id]).toEqual([201, second.id])
  expect((await maintainer.get(`${at}/2`)).body).toMatchObject({ state: 'closed', moved_to_id: moved.body.id })
  expect((await maintainer.post(`${at}/1/move`, { to_project_id: project.id })).status).toBe(400)

  expect((await developer.delete(`${at}/1`)).status).toBe(403)
  expect((await owner.delete(`${at}/1`)).status).toBe(204)
  expect((await owner.delete(`${at}/1`)).body).toEqual({ message: '404 Issue Not Found' })
  expect((await guest.post(at, { title: 'C' })).body.iid).toBe(3)
})
