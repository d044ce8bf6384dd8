import { afterAll, beforeAll, expect, test } from 'vitest'
import { imported, importStream, type Person, startTestServer, type TestServer } from '../../../../testing/index.ts'
import { type Browser, linksIn, personWithBrowser, visitorOf } from '../testing.ts'

const script = '<script>alert(1)</script>'
/** Names an issue that all may read, one that few may read, and people. */
const text = `See #1, shared/shown#1, #2, @owner and @missing. ${script} [here](javascript:alert(1))`
const stream = importStream([
  {
    message: 'First\n',
    files: ['README.md', 'docs/more.md'].map((path) => ['100644', path, `# ${path}\n\n${text}\n`]),
  },
])

let server: TestServer
let owner: Person & { browser: Browser }
let other: Browser
let anonymous: Browser

beforeAll(async () => {
  server = await startTestServer()
  owner = await personWithBrowser(server, 'owner')
  other = (await personWithBrowser(server, 'other')).browser
  anonymous = visitorOf(server)
  const group = await owner.post('/groups', { name: 'Shared', path: 'shared', visibility: 'public' })
  expect(group.status).toBe(201)
  const project = await imported(server, owner, 'demo', stream, { refs: ['main:refs/tags/v1'] })
  await owner.put(`/projects/${project.id}`, { visibility: 'public' })
  const shown = (await owner.post('/projects', { name: 'shown', namespace_id: group.body.id, visibility: 'public' }))
    .body
  await owner.post(`/projects/${shown.id}/issues`, { title: 'Shown' })
  const api = `/projects/${project.id}`
  await owner.post(`${api}/issues`, { title: 'First' })
  await owner.post(`${api}/issues`, { title: 'Second', confidential: true })
  const file = { file_path: 'a.txt', content: 'a' }
  const made = [
    await owner.post(`${api}/releases`, { tag_name: 'v1', description: text }),
    await owner.post(`${api}/wikis`, { title: 'home', content: text }),
    await owner.post(`${api}/snippets`, { title: 'One', visibility: 'public', description: text, files: [file] }),
    await owner.post('/snippets', { title: 'Two', visibility: 'public', description: text, files: [file] }),
  ]
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201])
})
afterAll(() => server.stop())

const base = '/owner/demo/-'
const [first, second, shown, person] = [`${base}/issues/1`, `${base}/issues/2`, '/shared/shown/-/issues/1', '/owner']

/** The addresses to which the texts of a page lead, and the words of the texts. */
async function textOf(browser: Browser, path: string) {
  const { status, html } = await browser.get(path)
  expect([path, status, html.includes(script)]).toEqual([path, 200, false])
  expect(html).not.toMatch(/text-[0-9a-f]{8}-|reference-[0-9a-f]{8}-|href="javascript/)
  const [, prose = ''] = /<div class="prose[^"]*">([\s\S]*?)<\/div>/.exec(html) ?? []
  return { links: linksIn(prose), words: prose.replace(/<[^>]*>/g, '') }
}

test.each(['', '/-/blob/main/docs/more.md', '/-/releases', '/-/releases/v1', '/-/wikis/home', '/-/snippets/1'])(
  'references in texts of %s are links for who may read what they are to',
  async (path) => {
    const address = `/owner/demo${path}`
    const links = async (browser: Browser) => (await textOf(browser, address)).links
    expect(await links(owner.browser)).toEqual([first, shown, second, person])
    const ofOther = await textOf(other, address)
    expect(ofOther.links).toEqual([first, shown, person])
    expect(ofOther.words).toContain('See #1, shared/shown#1, #2, @owner and @missing.')
    expect(await links(anonymous)).not.toContain(second)
  },
)

test('a snippet of a user refers by full paths alone', async () => {
  for (const browser of [owner.browser, other]) {
    expect((await textOf(browser, '/-/snippets/2')).links).toEqual([shown, person])
  }
})
