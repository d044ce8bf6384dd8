import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import type { ProjectRow } from '../../projects/index.ts'

let server: TestServer
let owner: Person
let developer: Person
let guest: Person
let outsider: Person
let group: NamespaceRow
let project: ProjectRow

const files: Record<string, string> = {
  'README.md': '# Hay\n\nneedle in hay\n',
  'src/many.rb': `${'straw\n'.repeat(10)}a Needle (.*) here\nand\nneedle again\n${'straw\n'.repeat(10)}one needle more\n`,
  'docs/needle.txt': 'one\ntwo\nthree\nfour\n',
  'vendor/x.js': 'needle',
  'large.txt': `${'x'.repeat(1_100_000)}\nneedle\n`,
  'long.min.js': `${'y'.repeat(500_000)}needle${'z'.repeat(10)}\n`,
  'übel.md': 'weird needle\n',
}

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('coder')
  developer = await server.user('developer')
  guest = await server.user('guest')
  outsider = await server.user('outsider')
  await server.root.put('/application/settings', { search_rate_limit: 0 })
  group = await server.make.group('hay', owner)
  project = await server.make.project('stack', owner, { namespace: group })
  await server.make.member({ project }, developer, 30)
  await server.make.member({ project }, guest, 10)
  const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }))
  const binary = { action: 'create', file_path: 'bin.dat', content: Buffer.from('a\0needle').toString('base64') }
  const all = [...actions, { ...binary, encoding: 'base64' }]
  const commit = { branch: 'main', commit_message: 'Add the HAYSTACK (all of it)', actions: all }
  expect((await owner.post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201)
  const other = { branch: 'side', start_branch: 'main', commit_message: 'Aside', actions: [] as object[] }
  other.actions.push({ action: 'create', file_path: 'side.txt', content: 'needle aside' })
  expect((await owner.post(`/projects/${project.id}/repository/commits`, other)).status).toBe(201)
  const page = { title: 'Home', content: 'The needle of the wiki' }
  expect((await owner.post(`/projects/${project.id}/wikis`, page)).status).toBe(201)
})
afterAll(async () => {
  await server?.root.put('/application/settings', { search_rate_limit: 30 })
  await server?.stop()
})

const inProject = () => `/projects/${project.id}/search`
async function found(client: Client, search: string, { at = inProject(), scope = 'blobs', more = '' } = {}) {
  const { status, body } = await client.get(`${at}?scope=${scope}&search=${encodeURIComponent(search)}${more}`)
  expect([search, status, status === 200 ? null : body]).toEqual([search, 200, null])
  return body
}
const paths = async (...given: Parameters<typeof found>) =>
  (await found(...given)).map(({ path }: { path: string }) => path)

describe('files', () => {
  test('are found by what is in them, with the lines around', async () => {
    const [first] = await found(developer, 'NEEDLE in')
    expect(first).toEqual({
      ...{ basename: 'README', data: '# Hay\n\nneedle in hay\n', path: 'README.md', filename: 'README.md' },
      ...{ id: null, ref: 'main', startline: 1, project_id: project.id },
    })
    const many = await found(developer, 'needle filename:many.rb')
    expect(
      many.map(({ startline, data }: { startline: number; data: string }) => [startline, data.split('\n').length]),
    ).toEqual([
      [9, 8],
      [22, 4],
    ])
    expect(await paths(developer, 'needle .* here')).toEqual([])
    expect(await paths(developer, 'a needle (.*) here')).toEqual(['src/many.rb'])
    const cut = await found(developer, 'needlezzz')
    expect([cut.length, cut[0].data.length > 1_000, cut[0].data.length <= 2_049]).toEqual([1, true, true])
  })

  test('are found by their name and by filters, but not when they are large or binary', async () => {
    const all = ['README.md', 'docs/needle.txt', 'long.min.js', 'src/many.rb', 'src/many.rb', 'vendor/x.js', 'übel.md']
    expect(await paths(developer, 'needle')).toEqual(all)
    const [named] = await found(developer, 'needle extension:txt')
    expect([named.path, named.data, named.startline]).toEqual(['docs/needle.txt', 'one\ntwo\nthree\n', 1])
    expect(await paths(developer, 'needle extension:rb -filename:m*.rb')).toEqual([])
    expect(await paths(developer, 'needle -path:VENDOR/ extension:*s')).toEqual(['long.min.js'])
    expect(await paths(developer, 'extension:md')).toEqual(['README.md', 'übel.md'])
    expect(await paths(developer, 'aside')).toEqual([])
    expect(await paths(developer, 'aside', { more: '&ref=side' })).toEqual(['side.txt'])
    expect(await paths(developer, 'needle', { more: '&ref=nope' })).toEqual([])
    expect(await paths(developer, 'needle', { more: '&ref=--output%3D/tmp/x' })).toEqual([])
  })

  test('have pages, and a total as long as not more is found than may be', async () => {
    const page = await developer.get(`${inProject()}?scope=blobs&search=needle&per_page=2&page=2`)
    expect([page.body.length, page.headers.get('x-total')]).toEqual([2, '7'])
    const { config } = server.app.platform
    config.searchHits = 3
    const bounded = await developer.get(`${inProject()}?scope=blobs&search=needle`)
    config.searchHits = 1000
    expect([bounded.body.length, bounded.headers.get('x-total')]).toEqual([3, null])
  })

  test('no text is an option or a pattern', async () => {
    const odd = [
      '--open-files-in-pager=touch',
      '-e needle',
      '.*',
      '[',
      '\\',
      '$(touch x)',
      '-',
      'a\nb',
      ':/',
      '(a+)+$',
      '🦊',
      "'",
    ]
    for (const text of odd) {
      for (const scope of ['blobs', 'commits', 'wiki_blobs']) {
        const { status } = await developer.get(`${inProject()}?scope=${scope}&search=${encodeURIComponent(text)}`)
        expect([text, scope, status]).toEqual([text, scope, 200])
      }
    }
    const wrong = ['filename:', 'path:*', 'extension:***************a', '-path:-path:x', 'filename:*'.repeat(60)]
    for (const text of wrong) expect([text, Array.isArray(await found(developer, text))]).toEqual([text, true])
  })
})

