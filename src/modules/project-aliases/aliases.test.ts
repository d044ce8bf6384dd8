/** Aliases of projects (contract 26.16, and step 16 of the acceptance walk). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Person,
  projectWithTwoCommits,
  sshGit,
  sshKeyPair,
  sshUrl,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../testing/index.ts'

let server: TestServer
let owner: Person
let folder: { path: string } & AsyncDisposable
beforeAll(async () => {
  server = await startTestServer({ sshPort: 0 })
  folder = await temporaryDirectory()
  owner = await server.user('keeper')
})
afterAll(async () => {
  await server.stop()
  await folder[Symbol.asyncDispose]()
})

const aliases = '/project_aliases'
const newProject = (path: string) => server.make.project(path, owner)

test('administrators make, read and delete them', async () => {
  const { root } = server
  const project = await newProject('named')
  const made = await root.post(aliases, { project_id: project.id, name: 'p1' })
  expect([made.status, made.body]).toEqual([201, { id: expect.any(Number), project_id: project.id, name: 'p1' }])
  const second = await root.post(aliases, { project_id: 'keeper/named', name: 'p.2' })
  expect(second.body).toMatchObject({ project_id: project.id, name: 'p.2' })
  expect((await root.get(aliases)).body).toEqual([made.body, second.body])
  expect((await root.get(`${aliases}?per_page=1&page=2`)).body).toEqual([second.body])
  expect((await root.get(`${aliases}/p.2`)).body).toEqual(second.body)
  expect((await root.post(aliases, { project_id: project.id, name: 'p1' })).body).toEqual({
    message: { name: ['has already been taken'] },
  })
  for (const name of ['p1', 'p.2']) expect((await root.delete(`${aliases}/${name}`)).status).toBe(204)
  for (const method of ['GET', 'DELETE']) {
    expect(await root.request(method, `${aliases}/p1`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
  }
  expect((await owner.get(aliases)).status).toBe(403)
  expect((await server.anonymous.get(aliases)).status).toBe(401)
})

test.each(['a/b', '', ' ', '-a', 'a.git', 'a.atom', 'ключ', 'a b', 'a\nb', '..', 'x'.repeat(256)])(
  'no alias is called %j',
  async (name) => {
    const { id } = await server.make.project(`odd-${Buffer.from(name).toString('hex').slice(0, 20)}x`, owner)
    const { status, body } = await server.root.post(aliases, { project_id: id, name })
    expect([status, Object.keys(body.message)]).toEqual([400, ['name']])
  },
)

test('they are of projects that there are, and go with them', async () => {
  const { root } = server
  expect((await root.post(aliases, {})).body.error).toBe('project_id is missing, name is missing')
  for (const project_id of [999_999, 'none/none', '9'.repeat(30), '../a']) {
    expect(await root.post(aliases, { project_id, name: 'a' })).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    })
  }
  const project = await newProject('gone')
  await root.post(aliases, { project_id: project.id, name: 'gone' })
  await root.put('/application/settings', { deletion_adjourned_period: 0 })
  await owner.delete(`/projects/${project.id}`)
  await server.app.platform.jobs.drain()
  expect((await root.get(`${aliases}/gone`)).status).toBe(404)
})

test('of two at once with one name one is made', async () => {
  const { id: project_id } = await newProject('twice')
  const both = await Promise.all([1, 2].map(() => server.root.post(aliases, { project_id, name: 'twice' })))
  expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
})

test('git finds the project by its alias over SSH, for its members alone, and not over HTTP', async () => {
  await using tree = await projectWithTwoCommits(server, { path: 'cloned' })
  const { project } = tree
  const [member, outsider] = [await server.user('cloning'), await server.user('stranger')]
  await server.make.member({ project }, member, 30)
  await server.root.post(aliases, { project_id: project.id, name: 'short' })
  const keys = new Map<Person, Awaited<ReturnType<typeof sshKeyPair>>>()
  for (const person of [member, outsider]) {
    const pair = await sshKeyPair(folder.path, person.username)
    await person.post('/user/keys', { title: 'key', key: pair.publicKey })
    keys.set(person, pair)
  }
  const clone = (person: Person, name: string, to: string) =>
    sshGit(server, keys.get(person) as never, folder.path, 'clone', sshUrl(server, name), to)
  expect(await clone(member, 'short', 'one')).toMatchObject({ code: 0 })
  expect((await clone(member, 'unknown', 'two')).code).not.toBe(0)
  expect((await clone(outsider, 'short', 'three')).code).not.toBe(0)
  const refs = await fetch(`${server.url}/short.git/info/refs?service=git-upload-pack`, {
    headers: { Authorization: `Basic ${Buffer.from(`a:${member.token}`).toString('base64')}` },
  })
  expect(refs.status).toBe(404)
  await server.root.delete(`${aliases}/short`)
  expect((await clone(member, 'short', 'four')).code).not.toBe(0)
})
