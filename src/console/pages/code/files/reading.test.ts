import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ImportedFile,
  imported,
  importStream,
  type Person,
  startTestServer,
  type TestServer,
} from '../../../../testing/index.ts'
import { type Browser, linksIn, personWithBrowser, visitorOf } from '../testing.ts'

const elsewhere = 'f'.repeat(40)
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`
const script = '<script>alert(1)</script>'
const odd = [
  'a b/ü "quoted" \'#\'.txt',
  '<img src=x onerror=alert(1)>.txt',
  '50%25 off?#1&x=1.txt',
  'new.git/x',
  '-dash',
  '👻.md',
]

const readme = `# Hello ${script}

[bad](javascript:alert(1)) [file](docs/guide.md#top) [odd](<docs/a b.md>) [out](../../../../etc) [web](https://example.com/)
![picture](logo.png)

| a |
|--:|
| 1 |
`
const quoted = (path: string) => `"${path.replace(/[\\"]/g, '\\$&')}"`
const files: ImportedFile[] = [
  ['100644', 'README.md', readme],
  ['100644', 'docs/guide.md', `[up](../README.md) [root](/src/app.ts) ${script}\n`],
  ['100755', 'src/app.ts', `const one = 1\nconst two = \`\nlines \${one}\`\n`],
  ['100644', 'page.html', `<!doctype html>${script}`],
  ['100644', 'picture.svg', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`],
  ['100644', 'logo.png', Buffer.from('89504e470d0a1a0a0000', 'hex')],
  ['100644', 'data.bin', Buffer.from([0, 1, 2, 255])],
  ['100644', 'long.txt', 'line\n'.repeat(20_100)],
  ['100644', 'empty', ''],
  ['120000', 'link', '../../etc/passwd'],
  ['100644', '.gitmodules', '[submodule "m"]\n\tpath = module\n\turl = https://example.com/m.git\n'],
  ['160000', 'module', elsewhere],
  ...odd.map((path): ImportedFile => ['100644', quoted(path), `of ${script}\n`]),
]
const lines = (text: string) => Array.from({ length: 4_000 }, (_, index) => `${text} ${index}\n`).join('')
const stream = importStream([
  { message: `First ${script}\n\nBody ${script}\n`, files },
  {
    message: 'Second\n',
    files: [
      ['100644', 'src/app.ts', `const one = 2\nconst two = \`\nlines \${one}\`\n`],
      ['100644', 'big.txt', lines('a')],
    ],
  },
  { message: 'Side\n', files: [['100644', 'side.txt', 'side\n']], branch: 'feature/x' },
])

let server: TestServer
let owner: Person
const browsers: Record<'owner' | 'guest' | 'outsider' | 'anonymous', Browser> = {} as never

beforeAll(async () => {
  server = await startTestServer()
  const [first, guest, outsider] = await Promise.all(
    ['owner', 'guest', 'outsider'].map((username) => personWithBrowser(server, username)),
  )
  if (!first || !guest || !outsider) throw new Error('a person is missing')
  owner = first
  await server.root.put('/application/settings', { default_branch_protection: 0 })
  const closed = await imported(server, owner, 'closed', stream, { refs: ['main~1:refs/tags/v1'] })
  await server.make.member({ project: closed }, guest, 10)
  await owner.put(`/projects/${closed.id}`, { lfs_enabled: false })
  const change = { branch: 'feature/x', commit_message: 'Point', content: pointer }
  await owner.post(`/projects/${closed.id}/repository/files/model.bin`, change)
  await imported(server, owner, 'open', stream, { visibility: 'public', refs: ['main~1:refs/tags/v1'] })
  await server.make.project('empty', owner)
  Object.assign(browsers, {
    owner: first.browser,
    guest: guest.browser,
    outsider: outsider.browser,
    anonymous: visitorOf(server),
  })
})
afterAll(() => server.stop())

