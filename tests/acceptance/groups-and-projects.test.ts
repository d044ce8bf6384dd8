import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Client,
  git,
  httpUrl,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../src/testing/index.ts'

/** The acceptance walk of groups and projects, step by step (contract 21); the numbers are the walk's. */
let server: TestServer
let root: Client
let third: Person
let group: number
let demo: number

beforeAll(async () => {
  server = await startTestServer()
  root = server.root
  third = await server.user('third')
})
afterAll(() => server.stop())

const address = (path: string, person: { token: string }) => httpUrl(server, person, path)

test('1 and 2: a group, its owner, a subgroup', async () => {
  const made = await root.post('/groups', { name: 'G', path: 'g' })
  expect(made.status).toBe(201)
  group = made.body.id
  expect((await root.get('/groups/g/members')).body).toMatchObject([{ username: 'root', access_level: 50 }])
  expect(await root.post('/groups', { name: 'G', path: 'g' })).toMatchObject({
    status: 400,
    body: { message: 'Failed to save group {:path=>["has already been taken"]}' },
  })
  const sub = await root.post('/groups', { name: 'S', path: 's', parent_id: group })
  expect(sub).toMatchObject({ status: 201, body: { full_path: 'g/s' } })
  expect(await root.post('/groups', { name: 'P', path: 'p', parent_id: group, visibility: 'public' })).toMatchObject({
    status: 400,
    body: {
      message:
        'Failed to save group {:visibility_level=>["public is not allowed since the parent group has a private visibility."]}',
    },
  })
  for (const list of ['subgroups', 'descendant_groups']) {
    expect((await root.get(`/groups/g/${list}`)).body.map(({ id }: { id: number }) => id)).toEqual([sub.body.id])
  }
})

test('3: a project with a first commit', async () => {
  const body = { name: 'Demo App', namespace_id: group, initialize_with_readme: true }
  const made = await root.post('/projects', body)
  expect(made).toMatchObject({ status: 201, body: { path: 'demo-app', default_branch: 'main', empty_repo: false } })
  demo = made.body.id
  expect(await root.post('/projects', body)).toMatchObject({
    status: 400,
    body: {
      message: {
        'project_namespace.name': ['has already been taken'],
        name: ['has already been taken'],
        path: ['has already been taken'],
      },
    },
  })
})

test('4: who sees it, by its visibility', async () => {
  expect((await root.get('/projects/g%2Fdemo-app')).body).toHaveProperty('permissions')
  expect(await server.anonymous.get('/projects/g%2Fdemo-app')).toMatchObject({
    status: 404,
    body: { message: '404 Project Not Found' },
  })
  expect(await root.put(`/projects/${demo}`, { visibility: 'public' })).toMatchObject({
    status: 400,
    body: { message: { visibility_level: ['public is not allowed in a private group.'] } },
  })
  expect((await root.put(`/groups/${group}`, { visibility: 'public' })).status).toBe(200)
  expect((await root.put(`/projects/${demo}`, { visibility: 'public' })).status).toBe(200)
  const open = await server.anonymous.get('/projects/g%2Fdemo-app')
  expect(open.status).toBe(200)
  expect(open.body).not.toHaveProperty('permissions')
})

test('5 and 6: a setting, and members', async () => {
  const changed = await root.put(`/projects/${demo}`, { container_registry_access_level: 'private' })
  expect(changed.body.container_registry_access_level).toBe('private')
  const member = { user_id: third.id, access_level: 30 }
  expect((await root.post(`/projects/${demo}/members`, member)).status).toBe(201)
  expect((await root.post(`/projects/${demo}/members`, member)).status).toBe(409)
  expect(await root.put(`/projects/${demo}/members/${third.id}`, { access_level: 33 })).toMatchObject({
    status: 400,
    body: { message: { access_level: ['is not included in the list'] } },
  })
  const all = (await root.get(`/projects/${demo}/members/all`)).body
  expect(all.map(({ username }: { username: string }) => username)).toEqual(['root', 'third'])
  expect((await root.delete(`/projects/${demo}/members/${third.id}`)).status).toBe(204)
  expect(await root.delete(`/projects/${demo}/members/${third.id}`)).toMatchObject({
    status: 404,
    body: { message: '404 Not found' },
  })
})

