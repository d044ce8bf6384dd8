/** A primary in whose place another server was promoted (contract 15, "Promotion"). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reader } from '../../../infra/database/index.ts'
import { forgetPlaces, forgetSuperseded } from '../../../platform/instance/index.ts'
import {
  git,
  httpUrl,
  makeHistory,
  type Person,
  type SshKeyPair,
  sshGit,
  sshKeyPair,
  sshUrl,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../../testing/index.ts'
import { type Issued, makePrimary, makeSecondary, signedBy } from '../testing.ts'

let server: TestServer
let nodeId: number
let credentials: Issued
let owner: Person
let project: number
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let key: SshKeyPair
beforeAll(async () => {
  // What it has learned lasts: no other test uses it.
  server = await startTestServer({ sshPort: 0, isOwn: true })
  await makePrimary(server)
  const made = await makeSecondary(server.root, { name: 'second', url: 'http://second.test' })
  nodeId = made.id
  credentials = made.credentials
  owner = await server.user('owner')
  project = (await owner.post('/projects', { name: 'p', initialize_with_readme: true })).body.id
  folder = await temporaryDirectory()
  key = await sshKeyPair(folder.path, 'own')
  await owner.post('/user/keys', { title: 'own', key: key.publicKey })
})
afterAll(async () => {
  await server.stop()
  await folder[Symbol.asyncDispose]()
})

const factOf = (db: Reader) =>
  db
    .selectFrom('instance_facts')
    .select('value')
    .where('name', '=', 'superseded')
    .executeTakeFirst()
    .then((row) => row ?? null)

const told = { url: 'https://second.test', promoted_at: '2026-02-03T04:05:06.789Z' }
const tell = (given: object = told, issued: Issued = credentials) =>
  server.anonymous.post('/geo/superseded', given, signedBy(issued))
const sentence =
  'Another server was promoted in place of this one, which accepts no changes any more: https://second.test'

describe('the message', () => {
  test('is refused from anybody but a node', async () => {
    expect((await server.root.post('/geo/superseded', told)).status).toBe(401)
    const other = { ...credentials, secret_access_key: `${credentials.secret_access_key}x` }
    expect((await tell(told, other)).status).toBe(401)
  })

  test.each<[object]>([
    [{}],
    [{ url: told.url }],
    [{ ...told, promoted_at: 'yesterday' }],
    [{ ...told, url: 'x'.repeat(1001) }],
    [{ ...told, url: ['a', 'b'] }],
  ])('number %# that lacks something, or has too much, is refused', async (given) => {
    expect((await tell(given)).status).toBe(400)
    expect((await owner.post('/projects', { name: 'accepted' })).status).not.toBe(503)
  })
})

describe('a server that has heard it', () => {
  beforeAll(async () => {
    // Also from a node that is off.
    await server.root.put(`/geo_sites/${nodeId}`, { enabled: false })
    expect((await owner.post(`/projects/${project}/issues`, { title: 'before' })).status).toBe(201)
    expect(await tell()).toMatchObject({ status: 201, body: { message: '201 Created' } })
  })

  test('refuses changes with a sentence that names the other server, and answers reads', async () => {
    const refused = await owner.post(`/projects/${project}/issues`, { title: 'x' })
    expect([refused.status, refused.body]).toEqual([503, { message: `503 Service Unavailable - ${sentence}` }])
    expect((await server.root.delete(`/geo_sites/${nodeId}`)).status).toBe(503)
    expect((await server.anonymous.post('root:/users/sign_in', {})).status).toBe(503)
    expect((await owner.get(`/projects/${project}/issues`)).body).toHaveLength(1)
  })

  test('keeps what the first message said', async () => {
    expect((await tell({ ...told, url: 'https://third.test' })).status).toBe(201)
    expect((await owner.post('/projects', { name: 'q' })).body.message).toContain('https://second.test')
  })

  test('refuses pushes over HTTP and SSH, and answers fetches', async () => {
    await makeHistory(folder.path, ['one'])
    const address = httpUrl(server, owner, 'owner/p')
    const byHttp = await git(folder.path, 'push', address, 'HEAD:one')
    expect(byHttp.code).not.toBe(0)
    const bySsh = await sshGit(server, key, folder.path, 'push', sshUrl(server, 'owner/p'), 'HEAD:one')
    expect(bySsh.code).not.toBe(0)
    expect(bySsh.stderr).toContain(sentence)
    expect((await git(folder.path, 'ls-remote', address)).stdout.split('\n').filter(Boolean)).toHaveLength(2)
  })

  test('runs no jobs', async () => {
    const { jobs, database } = server.app.platform
    const pending = () => database.read.selectFrom('jobs').select(['kind', 'attempts']).orderBy('id').execute()
    await jobs.drain()
    const before = await pending()
    expect(before.map(({ kind }) => kind)).toContain('replication.housekeeping')
    await jobs.drain()
    expect(await pending()).toEqual(before)
  })

  test('is not ready, and says why', async () => {
    const { status, body } = await server.anonymous.get('root:/-/readiness')
    const message = 'another server was promoted in place of this one'
    expect([status, body.promotion_check]).toEqual([503, [{ status: 'failed', message }]])
  })

  test('goes on refusing when its places are forgotten, until that is taken back', async () => {
    const { database } = server.app.platform
    const recorded = () => factOf(database.read)
    await database.write((tx) => forgetPlaces(tx))
    expect(await recorded()).not.toBeNull()
    expect(await database.write((tx) => forgetSuperseded(tx))).toBe(true)
    expect(await recorded()).toBeNull()
    expect(await database.write((tx) => forgetSuperseded(tx))).toBe(false)
  })
})
