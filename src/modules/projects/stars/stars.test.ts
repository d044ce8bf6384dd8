import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let owner: Person
let ann: Person
let ben: Person

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  ann = await server.user('ann')
  ben = await server.user('ben')
})
afterAll(() => server.stop())

const projectNotFound = { status: 404, body: { message: '404 Project Not Found' } }

describe('starring a project', () => {
  test('counts each user once', async () => {
    const { id } = await server.make.project('liked', owner, { visibility: 'public' })
    const first = await ann.post(`/projects/${id}/star`)
    expect(first).toMatchObject({ status: 201, body: { id, star_count: 1 } })
    expect(first.body).not.toHaveProperty('permissions')
    const again = await ann.post(`/projects/${id}/star`)
    expect([again.status, again.body]).toEqual([304, ''])
    expect(await ben.post(`/projects/${id}/star`)).toMatchObject({ status: 201, body: { star_count: 2 } })
    expect(await ann.post(`/projects/${id}/unstar`)).toMatchObject({ status: 201, body: { star_count: 1 } })
    expect((await ann.post(`/projects/${id}/unstar`)).status).toBe(304)
    expect((await owner.get(`/projects/${id}`)).body.star_count).toBe(1)
  })

  test('counts correctly with concurrent requests', async () => {
    const { id } = await server.make.project('hot', owner, { visibility: 'public' })
    const people = await Promise.all([1, 2, 3, 4, 5].map((number) => server.user(`fan${number}`)))
    const stars = await Promise.all([...people, ...people].map((person) => person.post(`/projects/${id}/star`)))
    expect(stars.filter(({ status }) => status === 201)).toHaveLength(5)
    expect((await owner.get(`/projects/${id}`)).body.star_count).toBe(5)
    await Promise.all(people.slice(0, 3).flatMap((person) => [1, 2].map(() => person.post(`/projects/${id}/unstar`))))
    expect((await owner.get(`/projects/${id}`)).body.star_count).toBe(2)
  })

  test('requires a signed-in user who can see the project', async () => {
    const hidden = await server.make.project('hidden', owner)
    for (const action of ['star', 'unstar']) {
      expect(await ann.post(`/projects/${hidden.id}/${action}`)).toMatchObject(projectNotFound)
      expect((await server.anonymous.post(`/projects/${hidden.id}/${action}`)).status).toBe(401)
      const reader = server.as(await server.make.token(owner, ['read_api']))
      expect((await reader.post(`/projects/${hidden.id}/${action}`)).body.error).toBe('insufficient_scope')
    }
    expect((await owner.post(`/projects/${hidden.id}/star`)).status).toBe(201)
    expect(await owner.post('/projects/987654/star')).toMatchObject(projectNotFound)
  })
})

describe('the list of starrers', () => {
  test('is shown to everyone who can see the project, except for private profiles', async () => {
    const { id } = await server.make.project('admired', owner, { visibility: 'public' })
    const shy = await server.user('shy')
    const blocked = await server.user('blocked')
    for (const person of [ben, ann, shy, blocked]) await person.post(`/projects/${id}/star`)
    await server.root.put(`/users/${shy.id}`, { private_profile: true })
    await server.root.post(`/users/${blocked.id}/block`)
    const list = async (client: Client, query = '') =>
      (await client.get(`/projects/${id}/starrers${query}`)).body.map(
        ({ user }: { user: { username: string } }) => user.username,
      )
    expect(await list(server.anonymous)).toEqual(['ann', 'ben'])
    expect(await list(shy)).toEqual(['ann', 'ben', 'shy'])
    expect(await list(server.root)).toEqual(['ann', 'ben', 'shy'])
    expect(await list(owner, '?search=BEN')).toEqual(['ben'])
    expect(await list(owner, '?search=%25')).toEqual([])
    const { body, headers } = await owner.get(`/projects/${id}/starrers?per_page=1`)
    expect(headers.get('x-total')).toBe('2')
    expect(body).toEqual([
      {
        starred_since: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        user: expect.objectContaining({ id: ann.id, username: 'ann', state: 'active' }),
      },
    ])
    expect((await owner.get(`/projects/${id}/starrers?search[a]=b`)).status).toBe(400)
    const hidden = await server.make.project('unseen', owner)
    expect(await ann.get(`/projects/${hidden.id}/starrers`)).toMatchObject(projectNotFound)
  })

  test('takes the same number of queries for any number of users', async () => {
    const { id } = await server.make.project('measured', owner, { visibility: 'public' })
    await ann.post(`/projects/${id}/star`)
    const queries = () => queriesOf(server, () => owner.get(`/projects/${id}/starrers`))
    const few = await queries()
    for (const number of [1, 2, 3, 4, 5, 6]) await (await server.user(`more${number}`)).post(`/projects/${id}/star`)
    expect(await queries()).toBe(few)
  })
})

describe('the projects that a user has starred', () => {
  test('are listed as far as the caller can see them', async () => {
    const person = await server.user('collector')
    const open = await server.make.project('open', owner, { visibility: 'public' })
    const secret = await server.make.project('secret', owner)
    await server.make.member({ project: secret }, person, 10)
    for (const { id } of [open, secret]) await person.post(`/projects/${id}/star`)
    const list = async (client: Client, user: string | number, query = '') =>
      (await client.get(`/users/${user}/starred_projects${query}`)).body.map(({ path }: { path: string }) => path)
    expect(await list(person, 'collector')).toEqual(['secret', 'open'])
    expect(await list(person, person.id, '?order_by=name&sort=asc')).toEqual(['open', 'secret'])
    expect(await list(ann, 'COLLECTOR')).toEqual(['open'])
    expect(await list(server.anonymous, 'collector')).toEqual(['open'])
    expect(await list(server.root, 'collector', '?visibility=private')).toEqual(['secret'])
    const starred = await person.get('/projects?starred=true&order_by=id&sort=asc')
    expect(starred.body.map(({ path }: { path: string }) => path)).toEqual(['open', 'secret'])
    expect(await ann.get('/users/nobody-here/starred_projects')).toMatchObject({
      status: 404,
      body: { message: '404 User Not Found' },
    })
    await server.root.put(`/users/${person.id}`, { private_profile: true })
    expect(await list(ann, 'collector')).toEqual([])
    expect(await list(person, 'collector')).toEqual(['secret', 'open'])
  })
})
