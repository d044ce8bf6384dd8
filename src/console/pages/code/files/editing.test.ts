import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { imported, importStream, type Person, startTestServer, type TestServer } from '../../../../testing/index.ts'
import { type Browser, personWithBrowser } from '../testing.ts'

const odd = `a b/ü "q" '#'?%25.txt`
const stream = importStream([
  {
    message: 'First\n',
    files: [
      ['100644', 'unix.txt', '\none\ntwo </textarea>\n'],
      ['100644', 'dos.txt', 'one\r\ntwo\r\n'],
      ['100644', 'latin.txt', Buffer.from('caf\xe9\n', 'latin1')],
      ['100644', `"${odd.replaceAll('"', '\\"')}"`, 'odd\n'],
    ],
  },
])

let server: TestServer
let owner: Person & { browser: Browser }
let id: string
let browser: Browser
let reader: Browser

beforeAll(async () => {
  server = await startTestServer()
  await server.root.put('/application/settings', { default_branch_protection: 0 })
  owner = await personWithBrowser(server, 'owner')
  const project = await imported(server, owner, 'demo', stream)
  id = String(project.id)
  const reporter = await personWithBrowser(server, 'reporter')
  await server.make.member({ project }, reporter, 20)
  browser = owner.browser
  reader = reporter.browser
})
afterAll(() => server.stop())

const base = '/owner/demo/-'
const contentOf = async (path: string, ref = 'main') =>
  (await owner.get(`/projects/${id}/repository/files/${encodeURIComponent(path)}/raw?ref=${ref}`)).body

