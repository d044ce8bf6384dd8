import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Method } from '../operation/operation.ts'
import { t } from '../operation/parameters/params.ts'
import { demoServer, echo, exchange, thrown } from '../testing.ts'
import { buildRouter } from './router.ts'

function route(method: Method, path: string, root = false) {
  return echo({ id: `${method} ${path}`, method, path, root })
}

const router = buildRouter([
  route('GET', '/projects'),
  route('POST', '/projects'),
  route('GET', '/projects/:id'),
  route('DELETE', '/projects/:id'),
  route('GET', '/projects/:id/things/:thing_id'),
  route('PUT', '/projects/:project_id/things/:name'),
  route('GET', '/projects/:id/archive'),
  route('GET', '/projects/:id/archive.:format'),
  route('GET', '/users/current'),
  route('GET', '/users/:id'),
  route('HEAD', '/files/:path'),
  route('GET', '/files/:path'),
  route('GET', '/jwt/auth', true),
  { ...route('GET', '/jobs/:id/files/:path'), spanning: ['path'] },
  route('POST', '/jobs/:id/files/keep'),
  { ...route('GET', '/jobs/files/:ref/download'), spanning: ['ref'] },
  { ...route('GET', '/jobs/files/:ref/raw/:path'), spanning: ['ref', 'path'] },
  { ...route('GET', '/trees/:path/:name'), spanning: ['path'] },
])

function find(method: string, path: string): unknown {
  const match = router.find(method, path)
  if (!match) return undefined
  return match.operation ? [match.operation.id, match.params] : match.allowed
}

describe('a path leads to its operation', () => {
  test.each<[string, string, unknown]>([
    ['GET', '/api/v4/projects', ['GET /projects', {}]],
    ['GET', '/api/v4/projects/', ['GET /projects', {}]],
    ['GET', '/api/v4/projects/5', ['GET /projects/:id', { id: '5' }]],
    ['GET', '/api/v4/projects/5/', ['GET /projects/:id', { id: '5' }]],
    ['HEAD', '/api/v4/projects/5', ['GET /projects/:id', { id: '5' }]],
    ['GET', '/api/v4/jobs/5/files/a/b%2Fc', ['GET /jobs/:id/files/:path', { id: '5', path: 'a/b/c' }]],
    ['GET', '/api/v4/jobs/5/files/keep', ['GET /jobs/:id/files/:path', { id: '5', path: 'keep' }]],
    ['POST', '/api/v4/jobs/5/files/keep', ['POST /jobs/:id/files/keep', { id: '5' }]],
    ['GET', '/api/v4/jobs/files/f/x/download', ['GET /jobs/files/:ref/download', { ref: 'f/x' }]],
    ['GET', '/api/v4/jobs/files/f/x/raw/a/b', ['GET /jobs/files/:ref/raw/:path', { ref: 'f/x', path: 'a/b' }]],
    ['GET', '/api/v4/jobs/files/f/x/other', undefined],
    ['GET', '/api/v4/trees/a/b%2Fc/d', ['GET /trees/:path/:name', { path: 'a/b/c', name: 'd' }]],
    ['GET', '/api/v4/trees/a', undefined],
    ['HEAD', '/api/v4/files/a', ['HEAD /files/:path', { path: 'a' }]],
    ['GET', '/api/v4/users/current', ['GET /users/current', {}]],
    ['GET', '/api/v4/users/current2', ['GET /users/:id', { id: 'current2' }]],
    ['GET', '/api/v4/projects/5/archive', ['GET /projects/:id/archive', { id: '5' }]],
    ['GET', '/api/v4/projects/5/archive.tar.gz', ['GET /projects/:id/archive.:format', { id: '5', format: 'tar.gz' }]],
    ['PUT', '/api/v4/projects/5/things/a', ['PUT /projects/:project_id/things/:name', { project_id: '5', name: 'a' }]],
    ['GET', '/jwt/auth', ['GET /jwt/auth', {}]],
  ])('%s %s', (method, path, expected) => {
    expect(find(method, path)).toEqual(expected)
  })

  test.each([
    ['/api/v4/projects/g%2Fp', 'g/p'],
    ['/api/v4/projects/g%2fp', 'g/p'],
    ['/api/v4/projects/g%252Fp', 'g%2Fp'],
    ['/api/v4/projects/a%3Fb%40c%23d%25e', 'a?b@c#d%e'],
    ['/api/v4/projects/v1.0.json', 'v1.0.json'],
    ['/api/v4/projects/a+b', 'a+b'],
    ['/api/v4/projects/%2E%2E', '..'],
    ['/api/v4/projects/..', '..'],
    ['/api/v4/projects/%C3%A9%F0%9F%A6%8A', 'é🦊'],
    ['/api/v4/projects/__proto__', '__proto__'],
    ['/api/v4/projects/:id', ':id'],
    ['/api/v4/projects/g%2F', 'g/'],
  ])('%s is decoded exactly once', (path, id) => {
    expect(find('GET', path)).toEqual(['GET /projects/:id', { id }])
  })

  test('any text is passed on unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ minLength: 1 }), (id, name) => {
        const path = `/api/v4/projects/${encodeURIComponent(id)}/things/${encodeURIComponent(name)}`
        expect(find('GET', path)).toEqual(['GET /projects/:id/things/:thing_id', { id, thing_id: name }])
      }),
    )
  })
})

