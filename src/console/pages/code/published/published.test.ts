import { afterAll, beforeAll, expect, test } from 'vitest'
import { imported, importStream, type Person, startTestServer, type TestServer } from '../../../../testing/index.ts'
import { type Browser, linksIn, personWithBrowser, visitorOf } from '../testing.ts'

const script = '<script>alert(1)</script>'
const stream = importStream([{ message: 'First\n', files: [['100644', 'README.md', '# Hello\n']] }])

let server: TestServer
let owner: Person & { browser: Browser }
let id: string
let browser: Browser
let guest: Browser
let anonymous: Browser

beforeAll(async () => {
  server = await startTestServer()
  owner = await personWithBrowser(server, 'owner')
  const project = await imported(server, owner, 'demo', stream, { refs: ['main:refs/tags/v/1'] })
  id = String(project.id)
  const member = await personWithBrowser(server, 'guest')
  await server.make.member({ project }, member, 10)
  browser = owner.browser
  guest = member.browser
  anonymous = visitorOf(server)
})
afterAll(() => server.stop())

const base = '/owner/demo/-'

/** Sends a form, and follows it to the page where it leads. */
async function sent(path: string, operation: string, fields: Record<string, string>, then?: string) {
  const { status, location, html } = await browser.send(path, operation, { id, ...fields }, then)
  expect([status, status === 303 ? '' : html]).toEqual([303, ''])
  const shown = await browser.get(location)
  expect([location, shown.status]).toEqual([location, 200])
  expect(shown.html).not.toContain(script)
  return { ...shown, location }
}

test('wiki pages are written, moved and deleted', async () => {
  expect((await browser.get(`${base}/wikis`)).html).toContain('No pages yet.')
  expect((await browser.get(`${base}/wikis?new=home`)).html).toContain('value="home"')
  const then = `${base}/wikis/{slug}`
  const content = `# Home ${script}\r\n\r\n[setup](docs/setup) [bad](javascript:alert(1))`
  const home = await sent(`${base}/wikis`, 'project_wikis.create', { title: 'home', content }, then)
  expect(home.html).toContain(`<a href="${base}/wikis/docs/setup"`)
  expect((await browser.get(`${base}/wikis`)).location).toBe(`${base}/wikis/home`)
  const setup = await sent(
    `${base}/wikis`,
    'project_wikis.create',
    { title: `docs/set up "&#?`, content: 'Steps' },
    then,
  )
  expect(setup.location).toBe(`${base}/wikis/docs/set-up-%22%26%23%3F`)
  expect((await browser.get(`${setup.location}?edit=1`)).html).toContain('Steps</textarea>')
  const slug = 'docs/set-up-"&#?'
  const moved = await sent(setup.location, 'project_wikis.update', { slug, title: 'docs/setup', content: 'New' }, then)
  expect([moved.location, moved.html.includes('New')]).toEqual([`${base}/wikis/docs/setup`, true])
  expect((await browser.get(`${base}/wikis/none`)).location).toBe(`${base}/wikis?new=1&title=none`)
  const read = await guest.get(`${base}/wikis/home`)
  expect([read.status, read.html.includes('?edit=1')]).toEqual([200, false])
  expect((await guest.get(`${base}/wikis/none`)).status).toBe(404)
  await sent(home.location, 'project_wikis.update', { slug: 'home', content: `Newer ${script}` }, then)
  const history = await guest.get(`${home.location}?versions=1`)
  const versions = linksIn(history.html).filter((link) => link.includes('?version='))
  expect([history.status, versions.length]).toEqual([200, 2])
  const [newer, older] = await Promise.all(versions.map((link) => guest.get(link)))
  expect([newer?.html.includes('Newer'), older?.html.includes('>setup</a>')]).toEqual([true, true])
  expect((await guest.get(`${home.location}?version=${'0'.repeat(40)}`)).status).toBe(404)
  expect((await guest.get(`${base}/wikis/none?versions=1`)).status).toBe(404)
  const list = await sent(moved.location, 'project_wikis.delete', { slug: 'docs/setup' }, `${base}/wikis?list=1`)
  expect(list.html).not.toContain('docs/setup')
})