/** The value of a field of a page. */
const fieldOf = (html: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''

async function send(path: string, fields: Record<string, string>) {
  const page = `${base}/edit/main/${path.split('/').map(encodeURIComponent).join('/')}`
  const { html } = await browser.get(page)
  const sent = {
    ...{ id, file_path: path, start_branch: 'main', last_commit_id: fieldOf(html, 'last_commit_id') },
    ...{ _lines: fieldOf(html, '_lines'), branch: 'main', commit_message: 'Change', ...fields },
  }
  return browser.send(page, 'files.update', sent, `${base}/blob/{branch}/{file_path}`)
}

describe('editing a file', () => {
  test('shows its text as it is, and those who may not write no button', async () => {
    const { html } = await browser.get(`${base}/edit/main/unix.txt`)
    expect(html).toContain('>\n\none\ntwo &lt;/textarea&gt;\n</textarea>')
    expect((await browser.get(`${base}/blob/main/unix.txt`)).html).toContain(`href="${base}/edit/main/unix.txt"`)
    expect((await reader.get(`${base}/blob/main/unix.txt`)).html).not.toContain('/-/edit/')
  })

  test('keeps the line breaks that the file has', async () => {
    expect((await send('unix.txt', { content: '\r\none\r\n2\r\n' })).location).toBe(`${base}/blob/main/unix.txt`)
    expect(await contentOf('unix.txt')).toBe('\none\n2\n')
    await send('dos.txt', { content: 'one\r\n2\r\n' })
    expect(await contentOf('dos.txt')).toBe('one\r\n2\r\n')
  })

  test('leads to the branch that was named, and to the file whatever its name', async () => {
    const { status, location } = await send(odd, { content: 'new', branch: 'topic/1' })
    expect([status, location]).toEqual([
      303,
      `${base}/blob/topic/1/${odd.split('/').map(encodeURIComponent).join('/')}`,
    ])
    expect((await browser.get(location)).status).toBe(200)
    expect([await contentOf(odd), await contentOf(odd, 'topic/1')]).toEqual(['odd\n', 'new'])
  })

  test('is refused when the file has changed meanwhile, and keeps what was written', async () => {
    const page = `${base}/edit/main/unix.txt`
    const seen = fieldOf((await browser.get(page)).html, 'last_commit_id')
    await send('unix.txt', { content: 'theirs\n' })
    const own = { id, file_path: 'unix.txt', last_commit_id: seen, content: 'mine <b>\n' }
    for (let time = 0; time < 2; time += 1) {
      const { status, html } = await browser.send(page, 'files.update', { ...own, branch: 'main', commit_message: 'x' })
      expect(status).toBe(400)
      expect(html).toContain('mine &lt;b&gt;\n</textarea>')
      expect(html).toContain('has changed since you started editing it')
      expect(fieldOf(html, 'last_commit_id')).toBe(seen)
    }
    expect(await contentOf('unix.txt')).toBe('theirs\n')
  })

  test('is refused on a protected branch', async () => {
    await owner.post(`/projects/${id}/protected_branches`, { name: 'kept', push_access_level: 0 })
    await owner.post(`/projects/${id}/repository/branches`, { branch: 'kept', ref: 'main' })
    const { status, html } = await send('dos.txt', { content: 'x', branch: 'kept', start_branch: 'kept' })
    expect([status, html.includes('You are not allowed to push into this branch')]).toEqual([400, true])
  })

  test('is for text in UTF-8, at branches', async () => {
    expect((await browser.get(`${base}/edit/main/latin.txt`)).status).toBe(400)
    const { body } = await owner.get(`/projects/${id}/repository/commits/main`)
    expect((await browser.get(`${base}/edit/${body.id}/unix.txt`)).status).toBe(400)
  })
})

describe('files', () => {
  test('are written and deleted', async () => {
    const fields = { id, file_path: 'docs/new file.md', content: '# New\r\n', branch: 'main', start_branch: 'main' }
    const page = `${base}/new/main/docs`
    const made = await browser.send(
      page,
      'files.create',
      { ...fields, commit_message: 'Add' },
      `${base}/blob/{branch}/{file_path}`,
    )
    expect(made.location).toBe(`${base}/blob/main/docs/new%20file.md`)
    const again = await browser.send(`${base}/new/main`, 'files.create', { ...fields, commit_message: 'Add' })
    expect([again.status, again.html.includes('A file with this name already exists')]).toEqual([400, true])
    const { html } = await browser.get(`${base}/delete/main/docs/new%20file.md`)
    const removal = { id, file_path: 'docs/new file.md', last_commit_id: fieldOf(html, 'last_commit_id') }
    const gone = await browser.send(
      `${base}/delete/main/docs/new%20file.md`,
      'files.delete',
      { ...removal, branch: 'main', commit_message: 'Away' },
      `${base}/tree/{branch}`,
    )
    expect(gone.location).toBe(`${base}/tree/main`)
    expect((await browser.get(`${base}/blob/main/docs/new%20file.md`)).status).toBe(404)
  })

  test('are uploaded, under their own names in a folder', async () => {
    const bytes = Buffer.from([0, 13, 10, 255])
    const form = new FormData()
    const fields = {
      _operation: 'files.upload',
      _then: `${base}/blob/{branch}/{file_path}`,
      id,
      branch: 'main',
      directory: 'up/loads',
    }
    for (const [name, value] of Object.entries({ ...fields, commit_message: 'Upload' })) form.append(name, value)
    form.append('file', new Blob([bytes]), 'ü#1.bin')
    const { status, location } = await browser.sendForm(`${base}/new/main`, form)
    expect([status, location]).toEqual([303, `${base}/blob/main/up/loads/%C3%BC%231.bin`])
    const found = (
      await owner.get(`/projects/${id}/repository/files/${encodeURIComponent('up/loads/ü#1.bin')}?ref=main`)
    ).body
    expect(found.content).toBe(bytes.toString('base64'))
  })

  test('begin an empty project', async () => {
    const empty = await server.make.project('empty', owner)
    expect((await browser.get('/owner/empty')).html).toContain('href="/owner/empty/-/new/main"')
    expect((await browser.get('/owner/empty/-/new/main')).status).toBe(200)
    const fields = {
      id: String(empty.id),
      file_path: 'README.md',
      content: 'Hello',
      branch: 'main',
      start_branch: 'main',
    }
    const made = await browser.send('/owner/empty/-/new/main', 'files.create', { ...fields, commit_message: 'First' })
    expect(made.status).toBe(303)
    expect((await browser.get('/owner/empty')).html).toContain('Hello')
  })
})
