import { Gitlab } from '@gitbeaker/rest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../src/testing/index.ts'

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** The acceptance walk of groups and projects (contract 21), with gitbeaker, as far as gitbeaker.test.ts does not walk it. */
type Api = InstanceType<typeof Gitlab<false>>
let server: TestServer
let api: Api
let own: Api
let alice: Person
let group: number
let project: number

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.user('alice')
  api = new Gitlab({ host: server.url, token: server.rootToken })
  own = new Gitlab({ host: server.url, token: alice.token })
  group = (await api.Groups.create('G', 'g', { visibility: 'public' })).id
  const options = { name: 'Demo App', namespaceId: group, initializeWithReadme: true, visibility: 'public' } as const
  project = (await api.Projects.create(options)).id
})
afterAll(() => server?.stop())

const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)
const failure = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (error) => error,
  )
  return [error?.cause?.response?.status, error?.cause?.description]
}

test('topics are created, given to projects, merged and deleted', async () => {
  const one = await api.Topics.create('one', { title: 'One', description: 'first' } as never)
  const two = await api.Topics.create('two', { title: 'Two' } as never)
  expect(await api.Topics.show(two.id)).toMatchObject({ name: 'two', avatar_url: null })
  expect(await failure(api.Topics.create('ONE', { title: 'x' } as never))).toEqual([
    400,
    expect.stringContaining('taken'),
  ])
  expect(await api.Topics.edit(one.id, { description: 'changed' })).toMatchObject({ description: 'changed' })
  await api.Projects.edit(project, { topics: ['one', 'new'] })
  expect(await api.Topics.all({ search: 'one' })).toMatchObject([{ id: one.id, total_projects_count: 1 }])
  expect(idsOf(await api.Projects.all({ topicId: one.id }))).toEqual([project])
  expect(idsOf(await api.Projects.all({ topic: 'two' }))).toEqual([])
  expect(await api.Topics.merge(one.id, two.id)).toMatchObject({ id: two.id, total_projects_count: 1 })
  expect((await api.Projects.show(project)).topics?.toSorted()).toEqual(['new', 'two'])
  expect((await failure(own.Topics.remove(two.id)))[0]).toBe(403)
  await api.Topics.remove(two.id)
  expect((await api.Projects.show(project)).topics).toEqual(['new'])
})

test('invitations are sent, changed, withdrawn and accepted', async () => {
  for (const [invitations, id] of [
    [api.ProjectInvitations, project],
    [api.GroupInvitations, group],
  ] as const) {
    const email = `guest${id}@example.com`
    expect(await invitations.add(id, 20, { email: `${email},broken` })).toEqual({
      status: 'error',
      message: { broken: 'Invite email is invalid' },
    })
    expect(await invitations.all(id, { query: 'guest' })).toMatchObject([{ invite_email: email, access_level: 20 }])
    expect(await invitations.edit(id, email, { accessLevel: 30 })).toMatchObject({ access_level: 30 })
    await invitations.remove(id, email)
    expect((await failure(invitations.remove(id, email)))[0]).toBe(404)
  }
  expect(await api.ProjectInvitations.add(project, 30, { userId: String(alice.id) })).toEqual({ status: 'success' })
  expect(await api.ProjectMembers.show(project, alice.id)).toMatchObject({ access_level: 30 })
})

test('stars, forks and their relation', async () => {
  expect(await own.Projects.star(project)).toMatchObject({ star_count: 1 })
  expect(idsOf(await own.Projects.all({ starred: true }))).toEqual([project])
  expect((await own.Projects.allStarrers(project)).map((row) => (row as never as { user: Person }).user.id)).toEqual([
    alice.id,
  ])
  expect(await own.Projects.unstar(project)).toMatchObject({ star_count: 0 })
  const fork = await own.Projects.fork(project)
  await server.app.platform.jobs.drain()
  expect(await own.Projects.show(fork.id)).toMatchObject({
    import_status: 'finished',
    forked_from_project: { id: project },
  })
  expect(idsOf(await api.Projects.allForks(project))).toEqual([fork.id])
  await own.Projects.removeForkRelationship(fork.id)
  expect(await api.Projects.allForks(project)).toEqual([])
  await api.Projects.createForkRelationship(fork.id, project)
  expect(idsOf(await api.Projects.allForks(project))).toEqual([fork.id])
})

