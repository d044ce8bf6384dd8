/**
 * Attacks on the API: each test is named by a class of vulnerabilities that platforms of this kind have had, and tries it.
 * Those on git are in `security-git.test.ts`, those on access in `security-access.test.ts` and `access-matrix.test.ts`.
 */
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Param } from '../src/api/index.ts'
import { manualClock } from '../src/index.ts'
import { type Answer, type Person, startTestServer, type TestServer } from '../src/testing/index.ts'

const clock = manualClock({ start: '2026-05-05T12:00:00.000Z' })
const password = 'korrekt-horse-9'
let server: TestServer
let owner: Person
const secret: Record<string, number> = {}

beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  const namespace = await server.make.group('hidden-group', owner)
  secret.group = namespace.id
  secret.project = (await server.make.project('hidden-project', owner, { namespace })).id
})
afterAll(() => server.stop())

const short = ({ status, body }: Answer) => ({ status, body })

/** Fails when work takes longer than ten seconds: attacks would take minutes. */
async function timed<T>(work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  expect(performance.now() - start).toBeLessThan(10_000)
  return result
}

/** Sends a request with headers that `fetch` does not allow. */
function raw(
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ headers: string; body: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const request = httpRequest({ hostname, port, path, method, headers }, (response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () => resolve({ headers: response.rawHeaders.join('\n'), body }))
    })
    request.on('error', reject).end()
  })
}

describe('input', () => {
  test('lists and objects are refused where a string is expected (a mail to several addresses)', async () => {
    const texts = server.app.operations.flatMap(({ id, params = {} }) =>
      Object.entries(params as Record<string, Param<unknown>>)
        .filter(([, { schema }]) => schema.type === 'string')
        .map(([name, param]) => ({ where: `${id} ${name}`, param })),
    )
    const taken = texts.filter(({ param }) =>
      [['a'], ['a', 'b'], { a: 'b' }, [[]]].some((value) => param.read(value, 'x', []) !== undefined),
    )
    expect(taken.map(({ where }) => where)).toEqual([])
    expect(texts.length).toBeGreaterThan(100)
    const login = { grant_type: 'password', username: ['owner', 'root'], password }
    expect((await server.anonymous.post('root:/oauth/token', login)).status).toBe(400)
    expect((await server.anonymous.get(`/user?private_token[]=${owner.token}`)).status).toBe(401)
    expect((await owner.post('/user', { private_token: { a: 1 } })).status).toBe(405)
  })

  test('bodies of unauthenticated callers do not stall the server', async () => {
    const json = { headers: { 'Content-Type': 'application/json' } }
    const bombs = [
      '['.repeat(5_000_000),
      `{"name":${'['.repeat(5_000_000)}${']'.repeat(5_000_000)}}`,
      '{"a":'.repeat(1_600_000),
      `{${Array.from({ length: 700_000 }, (_, index) => `"k${index}":1`)}}`,
      `{"topics":[${'1,'.repeat(4_900_000)}1]}`,
    ]
    for (const bomb of bombs) {
      const { status } = await timed(() => server.anonymous.post('/projects', bomb, json))
      expect(status).toBe(400)
    }
    const tooMuch = `{"a":"${'x'.repeat(11 * 1024 * 1024)}"}`
    // The connection may be closed before all is sent.
    const refused = await server.anonymous.post('/projects', tooMuch, json).then(short, () => ({ status: 413 }))
    expect(refused.status).toBe(413)
    for (const form of [`a${'[b]'.repeat(100_000)}=1`, 'a[]=1&'.repeat(1_000_000), 'a=%'.repeat(1_000_000)]) {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      expect((await timed(() => server.anonymous.post('/projects', form, { headers }))).status).toBeGreaterThan(399)
    }
    expect((await server.root.get('/user')).status).toBe(200)
  })

  test('names and patterns are validated in linear time', async () => {
    const hostile = ['a', '-', '_', '.', ' ', '\u200d', '@', '/', 'a-', 'a@', '+.', '*a', '(', '🦊'].map(
      (piece) => `a${piece.repeat(200_000)}\u0001b`,
    )
    for (const text of hostile) {
      await timed(() => owner.post('/projects', { name: text }))
      await timed(() => owner.post('/projects', { name: 'x', path: text, import_url: `http://${text}` }))
      await timed(() => owner.post('/groups', { name: text, path: text }))
      const user = { name: text, username: text, email: `${text}@${text}`, password, website_url: text }
      expect((await timed(() => server.root.post('/users', user))).status).toBe(400)
      await timed(() => owner.post(`/projects/${secret.project}/repository/branches`, { branch: text, ref: text }))
      await timed(() => owner.get('/version', { headers: { Authorization: `Bearer ${' \t'.repeat(7_000)}` } }))
    }
  })

  test('pages have at most a hundred items', async () => {
    for (const size of ['101', '1000000000', '9223372036854775807', '+500']) {
      const { status, headers } = await server.root.get(`/projects?per_page=${encodeURIComponent(size)}`)
      expect({ status, size: headers.get('x-per-page') }).toEqual({ status: 200, size: '100' })
    }
  })
})

