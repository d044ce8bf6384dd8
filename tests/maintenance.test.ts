import { afterAll, beforeAll, expect, test } from 'vitest'
import { browserOf, password, personWithBrowser, readText } from '../src/console/testing.ts'
import { registryOf } from '../src/modules/container-registry/http/testing.ts'
import {
  openWorkTree,
  projectWithMembers,
  startTestServer,
  type TestServer,
  type WorkTree,
} from '../src/testing/index.ts'

const standard = 'The server is in maintenance mode. Nothing can be changed until it ends.'
const own = 'Back at noon — “soon”'
let server: TestServer
let place: Awaited<ReturnType<typeof projectWithMembers>>
let tree: WorkTree
let base: string

const set = async (value: object) => expect((await server.root.put('/application/settings', value)).status).toBe(200)

beforeAll(async () => {
  server = await startTestServer({ isOwn: true })
  place = await projectWithMembers(server, { path: 'kept', visibility: 'public' })
  tree = await openWorkTree(server, place.project)
  base = tree.base
  await tree.commit('first', { 'a.txt': 'a\n' })
  expect(await tree.push(place.owner, 'main')).toMatchObject({ isAccepted: true })
  await set({ maintenance_mode: true, maintenance_mode_message: own })
})
afterAll(async () => {
  await tree[Symbol.asyncDispose]()
  await server.stop()
})

test('what changes something is refused with the sentence, after the checks of the caller', async () => {
  const { owner, guest } = place
  const refused = await owner.post(`${base}/labels`, { name: 'new', color: '#112233' })
  expect([refused.status, refused.body, refused.headers.get('retry-after')]).toEqual([503, { message: own }, '300'])
  const file = `${base}/repository/files/b.txt`
  const answers = [
    await owner.put(base, { description: 'changed' }),
    await owner.delete(base),
    await owner.post(file, { branch: 'main', content: 'b', commit_message: 'b' }),
    await owner.post('/projects', { name: 'another' }),
    await server.root.put('/application/plan_limits', { plan_name: 'default', project_hooks: 1 }),
    await server.anonymous.post('/jobs/request', { token: 'none' }),
    await server.root.post('/features/maintained', { value: true }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503, 403, 503])
  expect((await guest.post(`${base}/labels`, { name: 'new', color: '#112233' })).status).toBe(403)
  expect((await server.anonymous.post(`${base}/labels`, { name: 'new', color: '#112233' })).status).toBe(401)
  expect((await owner.post(`${base}/labels`, { name: 'new' })).status).toBe(400)
  expect((await owner.get(`${base}/labels`)).body).toEqual([])
  expect((await owner.get(base)).body.description).toBeNull()
})

test('reading goes on, also by requests that send something', async () => {
  const { reporter } = place
  expect((await reporter.get(`${base}/repository/tree`)).status).toBe(200)
  expect((await reporter.head(`${base}/repository/files/a.txt?ref=main`)).status).toBe(200)
  expect((await reporter.post('/markdown', { text: '*a*' })).status).toBe(201)
  const query = await reporter.post('root:/api/graphql', { query: '{ currentUser { username } }' })
  expect(query.body).toEqual({ data: { currentUser: { username: 'reporter' } } })
  for (const probe of ['/-/health', '/-/liveness', '/-/readiness']) {
    expect([probe, (await server.anonymous.get(probe)).status]).toEqual([probe, 200])
  }
})

test('git is read, and pushes are refused with the sentence', async () => {
  expect(await tree.run('ls-remote', `${server.url}/${place.path}.git`, 'main')).toContain('refs/heads/main')
  await tree.commit('second', { 'b.txt': 'b\n' })
  const { isAccepted, stderr } = await tree.push(place.owner, 'main')
  expect([isAccepted, stderr.includes(own)]).toEqual([false, true])
  const free = await tree
    .run('push', `http://owner:${place.owner.token}@${server.url.slice('http://'.length)}/owner/free.git`, 'main')
    .catch(String)
  expect(free).toContain('Error')
  expect((await place.owner.get('/projects/owner%2Ffree')).status).toBe(404)
  const oid = 'a'.repeat(64)
  const batch = (operation: string) =>
    fetch(`${server.url}/${place.path}.git/info/lfs/objects/batch`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/vnd.git-lfs+json',
        Authorization: `Basic ${Buffer.from(`owner:${place.owner.token}`).toString('base64')}`,
      },
      body: JSON.stringify({ operation, objects: [{ oid, size: 1 }] }),
    })
  expect([(await batch('download')).status, (await batch('upload')).status]).toEqual([200, 503])
})

test('images are not pushed', async () => {
  const registry = registryOf(server)
  const pushed = await registry.send('POST', `/v2/${place.path}/blobs/uploads/`, { scope: [] })
  expect([pushed.status, pushed.body]).toEqual([503, { errors: [{ code: 'UNAVAILABLE', message: own }] }])
  expect((await registry.send('GET', '/v2/', { scope: [] })).status).toBe(200)
})

test('people sign in and out, see the sentence, and send no other form', async () => {
  await set({ maintenance_mode: false })
  const ada = await personWithBrowser(server, 'ada')
  await set({ maintenance_mode: true })
  await ada.browser.submit('/users/sign_out', {})
  await ada.browser.signIn('ada', password)
  const home = await ada.browser.get('/')
  expect([home.status, readText(home.text).includes(own)]).toEqual([200, true])
  const made = await ada.browser.submit('/projects/new', { _operation: 'projects.create', name: 'made' })
  expect([made.status, readText(made.text).includes(own)]).toEqual([503, true])
  const account = { username: 'eve', name: 'Eve', email: 'eve@example.com', password }
  const signUp = await browserOf(server.url).submit('/users/sign_up', account)
  expect([signUp.status, readText(signUp.text).includes(own)]).toEqual([503, true])
  expect((await server.root.get('/users?username=eve')).body).toEqual([])
  const token = await server.anonymous.post('root:/oauth/token', { grant_type: 'password', username: 'ada', password })
  expect(token.status).toBe(200)
})

test('administrators end it, and everything is changed again at once', async () => {
  const { owner } = place
  expect((await owner.put('/application/settings', { maintenance_mode: false })).status).toBe(403)
  await set({ maintenance_mode_message: null })
  expect((await owner.post(`${base}/labels`, { name: 'new', color: '#112233' })).body).toEqual({ message: standard })
  await set({ maintenance_mode_message: '' })
  expect((await owner.put(base, { description: 'x' })).body).toEqual({ message: standard })
  await set({ maintenance_mode: false })
  expect((await owner.post(`${base}/labels`, { name: 'new', color: '#112233' })).status).toBe(201)
  expect(await tree.push(owner, 'main')).toMatchObject({ isAccepted: true })
  for (const value of ['x', 2, null]) {
    expect([value, (await server.root.put('/application/settings', { maintenance_mode: value })).status]).toEqual([
      ...[value],
      400,
    ])
  }
})