test('shares, and the groups of a project', async () => {
  const other = (await api.Groups.create('O', 'o')).id
  expect(await api.Projects.share(project, other, 30)).toMatchObject({ group_id: other, group_access: 30 })
  expect((await failure(api.Projects.share(project, other, 30)))[0]).toBe(409)
  expect(idsOf(await api.Projects.allGroups(project, { withShared: true }))).toEqual(
    expect.arrayContaining([group, other]),
  )
  expect(idsOf(await api.Groups.allSharedProjects(other))).toEqual([project])
  await api.Projects.unshare(project, other)
  expect((await failure(api.Projects.unshare(project, other)))[0]).toBe(404)
  expect(await api.Groups.share(group, other, 20, {})).toMatchObject({ shared_with_groups: [{ group_id: other }] })
  await api.Groups.unshare(group, other, {})
})

test('avatars, languages, statistics and custom attributes', async () => {
  const avatar = { content: new Blob([picture]), filename: 'own.png' }
  expect((await api.Projects.edit(project, { avatar })).avatar_url).toMatch(/\/project\/avatar\/\d+\/own\.png$/)
  await api.RepositoryFiles.create(project, 'main.py', 'main', 'print(1)\n', 'Add a program')
  await expect.poll(() => api.Projects.showLanguages(project)).toEqual({ Python: 100 })
  await server.app.platform.jobs.drain()
  expect(idsOf(await api.Projects.all({ withProgrammingLanguage: 'Python' } as never))).toEqual([project])
  expect(await api.ProjectStatistics.show(project)).toEqual({ fetches: { total: 0, days: [] } })
  expect((await api.Projects.show(project, { statistics: true })).statistics).toMatchObject({ commit_count: 2 })
  const found = (place: string) => ({ customAttributes: { place } }) as never
  for (const [attributes, list, id] of [
    [api.ProjectCustomAttributes, (place: string) => api.Projects.all(found(place)), project],
    [api.GroupCustomAttributes, (place: string) => api.Groups.all(found(place)), group],
  ] as const) {
    expect(await attributes.set(id, 'place', 'here')).toEqual({ key: 'place', value: 'here' })
    expect(idsOf((await list('here')) as { id: number }[])).toEqual([id])
    expect(await list('there')).toEqual([])
    await attributes.remove(id, 'place')
  }
})

test('activity', async () => {
  await api.Issues.create(project, 'Broken')
  await api.Issues.edit(project, 1, { stateEvent: 'close' })
  const actions = (await api.Events.all({ projectId: project, targetType: 'issue', sort: 'asc' })).map(
    ({ action_name: action }) => action,
  )
  expect(actions).toEqual(['opened', 'closed'])
  expect((await own.Events.all({ userId: alice.id })).map((event) => event.action_name)).toContain('joined')
})

test('archives, transfers, deletion and its undoing', async () => {
  expect(await api.Projects.archive(project)).toMatchObject({ archived: true })
  expect((await failure(api.Branches.create(project, 'x', 'main')))[0]).toBe(403)
  expect(await api.Projects.unarchive(project)).toMatchObject({ archived: false })
  expect(await api.Projects.transfer(project, 1)).toMatchObject({ namespace: { path: 'root' } })
  expect(await api.Groups.transferProject(group, project)).toMatchObject({ id: group })
  expect((await failure(api.Projects.restore(project)))[0]).toBe(400)
  await api.Projects.remove(project)
  expect((await failure(api.Projects.remove(project)))[1]).toBe('Project has been already marked for deletion')
  expect(await api.Projects.restore(project)).toMatchObject({ path: 'demo-app' })
  await api.Groups.remove(group)
  expect((await api.Groups.show(group)) as unknown).toMatchObject({ marked_for_deletion_on: expect.any(String) })
  expect(await api.Groups.restore(group)).toMatchObject({ id: group })
})