describe('paths', () => {
  const tricks = ['..', '../..', '../../etc/passwd', '..\\..', '%2e%2e', 'a\u0000', '/etc/passwd', '.git', '@hashed']
  const names = [...tricks, 'x.git', 'x.atom', '-x', '--upload-pack=x', 'a/../b', 'a/b', 'x\u202e', 'x\ny', '~x', '.']

  test('path parameters do not lead out of their directory', async () => {
    const reads = server.app.operations.filter(({ method, path }) => method === 'GET' && path.includes(':'))
    for (const operation of reads) {
      for (const trick of tricks) {
        const path = operation.path.replace(/:\w+/g, encodeURIComponent(trick))
        const { status, body } = await server.root.get(operation.root ? `root:${path}` : path)
        // Clients resolve `..` themselves, which may lead to a path without this method.
        expect([operation.id, trick, [200, 400, 401, 403, 404, 405].includes(status)]).toEqual([
          operation.id,
          trick,
          true,
        ])
        expect(JSON.stringify(body)).not.toMatch(/root:x?:0|ENOENT|EISDIR|SQLITE|syntax error/)
      }
    }
  })

  test('groups, projects and users cannot be named like paths', async () => {
    for (const name of names) {
      const made = [
        await owner.post('/groups', { name: 'fine', path: name }),
        await owner.post('/projects', { name: 'fine', path: name }),
        await server.root.post('/users', { name: 'Fine', email: 'fine@example.com', username: name, password }),
        await owner.put(`/groups/${secret.group}`, { path: name }),
        await owner.put(`/projects/${secret.project}`, { path: name }),
      ]
      expect([name, made.map(({ status }) => status)]).toEqual([name, [400, 400, 400, 400, 400]])
    }
  })
})

describe('headers', () => {
  test('links and addresses do not depend on the Host header', async () => {
    const poison = {
      'PRIVATE-TOKEN': owner.token,
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'gopher',
      'X-Forwarded-Prefix': '/evil.example',
      Forwarded: 'host=evil.example',
      'X-Original-URL': '/evil.example',
    }
    for (const path of ['/projects?per_page=1', '/user', '/openapi.json', `/groups/${secret.group}`]) {
      const { headers, body } = await raw(`/api/v4${path}`, poison)
      expect(`${headers}${body}`).not.toMatch(/evil\.example|gopher/)
    }
    const absolute = await raw('http://evil.example/api/v4/projects?per_page=1', poison)
    expect(absolute.headers).toContain(`<${server.url}/api/v4/projects?`)
    expect(`${absolute.headers}${absolute.body}`).not.toContain('evil.example')
  })

  test('client addresses are taken from trusted proxies only', async () => {
    const name = { name: 'Far', username: 'far-away', email: 'far@example.com' }
    const { id } = (await server.root.post('/users', { ...name, password })).body
    const headers = { 'X-Forwarded-For': '203.0.113.9', 'X-Real-IP': '203.0.113.9', 'CF-Connecting-IP': '203.0.113.9' }
    const login = { grant_type: 'password', username: 'far-away', password }
    expect((await server.anonymous.post('root:/oauth/token', login, { headers })).status).toBe(200)
    const { body } = await server.root.get(`/users/${id}`)
    expect(body.current_sign_in_ip).toMatch(/127\.0\.0\.1$/)
  })

  test('addresses cannot add headers, or credentials to links', async () => {
    const crlf = '%0d%0aX-Evil:%20yes%0d%0a%0d%0a<script>'
    for (const path of [`/projects?search=${crlf}`, `/projects/a%2F${crlf}`, `/${crlf}`, `/groups?order_by=${crlf}`]) {
      const { headers } = await server.root.get(path)
      expect([path, headers.get('x-evil'), headers.get('x-content-type-options')]).toEqual([path, null, 'nosniff'])
      expect(headers.get('content-type')).toBe('application/json')
    }
    const { headers } = await server.anonymous.get(`/projects?private%5ftoken=${owner.token}&access_token=x&per_page=1`)
    expect(headers.get('link') ?? '').not.toContain(owner.token)
    const unknown = await server.anonymous.get(`/nothing?private_token=${owner.token}`)
    expect(JSON.stringify([unknown.body, [...unknown.headers]])).not.toContain(owner.token)
  })
})

