import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type Person, queriesOf, startTestServer, type TestServer } from '../../testing/index.ts'
import type { NamespaceRow } from '../namespaces/index.ts'
import type { ProjectRow } from '../projects/index.ts'

let server: TestServer
let owner: Person
let guest: Person
let outsider: Person
let group: NamespaceRow
let hidden: ProjectRow
let open: ProjectRow

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('seeker')
  guest = await server.user('guest')
  outsider = await server.user('outsider')
  group = await server.make.group('found-group', owner)
  hidden = await server.make.project('hidden-needle', owner, { namespace: group })
  open = await server.make.project('open-needle', owner, { visibility: 'public' })
  await server.make.member({ project: hidden }, guest, 10)
  await server.root.put('/application/settings', { search_rate_limit: 0 })
  for (const project of [hidden, open]) {
    const at = `/projects/${project.id}`
    await made(owner.post(`${at}/issues`, { title: `Needle in ${project.path}`, description: 'brown hay' }))
    await made(owner.post(`${at}/issues`, { title: 'Secret needle', confidential: true }))
    await made(owner.post(`${at}/issues/1/notes`, { body: 'A needle of a note' }))
    await made(owner.post(`${at}/issues/1/notes`, { body: 'An internal needle', internal: true }))
    await made(owner.post(`${at}/issues/2/notes`, { body: 'A needle below a secret' }))
    await made(owner.post(`${at}/milestones`, { title: `Needle of ${project.path}` }))
  }
  const snippet = { title: 'Needle', files: [{ file_path: 'a.txt', content: 'x' }] }
  await made(owner.post('/snippets', { ...snippet, visibility: 'private' }))
  await made(owner.post('/snippets', { ...snippet, visibility: 'public' }))
})
afterAll(async () => {
  await server?.root.put('/application/settings', { search_rate_limit: 30 })
  await server?.stop()
})

async function made(answer: ReturnType<Client['post']>) {
  const { status, body } = await answer
  expect([status, status === 201 ? null : body]).toEqual([201, null])
}
async function found(client: Client, path: string, search = 'needle', more = '') {
  const { status, body } = await client.get(`${path}&search=${encodeURIComponent(search)}${more}`)
  expect([path, status, status === 200 ? null : body]).toEqual([path, 200, null])
  return body.map((one: Record<string, unknown>) => one.title ?? one.body ?? one.path ?? one.username).toSorted()
}
const everywhere = ['/search', () => `/groups/${group.id}/search`, () => `/projects/${hidden.id}/search`] as const
const [, inGroup, inHidden] = everywhere

