/** Whose jobs may act in a project (contract 24, "Job token scope"). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Client, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { jobWithToken } from '../../pipelines/testing.ts'
import type { ProjectRow } from '../tables.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())

let made = 0
let group: NamespaceRow
let source: ProjectRow
let target: ProjectRow
beforeEach(async () => {
  made += 1
  group = await server.make.group(`group${made}`, owner)
  source = await server.make.project(`source${made}`, owner, { namespace: group })
  target = await server.make.project(`target${made}`, owner)
})

const scopeOf = ({ id }: ProjectRow) => `/projects/${id}/job_token_scope`
const badRequest = (text: string) => ({ status: 400, body: { message: `400 Bad request - ${text}` } })
const notFound = (what: string) => ({ status: 404, body: { message: `404 ${what} Not Found` } })

describe('the allowlist', () => {
  test('has the project itself first, then others by id, in pages', async () => {
    const other = await server.make.project(`other${made}`, owner)
    const path = `${scopeOf(target)}/allowlist`
    expect(await owner.post(path, { target_project_id: other.id })).toMatchObject({
      status: 201,
      body: { source_project_id: target.id, target_project_id: other.id },
    })
    await owner.post(path, { target_project_id: source.id })
    const listed = await owner.get(path)
    expect(listed.body.map(({ id }: { id: number }) => id)).toEqual([target.id, source.id, other.id])
    const second = await owner.get(`${path}?per_page=2&page=2`)
    expect([second.body.length, second.headers.get('x-total')]).toEqual([1, '3'])
    expect(await owner.delete(`${path}/${other.id}`)).toMatchObject({ status: 204 })
    expect((await owner.get(path)).body).toHaveLength(2)
  })

  test('refuses itself, what is listed or not listed, and what the caller does not see', async () => {
    const hidden = await server.make.project(`hidden${made}`, await server.user(`stranger${made}`))
    const path = `${scopeOf(target)}/allowlist`
    const add = (id: unknown) => owner.post(path, { target_project_id: id })
    const same = "Validation failed: Target project can't be the same as the source project"
    expect(await add(target.id)).toMatchObject(badRequest(same))
    expect(await add(hidden.id)).toMatchObject(notFound('target_project_id not found'))
    expect(await add(2 ** 52)).toMatchObject(notFound('target_project_id not found'))
    expect(await add('x')).toMatchObject({ status: 400, body: { error: 'target_project_id is invalid' } })
    expect(await owner.post(path)).toMatchObject({ status: 400, body: { error: 'target_project_id is missing' } })
    await add(source.id)
    expect(await add(source.id)).toMatchObject(badRequest('Target project is already in the job token scope'))
    expect(await owner.delete(`${path}/${target.id}`)).toMatchObject(
      badRequest('Source project cannot be removed from the job token scope'),
    )
    expect(await owner.delete(`${path}/${hidden.id}`)).toMatchObject(notFound('Project'))
    await owner.delete(`${path}/${source.id}`)
    expect(await owner.delete(`${path}/${source.id}`)).toMatchObject(
      badRequest('Target project is not in the job token scope'),
    )
  })

  test('of groups is a list of its own', async () => {
    const secret = await server.make.group(`secret${made}`, await server.user(`other${made}`))
    const path = `${scopeOf(target)}/groups_allowlist`
    const add = (id: number) => owner.post(path, { target_group_id: id })
    expect(await add(group.id)).toMatchObject({
      status: 201,
      body: { source_project_id: target.id, target_group_id: group.id },
    })
    expect((await owner.get(path)).body).toEqual([
      { id: group.id, web_url: `${server.url}/groups/${group.full_path}`, name: group.name },
    ])
    expect(await add(group.id)).toMatchObject(badRequest('Target group is already in the job token scope'))
    expect(await add(secret.id)).toMatchObject(notFound('target_group_id not found'))
    expect(await owner.delete(`${path}/${secret.id}`)).toMatchObject(notFound('target_group_id not found'))
    expect(await owner.delete(`${path}/${group.id}`)).toMatchObject({ status: 204 })
    expect(await owner.delete(`${path}/${group.id}`)).toMatchObject(
      badRequest('Target group is not in the job token scope'),
    )
  })

  test('has 200 entries at most, projects and groups together', async () => {
    const rows = Array.from({ length: 199 }, (_, index) => ({ name: `many${made}-${index}` }))
    for (const { name } of rows) {
      const one = await server.make.project(name, owner)
      await owner.post(`${scopeOf(target)}/allowlist`, { target_project_id: one.id })
    }
    await owner.post(`${scopeOf(target)}/groups_allowlist`, { target_group_id: group.id })
    const full = 'Validation failed: Source project exceeds the allowable number of project links in this direction'
    expect(await owner.post(`${scopeOf(target)}/allowlist`, { target_project_id: source.id })).toMatchObject(
      badRequest(full),
    )
  })

  test('is for maintainers', async () => {
    const developer = await server.user(`developer${made}`)
    await server.make.member({ project: target }, developer, 30)
    const path = scopeOf(target)
    expect(await developer.get(path)).toMatchObject({ status: 403 })
    expect(await developer.patch(path, { enabled: false })).toMatchObject({ status: 403 })
    expect(await developer.post(`${path}/allowlist`, { target_project_id: source.id })).toMatchObject({ status: 403 })
    expect(await server.anonymous.get(path)).toMatchObject({ status: 401 })
    expect(await (await server.user(`stranger${made}`)).get(path)).toMatchObject(notFound('Project'))
  })
})

test('the switch of a project counts when the instance does not demand a list', async () => {
  const path = scopeOf(target)
  expect((await owner.get(path)).body).toEqual({ inbound_enabled: true, outbound_enabled: false })
  expect(await owner.patch(path, { enabled: false })).toMatchObject({ status: 204 })
  expect((await owner.get(path)).body).toMatchObject({ inbound_enabled: true })
  await server.root.put('/application/settings', { enforce_ci_inbound_job_token_scope_enabled: false })
  expect((await owner.get(path)).body).toMatchObject({ inbound_enabled: false })
  const jobs = `/projects/${target.id}/jobs`
  expect((await (await jobOf(owner)).get(jobs)).status).toBe(200)
  expect(await owner.patch(path, { enabled: true })).toMatchObject({ status: 204 })
  expect((await owner.get(path)).body).toMatchObject({ inbound_enabled: true })
  await server.root.put('/application/settings', { enforce_ci_inbound_job_token_scope_enabled: true })
  for (const enabled of [null, 123, undefined, 'x']) {
    expect((await owner.patch(path, { enabled })).status).toBe(400)
  }
})

/** A client with the token of a running job of the source. */
async function jobOf(person: Person): Promise<Pick<Client, 'get' | 'post' | 'put'>> {
  const { token } = await jobWithToken(server, { projectId: source.id, userId: person.id })
  const headers = { 'JOB-TOKEN': token }
  const { get, post, put } = server.anonymous
  return {
    get: (path, options) => get(path, { ...options, headers }),
    post: (path, body, options) => post(path, body, { ...options, headers }),
    put: (path, body, options) => put(path, body, { ...options, headers }),
  }
}

