/** What clients of secondaries may read: the item that the primary names, by the path of the repository. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { jobWithToken } from '../../pipelines/testing.ts'
import { fileForm } from '../../uploads/testing.ts'
import { makePrimary, removeNodes } from '../testing.ts'
import { decide, type ReadRequest } from './authorize.ts'

let server: TestServer
let owner: Person
let projectId: number
let upload: string

beforeAll(async () => {
  server = await startTestServer()
  await makePrimary(server)
  owner = await server.user('owner')
  const group = await server.make.group('group', owner)
  projectId = (await owner.post('/projects', { name: 'demo' })).body.id
  const page = { title: 'home', content: 'x' }
  expect((await owner.post(`/projects/${projectId}/wikis`, page)).status).toBe(201)
  expect((await owner.post(`/groups/${group.id}/wikis`, page)).status).toBe(201)
  upload = `/-/project/${projectId}${(await owner.post(`/projects/${projectId}/uploads`, fileForm('a.txt', 'read'))).body.url}`
  await server.app.platform.jobs.drain()
})
afterAll(async () => {
  await removeNodes(server)
  await server.stop()
})

const ask = (action: ReadRequest['action'], path: string, headers: ReadRequest['headers'] = {}) =>
  decide(server.app.platform, { action, path, headers })
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})
const nothing = { body: null, www_authenticate: null, type: null, id: null, checksum: null }

describe('a fetch', () => {
  test.each([
    ['owner/demo', 'project_repositories'],
    ['owner/demo.wiki', 'project_wiki_repositories'],
    ['group.wiki', 'group_wiki_repositories'],
    ['snippets', 'snippet_repositories'],
  ])('of %s reads an item of %s with its checksum', async (name, type) => {
    const made = { title: 'T', visibility: 'private', files: [{ file_path: 'a', content: 'x' }] }
    const snippet = name === 'snippets' ? `/${(await owner.post('/snippets', made)).body.id}` : ''
    await server.app.platform.jobs.drain()
    const path = `/${name}${snippet}.git/info/refs?service=git-upload-pack`
    const decided = await ask('git_read', path, basic('owner', owner.token))
    const stored = await server.app.platform.database.read
      .selectFrom('geo_checksums')
      .select(['type', 'checksum'])
      .where('type', '=', type as never)
      .where('replicable_id', '=', decided.id ?? 0)
      .executeTakeFirstOrThrow()
    expect(decided).toEqual({ ...nothing, allowed: true, status: 200, id: decided.id, ...stored })
    expect(stored.checksum).toMatch(/^[0-9a-f]{64}$/)
  })

  test('of a job is left to the primary, which shows it more refs', async () => {
    const job = await jobWithToken(server, { projectId, userId: owner.id })
    const decided = await ask('git_read', '/owner/demo.git/info/refs', basic('gitlab-ci-token', job.token))
    expect(decided).toEqual({ ...nothing, allowed: true, status: 200 })
    await job.end()
  })
})

test('the token of a job reads no uploads', async () => {
  const job = await jobWithToken(server, { projectId, userId: owner.id })
  const asJob = await ask('upload_read', upload, { 'job-token': job.token })
  expect(asJob).toEqual(await ask('upload_read', upload))
  expect(asJob.allowed).toBe(false)
  expect(await ask('upload_read', upload, { 'private-token': owner.token })).toMatchObject({ allowed: true })
  await job.end()
})
