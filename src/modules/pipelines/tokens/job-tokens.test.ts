import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { storeArtifact } from '../artifacts/artifacts.ts'
import { type CiState, ciStates } from '../tables.ts'
import { jobWithToken, projectWithConfig } from '../testing.ts'
import { callerOfJob, jobOfCaller } from './job-tokens.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())

const config = 'work: {script: make}\n'
const fileOf = (id: number) => `/projects/${id}/repository/files/.gitlab-ci.yml/raw?ref=main`
const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }
const as = (token: string) => ({ headers: { 'JOB-TOKEN': token } })
const get = (path: string, token: string) => server.anonymous.get(path, as(token))

async function made(path: string, settings: object = {}, person = owner) {
  const project = await projectWithConfig(server, person, path, config)
  if (Object.keys(settings).length > 0) await person.put(`/projects/${project.id}`, settings)
  return project
}

describe('the token of a job', () => {
  test('authenticates its user in the project of the job, by header or parameter', async () => {
    const project = await made('own')
    const { token } = await jobWithToken(server, { projectId: project.id, userId: owner.id })
    expect((await get(fileOf(project.id), token)).status).toBe(200)
    expect((await server.anonymous.get(`${fileOf(project.id)}&job_token=${token}`)).status).toBe(200)
    const commit = (await owner.get(`/projects/${project.id}/repository/commits/main`)).body.id
    const status = { state: 'success', name: 'external', job_token: token }
    const answer = await server.anonymous.post(`/projects/${project.id}/statuses/${commit}`, status)
    expect(answer).toMatchObject({ status: 201, body: { author: { id: owner.id } } })
  })

  test('reads and releases what contract 24 lists, in its own project', async () => {
    const project = await made('releasing')
    const [at, other] = [`/projects/${project.id}`, `/projects/${(await made('not-listed')).id}`]
    const { token } = await jobWithToken(server, { projectId: project.id, userId: owner.id })
    const { post, put, delete: remove } = server.anonymous
    const release = { tag_name: 'v1', ref: 'main', description: 'first' }
    expect(await post(`${at}/releases`, release, as(token))).toMatchObject({
      status: 201,
      body: { author: { id: owner.id } },
    })
    const link = { name: 'a', url: 'https://files.example/a' }
    const { status, body } = await post(`${at}/releases/v1/assets/links`, link, as(token))
    expect(status).toBe(201)
    expect((await put(`${at}/releases/v1/assets/links/${body.id}`, { name: 'b' }, as(token))).status).toBe(200)
    const source = { branch: 'topic', start_branch: 'main', commit_message: 'add', content: 'x' }
    await owner.post(`${at}/repository/files/x.txt`, source)
    const request = { source_branch: 'topic', target_branch: 'main', title: 'Topic' }
    const { iid } = (await owner.post(`${at}/merge_requests`, request)).body
    await owner.post(`${at}/merge_requests/${iid}/notes`, { body: 'a note' })
    const places = [
      ...['releases', 'releases/v1', 'releases/permalink/latest', 'releases/v1/assets/links', 'repository/branches'],
      ...['repository/branches/main', 'repository/tags', 'repository/tags/v1', 'repository/commits/main'],
      ...['repository/commits/main/merge_requests', 'repository/changelog?version=1.0.0&from=v1', 'merge_requests'],
      ...[`merge_requests/${iid}`, `merge_requests/${iid}/notes`],
    ]
    const statuses = await Promise.all(
      places.map(async (place) => [place, (await get(`${at}/${place}`, token)).status]),
    )
    expect(statuses).toEqual(places.map((place) => [place, place.includes('permalink') ? 302 : 200]))
    for (const place of ['releases', 'repository/branches', 'merge_requests']) {
      expect((await get(`${other}/${place}`, token)).status).toBe(403)
    }
    expect((await post(`${other}/releases`, release, as(token))).status).toBe(403)
    expect((await post(`${at}/merge_requests/${iid}/notes`, { body: 'x' }, as(token))).status).toBe(401)
    expect((await remove(`${at}/releases/v1`, as(token))).status).toBe(200)
  })

  test('is accepted from its own carriers only', async () => {
    const project = await made('carriers')
    const { token } = await jobWithToken(server, { projectId: project.id, userId: owner.id })
    const path = fileOf(project.id)
    expect(await server.as(token).get(path)).toMatchObject(unauthorized)
    const bearer = { headers: { Authorization: `Bearer ${token}` } }
    expect(await server.anonymous.get(path, bearer)).toMatchObject(unauthorized)
    expect(await server.anonymous.get(`${path}&private_token=${token}`)).toMatchObject(unauthorized)
    const wrong = [
      'glcbt-aaaaaaaaaaaaaaaaaaaa',
      `${token}x`,
      token.toUpperCase(),
      owner.token,
      'x'.repeat(9000),
      "' or 1=1",
    ]
    for (const text of wrong) {
      expect(await get(path, text)).toMatchObject(unauthorized)
      expect(await get('/version', text)).toMatchObject(unauthorized)
    }
    const query = await server.anonymous.get(`${path}&job_token=%F0%9F%A6%8A`)
    expect(query).toMatchObject(unauthorized)
  })

  test('is valid while the job is pending, running or being canceled', async () => {
    const project = await made('states')
    const { id, token } = await jobWithToken(server, { projectId: project.id, userId: owner.id })
    const { database } = server.app.platform
    const valid: CiState[] = []
    for (const status of ciStates) {
      await database.write((tx) => tx.updateTable('ci_jobs').set({ status }).where('id', '=', id).execute())
      const answer = await get(fileOf(project.id), token)
      if (answer.status === 200) valid.push(status)
      else expect(answer).toMatchObject(unauthorized)
      expect((await get('/user', token)).status).toBe(401)
    }
    expect(valid).toEqual(['pending', 'running', 'canceling'])
  })

  test('ends with the pipeline, and with the account of its user', async () => {
    const project = await made('accounts')
    const developer = await server.user('developer')
    await server.make.member({ project }, developer, 30)
    const { token, pipelineId } = await jobWithToken(server, { projectId: project.id, userId: developer.id })
    expect((await get(fileOf(project.id), token)).status).toBe(200)
    await server.root.post(`/users/${developer.id}/block`)
    expect(await get(fileOf(project.id), token)).toMatchObject(unauthorized)
    // The jobs of a blocked user are failed in the background, also those that are made until then.
    await server.app.platform.jobs.drain()
    await server.root.post(`/users/${developer.id}/unblock`)
    const again = await jobWithToken(server, { projectId: project.id, userId: developer.id })
    expect((await get(fileOf(project.id), again.token)).status).toBe(200)
    await owner.delete(`/projects/${project.id}/members/${developer.id}`)
    expect((await get(fileOf(project.id), again.token)).status).toBe(404)
    await owner.delete(`/projects/${project.id}/pipelines/${again.pipelineId}`)
    await owner.delete(`/projects/${project.id}/pipelines/${pipelineId}`)
    expect(await get(fileOf(project.id), again.token)).toMatchObject(unauthorized)
  })

  test('gives no rights in other projects, also to administrators', async () => {
    const project = await made('base')
    const others = await Promise.all(
      (['private', 'internal', 'public'] as const).map((visibility) => made(`other-${visibility}`, { visibility })),
    )
    for (const userId of [owner.id, 1]) {
      const { token } = await jobWithToken(server, { projectId: project.id, userId })
      expect((await get(fileOf(project.id), token)).status).toBe(200)
      const statuses = await Promise.all(others.map(async ({ id }) => (await get(fileOf(id), token)).status))
      expect(statuses).toEqual([403, 200, 200])
      const open = others[2]?.id
      const { id: sha } = (await owner.get(`/projects/${open}/repository/commits/main`)).body
      const set = await server.anonymous.post(`/projects/${open}/statuses/${sha}`, { state: 'success' }, as(token))
      const refusal = 'Authentication by CI/CD job token not allowed from base to other-public.'
      expect(set).toMatchObject({ status: 403, body: { message: `403 Forbidden - ${refusal}` } })
    }
  })

  test('opens no artifacts of developers in other projects, also for administrators', async () => {
    const project = await made('reading')
    const open = await made('published', { visibility: 'public' })
    const source = await jobWithToken(server, { projectId: open.id, userId: owner.id })
    await storeArtifact(
      server.app.platform,
      { id: source.id, project_id: open.id },
      {
        ...{
          fileType: 'archive',
          fileFormat: 'zip',
          fileName: 'artifacts.zip',
          content: Readable.from([Buffer.from('zip')]),
        },
        ...{ accessLevel: 'developer', expireAt: null, maxBytes: 100 },
      },
    )
    const path = `/projects/${open.id}/jobs/${source.id}/artifacts`
    const { token } = await jobWithToken(server, { projectId: project.id, userId: 1 })
    expect(await get(path, token)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    expect((await get(path, source.token)).status).toBe(200)
  })

  test('is no credential for operations that take none', async () => {
    const project = await made('closed', { visibility: 'public' })
    const { token } = await jobWithToken(server, { projectId: project.id, userId: owner.id })
    expect((await get(`/projects/${project.id}`, token)).status).toBe(200)
    expect(await server.anonymous.put(`/projects/${project.id}`, { name: 'x' }, as(token))).toMatchObject(unauthorized)
    expect(await get('/user', token)).toMatchObject(unauthorized)
    const sudo = { headers: { 'JOB-TOKEN': token, Sudo: 'root' } }
    expect(await server.anonymous.get(fileOf(project.id), sudo)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - Must be authenticated using an OAuth or personal access token to use sudo' },
    })
  })

  test('shows its job until it ends; other tokens show none', async () => {
    const project = await made('current')
    const { id, token } = await jobWithToken(server, { projectId: project.id, userId: owner.id })
    expect(await get('/job', token)).toMatchObject({ status: 200, body: { id, pipeline: { project_id: project.id } } })
    expect(await owner.get('/job')).toMatchObject({ status: 404, body: { message: '404 Job Not Found' } })
    expect(await get('/job', 'glcbt-wrong')).toMatchObject(unauthorized)
    expect(await server.anonymous.get('/job')).toMatchObject(unauthorized)
  })

  test('names its job', async () => {
    const project = await made('named')
    const { platform } = server.app
    const { id, token } = await jobWithToken(server, { projectId: project.id, userId: owner.id })
    const actor = await callerOfJob(platform, { token })
    expect(actor?.credential).toMatchObject({ kind: 'job', id, projectId: project.id })
    expect(actor && (await jobOfCaller(platform, actor))?.id).toBe(id)
    expect(await callerOfJob(platform, { id })).toEqual(actor)
    const personal = actor && { ...actor, credential: { kind: 'personal' as const, id, scopes: new Set<string>() } }
    expect(personal && (await jobOfCaller(platform, personal))).toBeNull()
    expect(await jobOfCaller(platform, { kind: 'anonymous' })).toBeNull()
  })
})