describe('a job of another project', () => {
  const refused = () => ({
    status: 403,
    body: {
      message: `403 Forbidden - Authentication by CI/CD job token not allowed from ${source.path} to ${target.path}.`,
    },
  })
  const jobs = () => `/projects/${target.id}/jobs`

  test('reads where it is listed, as long as it is, with the role of its user', async () => {
    const job = await jobOf(owner)
    expect(await job.get(jobs())).toMatchObject(refused())
    await owner.post(`${scopeOf(target)}/allowlist`, { target_project_id: source.id })
    expect(await job.get(jobs())).toMatchObject({ status: 200 })
    await owner.delete(`${scopeOf(target)}/allowlist/${source.id}`)
    expect(await job.get(jobs())).toMatchObject(refused())
  })

  test('reads where a group above its project is listed', async () => {
    const below = await server.make.group('below', owner, { parent: group })
    source = await server.make.project('deep', owner, { namespace: below })
    await owner.post(`${scopeOf(target)}/groups_allowlist`, { target_group_id: group.id })
    expect(await (await jobOf(owner)).get(jobs())).toMatchObject({ status: 200 })
  })

  test('never has more than its user', async () => {
    const stranger = await server.user(`stranger${made}`)
    await server.make.member({ project: source }, stranger, 30)
    await owner.post(`${scopeOf(target)}/allowlist`, { target_project_id: source.id })
    expect(await (await jobOf(stranger)).get(jobs())).toMatchObject(notFound('Project'))
  })

  test('reads what is public of a public project, and no more', async () => {
    await owner.put(`/projects/${target.id}`, { visibility: 'public', builds_access_level: 'private' })
    const job = await jobOf(owner)
    expect((await job.get(`/projects/${target.id}/repository/archive?sha=none`)).status).toBe(404)
    expect(await job.get(jobs())).toMatchObject(refused())
    const status = { state: 'success', name: 'external' }
    expect(await job.post(`/projects/${target.id}/statuses/${'0'.repeat(40)}`, status)).toMatchObject(refused())
  })

  test('of an administrator is no administrator there', async () => {
    const administrator = await server.user(`administrator${made}`)
    await server.root.put(`/users/${administrator.id}`, { admin: true })
    await server.make.member({ project: source }, administrator, 30)
    expect(await (await jobOf(administrator)).get(jobs())).toMatchObject(refused())
  })

  test('reads nothing of the registry, listed or not', async () => {
    await owner.post(`${scopeOf(target)}/allowlist`, { target_project_id: source.id })
    const other = 'with the container registry of a different project.'
    const answer = await (await jobOf(owner)).get(`/projects/${target.id}/registry/repositories`)
    expect(answer.status).toBe(403)
    expect(answer.body.message).toContain(other)
  })
})

test('what is listed goes with either side', async () => {
  await owner.post(`${scopeOf(target)}/allowlist`, { target_project_id: source.id })
  await owner.post(`${scopeOf(target)}/groups_allowlist`, { target_group_id: group.id })
  await server.app.platform.database.write((tx) => tx.deleteFrom('projects').where('id', '=', source.id).execute())
  await server.app.platform.database.write((tx) => tx.deleteFrom('namespaces').where('id', '=', group.id).execute())
  expect((await owner.get(`${scopeOf(target)}/allowlist`)).body).toHaveLength(1)
  expect((await owner.get(`${scopeOf(target)}/groups_allowlist`)).body).toEqual([])
})