describe('no such route', () => {
  test.each([
    '/api/v4/projects/g/p',
    '/api/v4/projects//',
    '/api/v4//projects',
    '/api/v4/projects/5//things/6',
    '/api/v4/projects/5/things/',
    '/api/v4/%70rojects',
    '/api/v4/Projects',
    '/api/v4',
    '/api/v4/',
    '/api/v3/projects',
    '/api/v5/projects',
    '/api/v4/jwt/auth',
    '/projects',
    '/',
    '',
    '/api/v4/projects/5/archive.',
    '/api/v4/constructor',
    '/api/v4/__proto__',
  ])('%s', (path) => {
    expect(find('GET', path)).toBeUndefined()
  })

  test('has its body', async () => {
    await using demo = demoServer([echo()])
    for (const path of ['/api/v4/nothing', '/api/v3/things', '/api/v5/things', '/api/v4/things/a/b', '/nothing', '/']) {
      const answer = await demo.get(path)
      expect([path, answer.statusCode, answer.body]).toEqual([
        path,
        404,
        '{"error":"404 Not Found","message":"404 Not Found"}',
      ])
    }
  })
})

describe('a method that the path does not know', () => {
  test('lists the methods of the path', () => {
    expect(find('PATCH', '/api/v4/projects')).toEqual(['GET', 'HEAD', 'POST', 'OPTIONS'])
    expect(find('POST', '/api/v4/projects/5')).toEqual(['GET', 'HEAD', 'DELETE', 'OPTIONS'])
    expect(find('PATCH', '/api/v4/projects/5/things/6')).toEqual(['GET', 'HEAD', 'PUT', 'OPTIONS'])
  })

  test.each(['PATCH', 'POST', 'DELETE', 'PROPFIND', 'TRACE'])('%s answers 405 with Allow', async (method) => {
    await using demo = demoServer([echo()])
    const port = await demo.listen()
    const answer = await exchange(port, `${method} /api/v4/things HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect([answer.status, answer.headers.allow, answer.body]).toEqual([
      405,
      'GET, HEAD, OPTIONS',
      '{"error":"405 Not Allowed","message":"405 Method Not Allowed"}',
    ])
  })
})

describe('hostile paths', () => {
  test.each(['%', '%4', '%zz', '%ff', '%C3%28', '%ED%A0%80', '%00'])(
    'bytes that are no text are refused: %s',
    async (bytes) => {
      const refused = { status: 400, body: { message: '400 Bad request - invalid URI' } }
      expect(thrown(() => router.find('GET', `/api/v4/projects/${bytes}`))).toEqual(refused)
      await using demo = demoServer([echo({ path: '/things/:id' })])
      const answer = await demo.get(`/api/v4/things/${bytes}`)
      expect([answer.statusCode, answer.body]).toEqual([400, '{"message":"400 Bad request - invalid URI"}'])
      expect(answer.headers).toMatchObject({ 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' })
      expect(answer.headers['x-runtime']).toMatch(/^\d+\.\d{6}$/)
    },
  )

  test('an address with scheme and host, as proxies send it, is the same', async () => {
    await using demo = demoServer([echo()])
    const port = await demo.listen()
    const request = 'GET http://git.example/api/v4/things HTTP/1.1\r\nHost: git.example\r\nConnection: close\r\n\r\n'
    expect((await exchange(port, request)).status).toBe(200)
  })

  test('many segments are no work', () => {
    expect(find('GET', `/api/v4/projects${'/a'.repeat(8_000)}`)).toBeUndefined()
    expect(find('GET', `/api/v4/projects/${'/'.repeat(16_000)}`)).toBeUndefined()
  })
})

test('an operation answers under each of its paths', () => {
  const { find } = buildRouter([{ ...route('GET', '/a/:id'), otherPaths: ['/b/-/:id'] }])
  expect([find('GET', '/api/v4/a/1'), find('GET', '/api/v4/b/-/1')]).toMatchObject([
    { params: { id: '1' } },
    { params: { id: '1' } },
  ])
})

test('two operations cannot have one route', () => {
  expect(() => buildRouter([route('GET', '/a/:id'), route('GET', '/a/:name')])).toThrow('declared twice')
})

test('an invalid number in the path is 404 or form B, as the operation declares', async () => {
  await using demo = demoServer([
    echo({ id: 'one', path: '/one/:id', params: { id: t.id({ otherwise: 'route' }) } }),
    echo({ id: 'two', path: '/two/:id', params: { id: t.id() } }),
  ])
  expect((await demo.get('/api/v4/one/5')).statusCode).toBe(200)
  for (const text of ['x', '5x', '1.5', '5%20']) {
    expect((await demo.get(`/api/v4/one/${text}`)).body).toBe('{"error":"404 Not Found","message":"404 Not Found"}')
    expect((await demo.get(`/api/v4/two/${text}`)).body).toBe(
      '{"message":{"id":["is invalid"]},"error":"id is invalid"}',
    )
  }
})

test('a number in the path that is larger than any id is 404', async () => {
  await using demo = demoServer([
    echo({ id: 'one', path: '/one/:thing_id', params: { thing_id: t.id({ otherwise: 'route' }) } }),
    echo({ id: 'two', path: '/two/:thing_id', params: { thing_id: t.id() } }),
  ])
  for (const id of ['9223372036854775808', '-9223372036854775808', '9'.repeat(100)]) {
    expect([id, (await demo.get(`/api/v4/one/${id}`)).statusCode]).toEqual([id, 404])
    expect([id, (await demo.get(`/api/v4/two/${id}`)).statusCode]).toEqual([id, 404])
  }
})
