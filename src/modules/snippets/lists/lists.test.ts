import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { type Client, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { makeSnippet, makeSnippetPeople, type SnippetPeople } from '../testing.ts'

const clock = manualClock({ start: '2026-03-01T10:00:00Z' })
let server: TestServer
let people: SnippetPeople
let project: ProjectRow
/** Ids by a name for each snippet. */
const ids: Record<string, number> = {}

beforeAll(async () => {
  server = await startTestServer({ clock })
  people = await makeSnippetPeople(server)
  const { owner, outsider, guest, reporter } = people
  project = await server.make.project('shared', owner)
  await server.make.member({ project }, reporter, 20)
  await server.make.member({ project }, guest, 10)
  const open = await server.make.project('open', owner, { visibility: 'public' })
  const make = async (name: string, who: typeof owner, visibility: string, of?: number) => {
    ids[name] = (await makeSnippet(who, { 'a.txt': name }, { visibility, title: name, project: of })).id
    clock.advance(60_000)
  }
  await make('owner private', owner, 'private')
  await make('owner internal', owner, 'internal')
  await make('owner public', owner, 'public')
  await make('outsider public', outsider, 'public')
  await make('shared private', reporter, 'private', project.id)
  await make('shared public', reporter, 'public', project.id)
  await make('open private', owner, 'private', open.id)
  await make('open internal', owner, 'internal', open.id)
  await make('open public', owner, 'public', open.id)
})
afterAll(() => server.stop())

async function titles(client: Client, path: string): Promise<string[]> {
  const { status, body } = await client.get(path)
  expect(status).toBe(200)
  return body.map(({ title }: { title: string }) => title)
}

describe('lists of snippets', () => {
  test('need credentials', async () => {
    for (const path of ['/snippets', '/snippets/public', '/snippets/all', `/projects/${project.id}/snippets`]) {
      const { status, body } = await server.anonymous.get(path)
      expect([status, body]).toEqual([401, { message: '401 Unauthorized' }])
    }
  })

  test('show the own ones, newest first', async () => {
    const { owner, reporter } = people
    expect(await titles(owner, '/snippets')).toEqual([
      'open public',
      'open internal',
      'open private',
      'owner public',
      'owner internal',
      'owner private',
    ])
    expect(await titles(reporter, '/snippets')).toEqual(['shared public', 'shared private'])
    await server.root.delete(`/projects/${project.id}/members/${reporter.id}`)
    expect(await titles(reporter, '/snippets')).toEqual([])
    await server.make.member({ project }, reporter, 20)
  })

  test('show members of lists only', async () => {
    const [{ author, ...first }] = (await people.owner.get('/snippets?per_page=1')).body
    expect(Object.keys(first)).toEqual(
      'id title file_name description visibility imported imported_from created_at updated_at project_id web_url raw_url'.split(
        ' ',
      ),
    )
    expect(author.username).toBe('owner')
  })

  test('show the public personal ones of all users', async () => {
    for (const who of [people.guest, people.external]) {
      expect(await titles(who, '/snippets/public')).toEqual(['outsider public', 'owner public'])
    }
  })

  test('show all readable ones', async () => {
    const { outsider, external, guest } = people
    const personal = ['outsider public', 'owner public', 'owner internal']
    expect(await titles(server.root, '/snippets/all')).toEqual(Object.keys(ids).reverse())
    expect(await titles(outsider, '/snippets/all')).toEqual(['open public', 'open internal', ...personal])
    expect(await titles(external, '/snippets/all')).toEqual(['open public', 'outsider public', 'owner public'])
    expect(await titles(guest, '/snippets/all')).toEqual([
      'open public',
      'open internal',
      'shared public',
      'shared private',
      ...personal,
    ])
  })

  test('show those of a storage to administrators', async () => {
    expect(await titles(server.root, '/snippets/all?repository_storage=default&per_page=100')).toHaveLength(9)
    expect(await titles(server.root, '/snippets/all?repository_storage=elsewhere')).toEqual([])
    expect(await titles(people.outsider, '/snippets/all?repository_storage=elsewhere')).toHaveLength(5)
  })

  test('show those of a project that the caller may read', async () => {
    const { owner, guest, outsider, external } = people
    expect(await titles(guest, `/projects/${project.id}/snippets`)).toEqual(['shared public', 'shared private'])
    const open = encodeURIComponent('owner/open')
    expect(await titles(outsider, `/projects/${open}/snippets`)).toEqual(['open public', 'open internal'])
    expect(await titles(external, `/projects/${open}/snippets`)).toEqual(['open public'])
    expect(await titles(owner, `/projects/${open}/snippets`)).toHaveLength(3)
    expect((await outsider.get(`/projects/${project.id}/snippets`)).body).toEqual({ message: '404 Project Not Found' })
  })

  test('have filters and pages', async () => {
    const { owner } = people
    const { body: second } = await owner.get(`/snippets/${ids['owner internal']}`)
    const at = encodeURIComponent(second.created_at)
    expect(await titles(owner, `/snippets?created_before=${at}`)).toEqual(['owner internal', 'owner private'])
    expect(await titles(owner, `/snippets?created_after=${at}&created_before=${at}`)).toEqual(['owner internal'])
    expect(await titles(owner, `/snippets/all?created_after=${at}`)).not.toContain('owner private')
    expect(await titles(owner, `/snippets/public?created_after=${at}`)).toEqual(['outsider public', 'owner public'])
    const paged = await owner.get('/snippets?per_page=1&page=2')
    expect([paged.body[0].title, paged.headers.get('x-total'), paged.headers.get('x-next-page')]).toEqual([
      'open internal',
      '6',
      '3',
    ])
    const wrong = await owner.get('/snippets?created_after=never')
    expect([wrong.status, wrong.body.error]).toEqual([400, 'created_after is invalid'])
  })

  test('take a constant number of queries', async () => {
    const count = (path: string) => queriesOf(server, () => people.guest.get(path))
    for (const path of ['/snippets/all', '/snippets/public', `/projects/${project.id}/snippets`]) {
      expect([path, await count(`${path}?per_page=1`)]).toEqual([path, await count(`${path}?per_page=7`)])
    }
  })
})