test('8: a fork is a copy that git can clone', async () => {
  const fork = await third.post(`/projects/${demo}/fork`)
  expect(fork).toMatchObject({ status: 201, body: { forked_from_project: { id: demo } } })
  await server.app.platform.jobs.drain()
  expect((await third.get(`/projects/${fork.body.id}`)).body.import_status).toBe('finished')
  expect((await root.get(`/projects/${demo}/forks`)).body.map(({ id }: { id: number }) => id)).toEqual([fork.body.id])
  await using folder = await temporaryDirectory()
  expect(await git(folder.path, 'clone', address('third/demo-app', third), 'fork')).toMatchObject({ code: 0 })
  expect(await git(folder.path, 'clone', address('g/demo-app', root), 'source')).toMatchObject({ code: 0 })
  const head = async (name: string) => (await git(`${folder.path}/${name}`, 'rev-parse', 'HEAD')).stdout
  expect(await head('fork')).toBe(await head('source'))
})

test('9: a rename leaves a way from the old path', async () => {
  expect((await root.put(`/projects/${demo}`, { path: 'demo2' })).status).toBe(200)
  const moved = await root.get('/projects/g%2Fdemo-app')
  expect([moved.status, moved.headers.get('location')]).toEqual([301, `${server.url}/api/v4/projects/${demo}`])
  expect((await root.put('/projects/g%2Fdemo-app', { description: 'x' })).status).toBe(405)
  await using folder = await temporaryDirectory()
  expect(await git(folder.path, 'clone', address('g/demo-app', root), 'copy')).toMatchObject({ code: 0 })
})

test('10: sharing lets the members of another group push', async () => {
  const other = (await root.post('/groups', { name: 'O', path: 'o' })).body.id
  await root.post(`/groups/${other}/members`, { user_id: third.id, access_level: 40 })
  const branches = `/projects/${demo}/repository/branches`
  expect((await third.post(branches, { branch: 'by-share', ref: 'main' })).status).toBe(403)
  expect((await root.post(`/projects/${demo}/share`, { group_id: other, group_access: 30 })).status).toBe(201)
  expect((await root.post(`/projects/${demo}/share`, { group_id: other, group_access: 30 })).status).toBe(409)
  expect((await third.post(branches, { branch: 'by-share', ref: 'main' })).status).toBe(201)
  expect((await root.delete(`/projects/${demo}/share/${other}`)).status).toBe(204)
  expect((await third.delete(`${branches}/by-share`)).status).toBe(403)
})

test('11: a transfer', async () => {
  const transferred = await root.put(`/projects/${demo}/transfer?namespace=root`)
  expect(transferred).toMatchObject({ status: 200, body: { namespace: { full_path: 'root' } } })
  expect(await root.put(`/projects/${demo}/transfer?namespace=root`)).toMatchObject({
    status: 400,
    body: { message: 'Failed to transfer project {:new_namespace=>["Project is already in this namespace."]}' },
  })
})

test('12: deletion marks, frees the path, and removes at once on request', async () => {
  expect(await root.delete(`/projects/${demo}`)).toMatchObject({ status: 202, body: { message: '202 Accepted' } })
  const marked = (await root.get(`/projects/${demo}`)).body
  expect(marked.marked_for_deletion_on).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect((await root.post('/projects', { name: 'demo2', path: 'demo2' })).status).toBe(201)
  expect((await root.delete(`/projects/${demo}`)).status).toBe(400)
  const path = encodeURIComponent(marked.path_with_namespace)
  expect((await root.delete(`/projects/${demo}?permanently_remove=true&full_path=${path}`)).status).toBe(202)
  await server.app.platform.jobs.drain()
  expect((await root.get(`/projects/${demo}`)).status).toBe(404)
})

test('13 and 14: lists and names', async () => {
  const page = await root.get('/projects?simple=true&per_page=1&page=2&order_by=id&sort=asc')
  expect(page.body).toHaveLength(1)
  const total = page.headers.get('x-total')
  expect((await root.head('/projects')).headers.get('x-total')).toBe(total)
  expect((await root.get('/projects?repository_storage=nowhere')).body).toEqual([])
  expect((await root.get('/namespaces/g/exists')).body).toEqual({ exists: true, suggests: ['g1'] })
})