const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/')
const paths = files.filter(([mode]) => mode !== '160000').map(([, path]) => path)
const pages = [
  '',
  ...['/-/tree/main', '/-/tree/main/docs', '/-/tree/feature/x', '/-/tree/main/docs/', '/-/tree/v1'],
  ...[
    '/-/commits/main',
    '/-/commits/main/src/app.ts',
    '/-/commit/main',
    '/-/commit/v1',
    '/-/commit/main?view=split&page=2',
  ],
  ...['/-/blame/main/src/app.ts', '/-/blame/main/long.txt?page=2', '/-/blame/main/data.bin'],
  ...['/-/compare', '/-/compare/v1...main', '/-/compare/v1...feature/x?view=split', '/-/compare/main...main'],
  ...['/-/branches', '/-/tags', '/-/tags/v1', '/-/graphs/main', '/-/find_file/main'],
  ...[...paths.slice(0, -odd.length), ...odd].map((path) => `/-/blob/main/${encoded(path)}`),
]

describe('pages about code', () => {
  test.each(pages)('%s', async (page) => {
    const { status, html, headers } = await browsers.owner.get(`/owner/closed${page}`)
    expect(status).toBe(200)
    expect(headers.get('content-security-policy')).toContain("script-src 'self'")
    // Text of users is no element, and no address leads to a script.
    expect(html).not.toMatch(/<script>|<img src=x|\sonerror=alert\(1\)[^&]*>(?!\.txt)|href="javascript:/i)
    expect((await browsers.anonymous.get(`/owner/open${page}`)).status).toBe(200)
    expect((await browsers.outsider.get(`/owner/closed${page}`)).status).toBe(404)
    const { location } = await browsers.anonymous.get(`/owner/closed${page}`)
    expect(location).toMatch(/^\/users\/sign_in\?/)
    if (page !== '') expect((await browsers.guest.get(`/owner/closed${page}`)).status).toBe(403)
  })

  test('guests of a private project see that the code is for members', async () => {
    const { status, html } = await browsers.guest.get('/owner/closed')
    expect([status, html.includes('docs')]).toEqual([200, false])
  })

  test('a project without files says how to begin', async () => {
    expect((await browsers.owner.get('/owner/empty')).html).toContain('git remote add origin')
    for (const page of ['tree/main', 'blob/main/x', 'commits/main', 'commit/x', 'compare/a...b', 'tags/x']) {
      expect([page, (await browsers.owner.get(`/owner/empty/-/${page}`)).status]).toEqual([page, 404])
    }
  })

  test('links lead to pages of the project that exist', async () => {
    const seen = new Set(['/owner/open'])
    const queue = [...seen]
    for (let path = queue.shift(); path !== undefined && seen.size < 250; path = queue.shift()) {
      const got = await browsers.anonymous.get(path)
      expect([path, got.status < 400]).toEqual([path, true])
      if (!got.headers.get('content-type')?.startsWith('text/html')) continue
      for (const link of linksIn(got.html)) {
        const { pathname, search } = new URL(link, `http://host${path}`)
        const next = pathname + search
        if (
          !/^\/owner\/open\/-\/(tree|blob|raw|blame|commits?|compare|branches|tags|graphs|download|find_file)\b/.test(
            next,
          )
        )
          continue
        // The README links to a folder that is not there.
        if (seen.has(next) || next.endsWith('/etc') || next.endsWith('a%20b.md')) continue
        seen.add(next)
        queue.push(next)
      }
    }
    expect(seen.size).toBeGreaterThan(60)
  }, 60_000)
})

describe('a file', () => {
  const file = async (path: string) => (await browsers.owner.get(`/owner/closed/-/blob/main/${path}`)).html

  test('has colours, numbers of lines, and elements that end with their lines', async () => {
    const html = await file('src/app.ts')
    expect(html).toContain(
      '<tr id="L1"><td class="no" data-line="1"></td><td class="line"><span class="hljs-keyword">const',
    )
    for (const [line = ''] of html.matchAll(/<td class="line">.*?<\/td>/g)) {
      expect(line.split('<span').length).toBe(line.split('</span>').length)
    }
  })

  test('is cut when it is long', async () => {
    const html = await file('long.txt')
    expect(html).toContain('Only the beginning is shown.')
    expect([html.includes('id="L20000"'), html.includes('id="L20001"')]).toEqual([true, false])
  })

  test('that is no text says what it is', async () => {
    expect(await file('data.bin')).toContain('A binary file.')
    const { html } = await browsers.owner.get('/owner/closed/-/blob/feature/x/model.bin')
    expect(html).toContain('Stored with git LFS.')
    expect(html).toContain('12.1 KiB with git LFS<')
    expect(await file('logo.png')).toContain('<img src="/owner/closed/-/raw/main/logo.png"')
    expect(await file('picture.svg')).toContain('<img src="/owner/closed/-/raw/main/picture.svg"')
    expect((await browsers.owner.get('/owner/closed')).html).toContain('<a href="https://example.com/m">module</a>')
  })

  test('of Markdown is rendered, with links to the files beside it', async () => {
    const links = linksIn((await browsers.owner.get('/owner/closed')).html)
    for (const link of [
      'blob/main/docs/guide.md#top',
      'blob/main/docs/a%20b.md',
      'raw/main/logo.png',
      'blob/main/etc',
    ]) {
      expect(links).toContain(`/owner/closed/-/${link}`)
    }
    expect(linksIn(await file('docs/guide.md'))).toContain('/owner/closed/-/blob/main/src/app.ts')
  })

  test.each([
    ['page.html', 'text/plain; charset=utf-8', /^inline/],
    ['picture.svg', 'image/svg+xml', /^attachment/],
    ['logo.png', 'image/png', /^inline/],
    ['data.bin', 'application/octet-stream', /^attachment/],
  ])('%s runs nothing as raw bytes', async (path, type, disposition) => {
    const { status, headers } = await browsers.owner.get(`/owner/closed/-/raw/main/${path}`)
    expect([status, headers.get('content-type')]).toEqual([200, type])
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-disposition')).toMatch(disposition)
  })
})

describe('changes', () => {
  test('are shown side by side, in pages of lines, with the words that changed', async () => {
    const first = (await browsers.owner.get('/owner/closed/-/commit/main')).html
    expect(first).toContain('Page 1 of 2')
    // Long changes are closed at first.
    expect(first).toMatch(/<details class="diff" id="file-1"><summary><code>big\.txt/)
    expect(first.match(/<tr class="add">/g)?.length).toBeLessThanOrEqual(3_000)
    const html = (await browsers.owner.get('/owner/closed/-/commit/main?page=2')).html
    expect(html).toContain('<details class="diff" id="file-2" open>')
    expect(first + html).toMatch(/<mark><span|<mark>2<\/mark>/)
    expect((first + html).match(/<tr class="add">/g)?.length).toBe(4_001)
    expect((await browsers.owner.get('/owner/closed/-/commit/main?view=split')).html).toContain('<table class="split">')
  })
})

describe('forms', () => {
  test('make and delete branches and tags', async () => {
    const { owner: browser } = browsers
    const base = '/owner/closed/-'
    const made = await browser.send(`${base}/branches`, 'branches.create', {
      id: 'owner/closed',
      branch: 'b/1',
      ref: 'main',
    })
    expect([made.status, made.location]).toEqual([303, `${base}/branches`])
    const refused = await browser.send(`${base}/branches`, 'branches.create', {
      id: 'owner/closed',
      branch: 'a b',
      ref: 'main',
    })
    expect([refused.status, refused.html.includes('value="a b"')]).toEqual([400, true])
    await browser.send(`${base}/tags`, 'tags.create', {
      id: 'owner/closed',
      tag_name: 't1',
      ref: 'b/1',
      message: 'one',
    })
    expect((await browser.get(`${base}/tags/t1`)).html).toContain('one')
    expect((await browser.send(`${base}/tags/t1`, 'tags.delete', { id: 'owner/closed', tag_name: 't1' })).status).toBe(
      303,
    )
    expect((await browser.get(`${base}/tags/t1`)).status).toBe(404)
    await browser.send(`${base}/branches`, 'branches.protect', { id: 'owner/closed', branch: 'b/1' })
    expect((await browser.get(`${base}/branches?search=b/1`)).html).toContain('Unprotect')
    await browser.send(`${base}/branches`, 'branches.unprotect', { id: 'owner/closed', branch: 'b/1' })
    await browser.send(`${base}/branches`, 'branches.delete', { id: 'owner/closed', branch: 'b/1' })
    expect((await browser.get(`${base}/tree/b/1`)).status).toBe(404)
    const other = await browser.send(`${base}/branches`, 'tags.delete', { id: 'owner/closed', tag_name: 'v1' })
    expect(other.status).toBe(404)
  })
})