test('commits are found by their message and by their id', async () => {
  const [commit] = await found(developer, 'haystack (ALL', { scope: 'commits' })
  expect([commit.title, commit.project_id]).toEqual(['Add the HAYSTACK (all of it)', project.id])
  expect(await found(developer, commit.id.slice(0, 9), { scope: 'commits' })).toMatchObject([{ id: commit.id }])
  expect(await found(developer, 'Aside', { scope: 'commits' })).toEqual([])
  expect(await found(developer, 'Aside', { scope: 'commits', more: '&ref=side' })).toHaveLength(1)
})

test('pages of wikis are found', async () => {
  expect(await paths(developer, 'NEEDLE of', { scope: 'wiki_blobs' })).toEqual(['Home.md'])
  expect(await paths(guest, 'needle of', { scope: 'wiki_blobs', at: '/search' })).toEqual(['Home.md'])
})

test('only those find code who may read it', async () => {
  for (const scope of ['blobs', 'commits']) {
    const search = scope === 'blobs' ? 'needle in' : 'haystack'
    for (const at of [inProject(), '/search', `/groups/${group.id}/search`]) {
      const counts = await Promise.all(
        [owner, server.root].map(async (who) => (await found(who, search, { at, scope })).length),
      )
      expect([at, scope, counts]).toEqual([at, scope, [1, 1]])
    }
    expect(await found(guest, search, { scope })).toEqual([])
    expect(await found(guest, search, { scope, at: '/search' })).toEqual([])
    expect(await found(outsider, search, { scope, at: '/search' })).toEqual([])
    expect((await outsider.get(`${inProject()}?scope=${scope}&search=a`)).status).toBe(404)
  }
  await owner.put(`/projects/${project.id}`, { wiki_access_level: 'disabled' })
  expect(await found(owner, 'needle', { scope: 'wiki_blobs' })).toEqual([])
  await owner.put(`/projects/${project.id}`, { wiki_access_level: 'enabled' })
})

test('searches that would take too long or look in too many repositories are refused', async () => {
  const { config } = server.app.platform
  config.searchMaxRepositories = 0
  const answer = async (scope: string, at = '/search') => {
    const { status, body } = await owner.get(`${at}?scope=${scope}&search=needle`)
    return [status, status === 200 ? body.length : body.message]
  }
  const beginning = 'Scope supported only with advanced search'
  expect(await answer('blobs')).toEqual([400, `${beginning} or exact code search`])
  expect(await answer('wiki_blobs')).toEqual([400, beginning])
  expect(await answer('commits', `/groups/${group.id}/search`)).toEqual([400, beginning])
  expect(await answer('blobs', inProject())).toEqual([200, 7])
  config.searchMaxRepositories = 100
  config.searchMs = 0
  expect(await answer('blobs')).toEqual([408, '408 Request Timeout'])
  config.searchMs = 5000
  expect(await answer('blobs')).toEqual([200, 7])
})
