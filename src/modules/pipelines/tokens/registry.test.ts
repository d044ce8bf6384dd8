import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashToken } from '../../../infra/secrets/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { jobWithToken } from '../testing.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())

const other =
  "403 Forbidden - This project's CI/CD job token cannot be used to authenticate with the container registry of a different project."

/** The status of a request for a registry token, and what it grants of `pull` and `push`. */
async function granted(token: string, fullPath: string) {
  const query = new URLSearchParams({ service: 'container_registry', scope: `repository:${fullPath}/web:pull,push` })
  const Authorization = `Basic ${Buffer.from(`gitlab-ci-token:${token}`).toString('base64')}`
  const { status, body } = await server.anonymous.get(`root:/jwt/auth?${query}`, { headers: { Authorization } })
  if (status !== 200) return status
  const claims = JSON.parse(Buffer.from(body.token.split('.')[1], 'base64url').toString())
  return claims.access.flatMap(({ actions }: { actions: string[] }) => actions)
}

test('a job reads and writes the images of its own project until it ends', async () => {
  const project = await server.make.project('own', owner)
  const secret = await server.make.project('secret', owner)
  const open = await server.make.project('open', owner, { visibility: 'public' })
  const job = await jobWithToken(server, { projectId: project.id, userId: owner.id })
  expect(await granted(job.token, project.full_path)).toEqual(['pull', 'push'])
  expect(await granted(job.token, secret.full_path)).toEqual([])
  expect(await granted(job.token, open.full_path)).toEqual(['pull'])
  await job.end()
  expect(await granted(job.token, project.full_path)).toBe(401)
  expect(await granted(job.token, open.full_path)).toBe(401)
})

test('a job uploads a blob with its registry token', async () => {
  const project = await server.make.project('uploading', owner)
  const { token } = await jobWithToken(server, { projectId: project.id, userId: owner.id })
  const scope = `repository:${project.full_path}/web:pull,push`
  const Authorization = `Basic ${Buffer.from(`gitlab-ci-token:${token}`).toString('base64')}`
  const query = new URLSearchParams({ service: 'container_registry', scope })
  const { body } = await server.anonymous.get(`root:/jwt/auth?${query}`, { headers: { Authorization } })
  const content = 'layer'
  const digest = `sha256:${hashToken(content)}`
  const blobs = `${server.url}/v2/${project.full_path}/web/blobs`
  const headers = { Authorization: `Bearer ${body.token}`, 'Content-Type': 'application/octet-stream' }
  const uploaded = await fetch(`${blobs}/uploads/?digest=${digest}`, { method: 'POST', headers, body: content })
  expect(uploaded.status).toBe(201)
  expect(await (await fetch(`${blobs}/${digest}`, { headers })).text()).toBe(content)
})

test('the API shows a job the images of its own project only, and hides which others exist', async () => {
  const project = await server.make.project('listed', owner)
  const open = await server.make.project('listed-open', owner, { visibility: 'public' })
  const secret = await server.make.project('listed-secret', await server.user('stranger'))
  const { token, end } = await jobWithToken(server, { projectId: project.id, userId: owner.id })
  const list = (id: number | string) =>
    server.anonymous.get(`/projects/${id}/registry/repositories`, { headers: { 'JOB-TOKEN': token } })
  expect(await list(project.id)).toMatchObject({ status: 200, body: [] })
  for (const id of [open.id, secret.id, 99_999_999, 'owner%2Fnothing', 'x']) {
    expect([id, await list(id)]).toMatchObject([id, { status: 403, body: { message: other } }])
  }
  const { database } = server.app.platform
  const { id } = await database.write((tx) =>
    tx
      .insertInto('registry_repositories')
      .values({ project_id: open.id, name: '', path: open.full_path, created_at: '2026-01-01T00:00:00.000Z' })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  const one = await server.anonymous.get(`/registry/repositories/${id}`, { headers: { 'JOB-TOKEN': token } })
  expect(one).toMatchObject({ status: 403, body: { message: other } })
  await end()
  expect(await list(project.id)).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } })
})