describe('a caller finds only what they may read', () => {
  test('issues', async () => {
    const at = '/search?scope=issues'
    expect(await found(owner, at)).toEqual([
      'Needle in hidden-needle',
      'Needle in open-needle',
      'Secret needle',
      'Secret needle',
    ])
    expect(await found(guest, at)).toEqual(['Needle in hidden-needle', 'Needle in open-needle'])
    expect(await found(outsider, at)).toEqual(['Needle in open-needle'])
    expect(await found(server.root, at)).toHaveLength(4)
    expect(await found(guest, `${inHidden()}?scope=issues`)).toEqual(['Needle in hidden-needle'])
    expect(await found(owner, `${inGroup()}?scope=issues`)).toEqual(['Needle in hidden-needle', 'Secret needle'])
    expect(await found(owner, at, 'hay needle')).toHaveLength(2)
    expect(await found(owner, at, 'needle', '&fields[]=title&confidential=true')).toEqual([
      'Secret needle',
      'Secret needle',
    ])
    expect(await found(owner, at, 'hay', '&fields[]=title')).toEqual([])
    expect(await found(owner, at, 'needle', '&state=closed')).toEqual([])
    expect(await found(owner, `${inHidden()}?scope=issues`, '#2')).toEqual(['Secret needle'])
    expect(await found(guest, `${inHidden()}?scope=issues`, '2')).toEqual([])
  })

  test('notes', async () => {
    const at = '/search?scope=notes'
    const [plain, internal, secret] = ['A needle of a note', 'An internal needle', 'A needle below a secret']
    expect(await found(owner, at)).toEqual([secret, secret, plain, plain, internal, internal])
    expect(await found(guest, at)).toEqual([plain, plain])
    expect(await found(outsider, at)).toEqual([plain])
    expect(await found(server.root, at)).toHaveLength(6)
    expect(await found(owner, `${inGroup()}?scope=notes`)).toEqual([secret, plain, internal])
    expect(await found(guest, `${inHidden()}?scope=notes`, 'NOTE needle')).toEqual([plain])
  })

  test('internal notes as planners and as their authors', async () => {
    const planner = await server.user('planner')
    await server.make.member({ project: hidden }, planner, 15)
    const at = `${inHidden()}?scope=notes`
    await made(planner.post(`/projects/${hidden.id}/issues/1/notes`, { body: 'An internal pin', internal: true }))
    await made(owner.post(`/projects/${hidden.id}/issues/1/notes`, { body: 'A pin of the owner', internal: true }))
    expect(await found(planner, at, 'pin')).toEqual(['A pin of the owner', 'An internal pin'])
    await owner.put(`/projects/${hidden.id}/members/${planner.id}`, { access_level: 10 })
    expect(await found(planner, at, 'pin')).toEqual(['An internal pin'])
    await owner.delete(`/projects/${hidden.id}/members/${planner.id}`)
  })

  test('notes in their order, the newest first by default', async () => {
    const at = `${inHidden()}?scope=notes&search=pin`
    const bodies = async (more: string) => (await owner.get(at + more)).body.map(({ body }: { body: string }) => body)
    const newest = ['A pin of the owner', 'An internal pin']
    expect(await bodies('')).toEqual(newest)
    expect(await bodies('&sort=asc')).toEqual(newest.toReversed())
    expect(await bodies('&per_page=1&page=2')).toEqual(newest.slice(1))
  })

  test('milestones, projects and snippets', async () => {
    expect(await found(owner, '/search?scope=milestones')).toEqual(['Needle of hidden-needle', 'Needle of open-needle'])
    expect(await found(outsider, '/search?scope=milestones')).toEqual(['Needle of open-needle'])
    expect(await found(owner, `${inGroup()}?scope=milestones`)).toEqual(['Needle of hidden-needle'])
    expect(await found(guest, `${inHidden()}?scope=milestones`)).toEqual(['Needle of hidden-needle'])
    expect(await found(outsider, '/search?scope=projects')).toEqual(['open-needle'])
    expect(await found(guest, '/search?scope=projects')).toEqual(['hidden-needle', 'open-needle'])
    expect(await found(owner, `${inGroup()}?scope=projects`)).toEqual(['hidden-needle'])
    expect(await found(outsider, '/search?scope=snippet_titles')).toEqual(['Needle'])
    expect(await found(owner, '/search?scope=snippet_titles')).toEqual(['Needle', 'Needle'])
    expect(await found(server.root, '/search?scope=snippet_titles', 'NEED .TXT b')).toHaveLength(0)
    expect(await found(server.root, '/search?scope=snippet_titles', 'NEED a.t')).toHaveLength(2)
  })

  test('users', async () => {
    const [first] = (await guest.get('/search?scope=users&search=Administrator')).body
    expect(Object.keys(first).toSorted()).toEqual(
      expect.arrayContaining(['avatar_url', 'id', 'name', 'state', 'username']),
    )
    expect([first.id, first.email]).toEqual([1, undefined])
    expect(await found(guest, `${inHidden()}?scope=users`, 'e')).toEqual(['guest', 'seeker'])
    expect(await found(owner, `${inGroup()}?scope=users`, 'seeker')).toEqual(['seeker'])
  })

  test('nothing of a feature that is off, of a private project, or when they are blocked', async () => {
    const features = { issues_access_level: 'disabled', merge_requests_access_level: 'disabled' }
    await owner.put(`/projects/${open.id}`, features)
    for (const scope of ['issues', 'notes', 'milestones', 'merge_requests']) {
      expect([scope, await found(outsider, `/search?scope=${scope}`)]).toEqual([scope, []])
      expect([scope, await found(outsider, `/projects/${open.id}/search?scope=${scope}`)]).toEqual([scope, []])
    }
    await owner.put(`/projects/${open.id}`, { issues_access_level: 'enabled', merge_requests_access_level: 'enabled' })
    expect((await outsider.get(`${inHidden()}?scope=issues&search=needle`)).status).toBe(404)
    expect((await outsider.get(`${inGroup()}?scope=issues&search=needle`)).status).toBe(404)
    expect((await server.anonymous.get('/search?scope=issues&search=needle')).status).toBe(401)
    expect((await server.anonymous.get(`/projects/${open.id}/search?scope=issues&search=needle`)).status).toBe(401)
    await server.root.post(`/users/${outsider.id}/block`)
    expect((await outsider.get('/search?scope=issues&search=needle')).status).toBe(403)
    await server.root.post(`/users/${outsider.id}/unblock`)
  })
})