describe('uploads and downloads', () => {
  const form = (content: string, filename: string) => {
    const data = new FormData()
    data.append('avatar', new Blob([content], { type: 'image/png' }), filename)
    return data
  }

  test('images cannot be pages or scripts', async () => {
    const pages = [
      '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
      '<?xml version="1.0"?><svg/>',
      '<!doctype html><script>alert(1)</script>',
      '\ufeff<html>',
      'BM<html><script>alert(1)</script>',
    ]
    for (const content of pages) {
      for (const name of ['x.png', 'x.svg', 'x.html', '../../x.png']) {
        const { status } = await owner.put(`/groups/${secret.group}`, form(content, name))
        expect([content, name, status]).toEqual([content, name, 400])
      }
    }
    const gif = form(`GIF89a<script>alert(1)</script>${' '.repeat(64)}`, '"><script>.html')
    const { body } = await server.root.put(`/users/${owner.id}`, gif)
    const { headers } = await fetch(body.avatar_url)
    expect(headers.get('content-type')).toBe('image/gif')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(body.avatar_url).toMatch(/^[\w:/.-]+\.gif$/)
  })

  test.each([
    'http://127.0.0.1/x',
    'http://127.1/x',
    'http://2130706433/x',
    'http://0x7f000001/x',
    'http://0177.0.0.1/x',
    'http://0/x',
    'http://0.0.0.0/x',
    'http://[::]/x',
    'http://[::1]/x',
    'http://[::ffff:127.0.0.1]/x',
    'http://[::ffff:a9fe:a9fe]/x',
    'http://[64:ff9b::7f00:1]/x',
    'http://[2002:7f00:1::]/x',
    'http://[fd00::1]/x',
    'http://[fe80::1]/x',
    'http://169.254.169.254/latest/meta-data',
    'http://100.64.0.1/x',
    'http://192.168.0.1/x',
    'http://localhost./x',
    'http://LOCALHOST/x',
    'http://a.localhost/x',
    'http://①②⑦.0.0.1/x',
    'https://user:pw@10.0.0.1/x',
    'http://example.com@127.0.0.1/x',
    'git://127.0.0.1/x',
    'git://2130706433/x',
    'git://127.1/x',
    'file:///etc/passwd',
    'ssh://git@127.0.0.1/x',
    'ext::sh -c id',
    'ftp://example.com/x',
    '/etc/passwd',
    '-oProxyCommand=id',
    'http://-x/y',
  ])('imports from internal addresses are refused: %s', async (import_url) => {
    const { status, body } = await owner.post('/projects', {
      name: `import ${import_url.replace(/\W+/g, ' ')}`,
      import_url,
    })
    if (status === 201) {
      await server.app.platform.jobs.drain()
      const { body: project } = await owner.get(`/projects/${body.id}`)
      expect(project.import_status).toBe('failed')
      expect(project.import_error).toMatch(/not allowed|cannot be resolved/)
    } else expect({ status, body }).toMatchObject({ status: 400, body: { message: expect.anything() } })
    expect(JSON.stringify(body)).not.toContain('pw@')
  })
})

// The last one, since it moves the clock by as much as it takes.
test('slow bodies are aborted', async () => {
  const { hostname, port } = new URL(server.url)
  for (const type of ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const socket = connect(Number(port), hostname).on('error', () => {})
    const head = `POST /api/v4/projects HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 1000\r\n\r\n`
    socket.resume().write(`${head}{`)
    const isClosedLater = () => {
      clock.advance(600_000)
      return socket.closed
    }
    await expect.poll(isClosedLater).toBe(true)
  }
  expect((await server.root.get('/version')).status).toBe(200)
})
