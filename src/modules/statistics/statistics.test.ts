import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  makePeople,
  type People,
  projectWithMembers,
  queriesOf,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'
import { createdIssue } from '../issues/testing.ts'
import type { ProjectRow } from '../projects/index.ts'
import { instanceCounts } from './store.ts'

let server: TestServer
let people: People
let project: ProjectRow

beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  ;({ project } = await projectWithMembers(server, { people, path: 'counted' }))
})
afterAll(() => server.stop())

test('the counts of the instance are digits in text', async () => {
  const before = (await server.root.get('/application/statistics')).body
  expect(Object.keys(before)).toEqual(instanceCounts)
  expect(before).toMatchObject({ projects: '1', groups: '0', issues: '0', forks: '0', active_users: before.users })
  await createdIssue(people.guest, project)
  await server.make.group('g', people.owner)
  await server.root.post(`/users/${people.outsider.id}/block`)
  const after = (await server.root.get('/application/statistics')).body
  const active_users = String(Number(before.active_users) - 1)
  expect(after).toEqual({ ...before, issues: '1', groups: '1', active_users })
  await server.root.post(`/users/${people.outsider.id}/unblock`)
  await server.app.platform.database.write(async (tx) => {
    const milestone = { project_id: project.id, state: 'active', created_at: '2026-01-01', updated_at: '2026-01-01' }
    const rows = Array.from({ length: 1_234 }, (_, index) => ({ ...milestone, iid: index + 1, title: `m${index}` }))
    await tx
      .insertInto('milestones')
      .values(rows as never)
      .execute()
  })
  expect((await server.root.get('/application/statistics')).body.milestones).toBe('1,234')
  expect((await people.owner.get('/application/statistics')).status).toBe(403)
})

test('the work of the caller is what is open, assigned and visible', async () => {
  const { developer, maintainer } = people
  const counts = async () => (await developer.get('/user_counts')).body
  const none = {
    ...{ merge_requests: 0, assigned_issues: 0, assigned_merge_requests: 0 },
    ...{ review_requested_merge_requests: 0, todos: 0 },
  }
  expect(await counts()).toEqual(none)
  const at = `/projects/${project.id}/issues`
  const { iid } = await createdIssue(maintainer, project, { assignee_ids: [developer.id] })
  await createdIssue(maintainer, project, { assignee_ids: [maintainer.id] })
  expect(await counts()).toEqual({ ...none, assigned_issues: 1, todos: 1 })
  const queries = () => queriesOf(server, () => developer.get('/user_counts'))
  const few = await queries()
  for (let index = 0; index < 5; index += 1) {
    await createdIssue(maintainer, project, { assignee_ids: [developer.id] })
  }
  expect(await counts()).toEqual({ ...none, assigned_issues: 6, todos: 6 })
  expect(await queries()).toBe(few)
  await maintainer.put(`${at}/${iid}`, { state_event: 'close' })
  expect((await counts()).assigned_issues).toBe(5)
  await people.owner.post(`/projects/${project.id}/archive`)
  expect((await counts()).assigned_issues).toBe(0)
  await people.owner.post(`/projects/${project.id}/unarchive`)
  await people.owner.delete(`/projects/${project.id}/members/${developer.id}`)
  expect((await counts()).assigned_issues).toBe(0)
  await server.make.member({ project }, developer, 30)
})

test('merge requests count for assignees and reviewers', async () => {
  const { developer, maintainer } = people
  const base = `/projects/${project.id}`
  const file = { branch: 'main', commit_message: 'first', content: 'a' }
  expect((await maintainer.post(`${base}/repository/files/a`, file)).status).toBe(201)
  const changed = { ...file, branch: 'change', start_branch: 'main', content: 'b' }
  expect((await maintainer.post(`${base}/repository/files/b`, changed)).status).toBe(201)
  const request = { source_branch: 'change', target_branch: 'main', title: 'change' }
  const people_ = { assignee_ids: [developer.id], reviewer_ids: [maintainer.id] }
  const made = await maintainer.post(`${base}/merge_requests`, { ...request, ...people_ })
  expect(made.status).toBe(201)
  expect((await developer.get('/user_counts')).body).toMatchObject({
    ...{ merge_requests: 1, assigned_merge_requests: 1, review_requested_merge_requests: 0 },
  })
  expect((await maintainer.get('/user_counts')).body).toMatchObject({
    ...{ assigned_merge_requests: 0, review_requested_merge_requests: 1 },
  })
  await maintainer.put(`${base}/merge_requests/${made.body.iid}`, { state_event: 'close' })
  expect((await developer.get('/user_counts')).body.assigned_merge_requests).toBe(0)
})