test('odd searches are refused, or find nothing', async () => {
  const answer = async (query: string, at = '/search') => {
    const { status, body } = await owner.get(`${at}?${query}`)
    return [status, status === 200 ? body : (body.error ?? body.message)]
  }
  expect(await answer('scope=nope&search=a')).toEqual([400, 'scope does not have a valid value'])
  expect(await answer('search=a')).toEqual([400, 'scope is missing'])
  expect(await answer('scope=issues')).toEqual([400, 'search is missing'])
  expect(await answer('scope=issues&search=a&search_type=x')).toEqual([400, 'search_type does not have a valid value'])
  expect(await answer('scope=snippet_titles&search=a', inHidden())).toEqual([400, 'scope does not have a valid value'])
  for (const longest of ['qx+'.repeat(64), 'qx'.repeat(2048)]) {
    expect(await answer(`scope=issues&search=${longest}`)).toEqual([200, []])
  }
  expect(await answer(`scope=issues&search=${'a+'.repeat(65)}`)).toEqual([400, '400 Bad request - search is too long'])
  expect(await answer(`scope=issues&search=${'a'.repeat(4097)}`)).toEqual([400, '400 Bad request - search is too long'])
  for (const scope of ['issues', 'merge_requests', 'milestones', 'users', 'notes', 'projects', 'snippet_titles']) {
    for (const text of ['+', '%25', "'", '"', '(a%2B)%2B%24', '%F0%9F%A6%8A', '..%2F..%2F', '\\']) {
      const [status, body] = await answer(`scope=${scope}&search=${text}zz`)
      expect([scope, text, status === 200 ? body : status]).toEqual([scope, text, []])
    }
    expect([scope, await answer(`scope=${scope}&search=+`)]).toEqual([scope, [200, []]])
  }
})

test('a search takes a constant number of queries', async () => {
  for (const scope of ['issues', 'notes', 'milestones', 'projects', 'snippet_titles']) {
    const count = (size: number) =>
      queriesOf(server, () => owner.get(`/search?scope=${scope}&search=needle&per_page=${size}`))
    await count(1)
    expect([scope, await count(2)]).toEqual([scope, await count(1)])
  }
})

test('searches are counted for each user', async () => {
  await server.root.put('/application/settings', { search_rate_limit: 2 })
  const statuses: number[] = []
  for (let turn = 0; turn < 3; turn += 1) {
    statuses.push((await guest.get('/search?scope=users&search=a')).status)
  }
  expect(statuses).toEqual([200, 200, 429])
  expect((await owner.get('/search?scope=users&search=a')).status).toBe(200)
  await server.root.put('/application/settings', { search_rate_limit: 0 })
})