test('snippets of a project and personal ones are written and deleted', async () => {
  for (const [kind, root] of [
    ['project_snippets', `${base}/snippets`],
    ['snippets', '/-/snippets'],
  ] as const) {
    expect((await browser.get(root)).html).toContain('No snippets yet.')
    const fields = { title: `One ${script}`, description: `**bold** ${script}`, visibility: 'private' }
    const file = {
      'files[][file_path]': `a "b" ${script.replace('/', '')}.ts`,
      'files[][content]': `\r\nconst a = '${script}'\r\n`,
    }
    const made = await sent(`${root}/new`, `${kind}.create`, { ...fields, ...file }, `${root}/{id}`)
    expect(made.location).toMatch(new RegExp(`^${root}/\\d+$`))
    expect(made.html).toContain('<strong>bold</strong>')
    expect(made.html).toContain('hljs-keyword')
    const number = made.location.split('/').at(-1) ?? ''
    const own: Record<string, string> = kind === 'snippets' ? { id: number } : { snippet_id: number }
    const raw = /href="([^"]*\/file\/[^"]*)"/.exec(made.html)?.[1] ?? ''
    const bytes = await browser.get(raw)
    expect([bytes.html, bytes.headers.get('content-type')]).toEqual([
      `\nconst a = '${script}'\n`,
      'text/plain; charset=utf-8',
    ])
    expect((await browser.get(`${made.location}/edit`)).html).toContain('name="files[0][content]"')
    const change = {
      ...own,
      ...fields,
      ...file,
      title: 'Two',
      'files[][action]': 'update',
      'files[][content]': 'two\r\n',
    }
    expect((await sent(`${made.location}/edit`, `${kind}.update`, change, made.location)).html).toContain('Two')
    expect((await browser.get(raw)).html).toBe('two\n')
    const refused = await browser.send(`${root}/new`, `${kind}.create`, {
      id,
      ...fields,
      ...file,
      'files[][content]': '',
    })
    expect([refused.status, refused.html.includes('&lt;script&gt;')]).toEqual([400, true])
    expect((await anonymous.get(made.location)).status).toBe(302)
    expect((await guest.get(made.location)).status).toBe(kind === 'snippets' ? 404 : 200)
    expect((await guest.get(made.location)).html).not.toContain('Delete the snippet')
    await sent(made.location, `${kind}.delete`, own, root)
    expect((await browser.get(made.location)).status).toBe(404)
  }
})

test('a snippet of a project is commented on and reacted to', async () => {
  const files = [{ file_path: 'a.txt', content: 'A' }]
  const given = { title: 'Talked about', visibility: 'private', files }
  const { body: snippet } = await owner.post(`/projects/${id}/snippets`, given)
  const path = `${base}/snippets/${snippet.id}`
  const own = { snippet_id: String(snippet.id) }
  const comment = { ...own, _form: 'comment', body: `Hello ${script}` }
  const made = await sent(path, 'snippet_notes.create', comment, `${path}#note_{id}`)
  expect(made.html).toContain('Hello ')
  const note_id = made.location.split('#note_').at(-1) ?? ''
  const reacted = await sent(path, 'snippet_note_awards.create', { ...own, note_id, name: 'heart' })
  expect(reacted.html).toMatch(/Take back [\s\S]*?heart, 1/)
  expect((await sent(path, 'snippet_awards.create', { ...own, name: 'tada' })).html).toContain('tada, 1')
  const seen = (await guest.get(path)).html
  expect([seen.includes('Hello '), seen.includes('snippet_discussions.delete_note')]).toEqual([true, false])
  const { body: personal } = await owner.post('/snippets', given)
  expect((await browser.get(`/-/snippets/${personal.id}`)).html).not.toContain('snippet_notes.create')
  await owner.delete(`/projects/${id}/snippets/${snippet.id}`)
  await owner.delete(`/snippets/${personal.id}`)
})