test('what belongs to a user is counted for the user and for administrators', async () => {
  const { guest, owner } = people
  const at = `/users/${guest.id}/associations_count`
  const counts = { groups_count: 0, projects_count: 1, issues_count: 1, merge_requests_count: 0 }
  for (const client of [guest, server.root]) expect((await client.get(at)).body).toEqual(counts)
  expect((await owner.get(at)).body).toEqual({ message: '403 Forbidden' })
  expect((await owner.get(`/users/${owner.id}/associations_count`)).body).toMatchObject({
    ...{ groups_count: 1, projects_count: 1 },
  })
  expect((await server.root.get('/users/99999999/associations_count')).body).toEqual({ message: '404 User Not Found' })
})

test('administrators list the direct memberships of a user', async () => {
  const { guest } = people
  const group = await server.make.group('listed', people.owner)
  await server.make.member({ namespace: group }, guest, 20)
  const at = `/users/${guest.id}/memberships`
  const inProject = { source_id: project.id, source_name: 'counted', source_type: 'Project', access_level: 10 }
  const inGroup = { source_id: group.id, source_name: 'listed', source_type: 'Namespace', access_level: 20 }
  expect((await server.root.get(at)).body).toEqual([inProject, inGroup])
  expect((await server.root.get(`${at}?type=Project`)).body).toEqual([inProject])
  expect((await server.root.get(`${at}?type=Namespace`)).body).toEqual([inGroup])
  expect((await server.root.get(`${at}?type=Invalid`)).body.error).toBe('type does not have a valid value')
  expect((await guest.get(at)).status).toBe(403)
  expect((await server.root.get('/users/99999999/memberships')).body).toEqual({ message: '404 User Not Found' })
})

test('a token shows the groups and projects that it reaches', async () => {
  const { guest } = people
  const at = '/personal_access_tokens/self/associations'
  const { status, body } = await guest.get(at)
  expect(status).toBe(200)
  expect(body.groups).toEqual([
    {
      ...{
        id: expect.any(Number),
        web_url: expect.stringMatching(/\/groups\/listed$/),
        name: 'listed',
        parent_id: null,
      },
      ...{ organization_id: 1, access_levels: 20, visibility: 'private' },
    },
  ])
  expect(Object.keys(body.projects[0])).toEqual([
    ...['id', 'description', 'name', 'name_with_namespace', 'path', 'path_with_namespace', 'created_at'],
    ...['access_levels', 'visibility', 'web_url', 'namespace'],
  ])
  expect(body.projects[0]).toMatchObject({
    ...{ path_with_namespace: project.full_path },
    access_levels: { project_access_level: 10, group_access_level: null },
  })
  expect((await guest.get(`${at}?min_access_level=20`)).body).toMatchObject({ projects: [], groups: [{}] })
  expect((await guest.get(`${at}?per_page=1&page=2`)).body).toEqual({ groups: [], projects: [] })
  expect((await guest.get(`${at}?min_access_level=7`)).status).toBe(400)
})

test('the licence has no limits, and no key is accepted', async () => {
  const { body } = await server.root.get('/license')
  const { active_users, ...license } = body
  expect(active_users).toBeGreaterThan(1)
  expect(license).toMatchObject({
    ...{ plan: 'ultimate', expires_at: null, user_limit: null, expired: false, overage: 0, add_ons: {} },
    licensee: { Name: 'Administrator', Email: 'admin@example.com', Company: '' },
  })
  expect(await server.root.post('/license', { license: 'any key' })).toMatchObject({
    status: 400,
    body: {
      message: {
        base: ['The license key is invalid. Make sure it is exactly as you received it from GitLab Inc.'],
      },
    },
  })
  expect((await server.root.post('/license')).body.error).toBe('license is missing')
})
