import { afterAll, beforeAll, expect, test } from 'vitest'
import { imported, importStream, startTestServer, type TestServer } from '../../../testing/index.ts'
import { personWithBrowser, readText, type TestBrowser } from '../../testing.ts'

const files: [mode: string, path: string, content: string][] = [
  ['100644', 'src/a b.txt', 'one\ntwo\nthe <Needle> & more\nfour\nfive\nsix\n'],
  ['100644', 'b.md', '# no\n'],
  ['100644', `"x\\" onclick=\\"alert(1).txt"`, 'odd place\n'],
]

let server: TestServer
let browser: TestBrowser
let other: TestBrowser

beforeAll(async () => {
  server = await startTestServer()
  const owner = await personWithBrowser(server, 'owner')
  await server.root.put('/application/settings', { search_rate_limit: 0 })
  const project = await imported(server, owner, 'demo', importStream([{ message: 'Needle <b>first</b>\n', files }]))
  await owner.post(`/projects/${project.id}/issues`, { title: 'A needle <i>', description: 'Hay' })
  await owner.post(`/projects/${project.id}/issues/1/notes`, { body: 'needle in a note' })
  browser = owner.browser
  other = (await personWithBrowser(server, 'other')).browser
})
afterAll(async () => {
  await server?.root.put('/application/settings', { search_rate_limit: 30 })
  await server?.stop()
})

async function shown(path: string, who = browser): Promise<string> {
  const { status, text } = await who.get(path)
  expect([path, status]).toEqual([path, 200])
  return text.slice(text.indexOf('<main'))
}

test('files of a project are shown with marked lines that have links', async () => {
  const page = await shown('/owner/demo/-/search?search=NEEDLE')
  expect(page).toContain('href="/owner/demo/-/blob/main/src/a%20b.txt#L3"')
  expect(page).toContain('the &lt;<mark>Needle</mark>&gt; &amp; more')
  expect(page).toContain('data-line="3"')
  expect(page).toMatch(/<a [^>]*aria-current="page"[^>]*>Files/)
  expect(await shown('/owner/demo/-/search?search=needle+extension:md')).toContain('Nothing was found.')
})

test('a name of a file stays text', async () => {
  const page = await shown('/owner/demo/-/search?search=odd+place')
  expect(page).toContain('<mark>odd place</mark>')
  expect(page).not.toMatch(/" onclick="/)
})

test('other scopes are tabs, of which the address says which', async () => {
  expect(await shown('/owner/demo/-/search?search=needle&scope=issues')).toContain('href="/owner/demo/-/issues/1"')
  expect(await shown('/owner/demo/-/search?search=needle&scope=commits')).toContain(
    '<mark>Needle</mark> &lt;b&gt;first',
  )
  for (const path of ['/owner/demo/-/search', '/search']) {
    expect(await shown(`${path}?search=needle&scope=notes`)).toMatch(/href="\/owner\/demo\/-\/issues\/1#note_\d+"/)
  }
  expect(await shown('/search?search=needle&scope=blobs')).toContain('href="/owner/demo/-/blob/main/src/a%20b.txt#L3"')
  expect(readText(await shown('/search?search=%3Cscript%3E&scope=issues'))).toContain('Search for “<script>”')
  expect(await shown('/search?search=demo')).toContain('data-project="owner/demo"')
})

test('the field at the top searches in the project of the page', async () => {
  const { text } = await browser.get('/owner/demo')
  expect(text).toContain('<form class="search" method="get" action="/owner/demo/-/search"')
  expect((await browser.get('/')).text).toContain('<form class="search" method="get" action="/search"')
})

test('others find nothing, and searches that are refused say why', async () => {
  expect(await shown('/search?search=needle&scope=blobs', other)).toContain('Nothing was found.')
  expect((await other.get('/owner/demo/-/search?search=needle')).status).toBe(404)
  const { config } = server.app.platform
  config.searchMaxRepositories = 0
  expect(await shown('/search?search=needle&scope=blobs')).toContain('in single projects and in smaller groups only')
  config.searchMaxRepositories = 100
})