test('snippets have several files, which are added and deleted', async () => {
  const root = `${base}/snippets`
  const facts = { title: 'Files', visibility: 'private' }
  const file = (index: number, values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [`files[${index}][${name}]`, value]))
  const names = (html: string) =>
    [...html.matchAll(/name="files\[\d\]\[file_path\]" value="([^"]*)"/g)].map(([, name]) => name)
  const first = { ...facts, ...file(0, { file_path: 'a.txt', content: 'one <b>\r\n' }) }
  const more = await browser.send(`${root}/new`, 'project_snippets.create', { id, ...first, _draft: 'file' })
  expect([more.status, names(more.html), more.html.includes('role="alert"')]).toEqual([200, ['a.txt', ''], false])
  expect(more.html).toContain('one &lt;b&gt;')
  expect((await browser.get(root)).html).toContain('No snippets yet.')

  const second = {
    ...first,
    ...file(1, { file_path: 'b.txt', content: 'two' }),
    ...file(2, { file_path: '', content: '' }),
  }
  const made = await sent(`${root}/new`, 'project_snippets.create', second, `${root}/{id}`)
  expect([made.html.includes('>a.txt<'), made.html.includes('>b.txt<')]).toEqual([true, true])
  const snippet_id = made.location.split('/').at(-1) ?? ''
  const edit = `${made.location}/edit`
  expect(names((await browser.get(edit)).html)).toEqual(['a.txt', 'b.txt'])

  const form = new FormData()
  const changes = [
    ['_operation', 'project_snippets.update'],
    ['_then', made.location],
    ...Object.entries({ id, snippet_id, ...facts }),
    // A box that is ticked is sent after the hidden field.
    ...[
      ['files[0][action]', 'update'],
      ['files[0][action]', 'delete'],
      ['files[0][file_path]', 'a.txt'],
    ],
    ...Object.entries(file(1, { action: 'update', file_path: 'b.txt', content: 'changed' })),
    ...Object.entries(file(2, { action: 'create', file_path: 'c.txt', content: 'three' })),
    ...Object.entries(file(3, { action: 'create', file_path: '', content: '' })),
  ] as [string, string][]
  for (const [name, value] of changes) form.append(name, value)
  expect((await browser.sendForm(edit, form)).status).toBe(303)
  const shown = (await browser.get(made.location)).html
  expect(['a.txt', 'b.txt', 'c.txt', 'changed', 'three'].filter((text) => shown.includes(`>${text}<`))).toEqual([
    ...['b.txt', 'c.txt', 'changed', 'three'],
  ])
  form.append('_draft', 'file')
  const again = await browser.sendForm(edit, form)
  expect([again.status, names(again.html).length]).toEqual([200, 5])
  const full = Object.assign({}, ...Array.from({ length: 10 }, (_, index) => file(index, { file_path: `${index}` })))
  const most = await browser.send(`${root}/new`, 'project_snippets.create', { id, ...facts, ...full, _draft: 'file' })
  expect([names(most.html).length, most.html.includes('Add another file')]).toEqual([10, false])
})

test('releases have notes, links and archives', async () => {
  expect((await browser.get(`${base}/releases`)).html).toContain('No releases yet.')
  const fields = { tag_name: 'v/1', name: `One ${script}`, description: `Notes ${script}` }
  const list = await sent(`${base}/releases/new`, 'releases.create', fields, `${base}/releases`)
  expect(list.html).toContain(`href="${base}/releases/v%2F1"`)
  const link = { tag_name: 'v/1', name: `x ${script}`, url: 'https://example.com/x?a="b"', link_type: 'package' }
  const edit = await sent(`${base}/releases/v%2F1/edit`, 'release_links.create', link)
  expect(edit.html).toContain('https://example.com/x?a=&quot;b&quot;')
  const one = await browser.get(`${base}/releases/v%2F1`)
  expect([one.status, one.html.includes('package')]).toEqual([200, true])
  const archive = await browser.get(`${base}/download/zip/v/1`)
  expect([archive.status, archive.headers.get('content-type')]).toEqual([200, 'application/zip'])
  expect(archive.headers.get('content-disposition')).toMatch(/^attachment/)
  const { html } = await guest.get(`${base}/releases`)
  expect([html.includes('New release'), html.includes('v/1')]).toEqual([false, false])
  const gone = await sent(`${base}/releases/v%2F1`, 'releases.delete', { tag_name: 'v/1' }, `${base}/releases`)
  expect(gone.html).toContain('No releases yet.')
})
