/** Operations are performed inside the server as requests are. */
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anonymous, type Caller, createPerformer, type Performer, type UserActor } from '../src/api/index.ts'
import { branchesDelete, branchesList } from '../src/modules/branches/index.ts'
import { filesRaw } from '../src/modules/files/index.ts'
import { appendTrace, jobsTrace } from '../src/modules/pipelines/index.ts'
import { projectsGet, projectsList } from '../src/modules/projects/index.ts'
import { type UserRow, userById } from '../src/modules/users/index.ts'
import { type Person, startTestServer, type TestServer } from '../src/testing/index.ts'

let server: TestServer
let owner: Person
let performer: Performer
let projectId: number
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  performer = createPerformer({ platform: server.app.platform, operations: server.app.operations })
  const { body } = await owner.post('/projects', { name: 'own', initialize_with_readme: true })
  projectId = body.id
})
afterAll(() => server.stop())

async function callerOf(person: Pick<Person, 'id'> | null, scopes = ['api']): Promise<Caller> {
  const request = { id: 'test', ip: '127.0.0.1', signal: new AbortController().signal }
  if (!person) return { actor: anonymous, request, found: new Map() }
  const user = (await userById(server.app.platform.database.read, person.id)) as UserRow
  const actor: UserActor = {
    ...{ kind: 'user', userId: user.id, username: user.username, administrator: user.is_admin },
    ...{
      external: false,
      bot: false,
      hasMemberRoles: true,
      credential: { kind: 'session', id: 1, scopes: new Set(scopes) },
    },
  }
  return { actor, request, found: new Map() }
}

test('the value is that of the API', async () => {
  const caller = await callerOf(owner)
  const { value, status } = await performer.perform(projectsGet, caller, { id: projectId })
  expect(status).toBe(200)
  expect(value).toEqual((await owner.get(`/projects/${projectId}`)).body)
  const list = await performer.perform(projectsList, caller, { membership: true, per_page: 1 })
  expect(list.value.items).toEqual((await owner.get('/projects?membership=true&per_page=1')).body)
  expect(list.page).toMatchObject({ perPage: 1 })
})

test('bytes are answered as they are', async () => {
  const { value } = await performer.perform(filesRaw, await callerOf(owner), {
    ...{ id: projectId, file_path: 'README.md', ref: 'main' },
  })
  expect(value.headers['Content-Type']).toMatch(/^text\/plain/)
})

test('some bytes are answered where the operation knows ranges', async () => {
  const caller = await callerOf(owner)
  const { body: project } = await owner.post('/projects', { name: 'ci', initialize_with_readme: true })
  const file = { branch: 'main', content: 'job: {script: a}', commit_message: 'CI' }
  await owner.post(`/projects/${project.id}/repository/files/.gitlab-ci.yml`, file)
  await owner.post(`/projects/${project.id}/pipeline`, { ref: 'main' })
  const [job] = (await owner.get(`/projects/${project.id}/jobs`)).body
  await appendTrace(server.app.platform, { id: job.id, project_id: project.id }, 0, Buffer.from('0123456789'))
  const call = { id: project.id, job_id: job.id }
  const { value, status } = await performer.perform(jobsTrace, caller, call, { range: 'bytes=-3' })
  expect([status, value.headers['Content-Range']]).toEqual([206, 'bytes 7-9/10'])
  const opened = typeof value.body === 'function' ? await value.body() : value.body
  expect(await text(opened as Readable)).toBe('789')
  const beyond = performer.perform(jobsTrace, caller, call, { range: 'bytes=10-' })
  await expect(beyond).rejects.toMatchObject({ status: 416 })
})

describe('refusals are those of the API', () => {
  test.each<[string, () => Promise<Caller>, Record<string, unknown>, number]>([
    ['an unknown project', () => callerOf(owner), { id: 'none/none' }, 404],
    ['a project that is hidden from callers without credentials', () => callerOf(null), {}, 404],
    ['a missing scope', () => callerOf(owner, ['read_user']), {}, 403],
    ['U+0000 in a name', () => callerOf(owner), { id: 'a/b\u0000' }, 400],
    ['a wrong parameter', () => callerOf(owner), { sort: 'sideways' }, 400],
    ['a page below the first', () => callerOf(owner), { page: 'x' }, 400],
  ])('%s', async (_what, caller, call, status) => {
    const performing = performer.perform(branchesList, await caller(), { id: projectId, ...call } as never)
    await expect(performing).rejects.toMatchObject({ status })
  })

  test('a person without the role', async () => {
    const other = await server.user('other')
    await server.make.member({ project: { id: projectId } as never }, other, 10)
    const caller = await callerOf(other)
    const call = { id: projectId, branch: 'main' }
    await expect(performer.perform(branchesDelete, caller, call)).rejects.toMatchObject({ status: 403 })
    expect(await performer.may(branchesDelete, caller, call)).toBe(false)
    expect(await performer.may(branchesDelete, await callerOf(owner), call)).toBe(true)
    expect(await performer.may(branchesDelete, await callerOf(owner), { ...call, id: 'none/none' })).toBe(false)
  })
})

test('a subject is found once, until something is written', async () => {
  const caller = await callerOf(owner)
  const finding = { count: 0 }
  const { subject } = projectsGet
  const counted = {
    ...subject,
    find: (...given: Parameters<typeof subject.find>) => {
      finding.count += 1
      return subject.find(...given)
    },
  }
  const operations = server.app.operations.map((one) => (one.subject === subject ? { ...one, subject: counted } : one))
  const counting = createPerformer({ platform: server.app.platform, operations })
  await counting.perform(projectsGet, caller, { id: projectId })
  await counting.perform(branchesList, caller, { id: projectId })
  expect(await counting.may(branchesDelete, caller, { id: projectId, branch: 'x' })).toBe(true)
  expect(finding.count).toBe(1)
  await counting.perform(branchesDelete, caller, { id: projectId, branch: 'none' }).catch(() => {})
  await counting.perform(branchesList, caller, { id: projectId })
  expect(finding.count).toBe(3)
})

test('an operation that the server does not have is not found', async () => {
  const caller = await callerOf(owner)
  const without = createPerformer({ platform: server.app.platform, operations: [] })
  await expect(without.perform(projectsGet, caller, { id: projectId })).rejects.toMatchObject({ status: 404 })
  expect(await without.may(projectsGet, caller, { id: projectId })).toBe(false)
})
