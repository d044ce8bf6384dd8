import { describe, expect, test } from 'vitest'
import { type DemoOptions, demoServer, echo } from '../../testing.ts'
import { makeRequestId } from './request-id.ts'

const operations = [
  echo(),
  echo({ id: 'defect', path: '/defect', run: () => Promise.reject(new Error('defect')) }),
  echo({ id: 'root', path: '/jwt/auth', root: true }),
  echo({ id: 'open', path: '/oauth/open', root: true, anyOrigin: true, method: 'POST' }),
]

async function get(path: string, headers = {}, options: DemoOptions = {}) {
  await using demo = demoServer(operations, options)
  return await demo.get(path, headers)
}

describe('every answer', () => {
  test.each(['/api/v4/things', '/api/v4/nothing', '/api/v4/defect', '/api/v4/things?private_token=nope', '/jwt/auth'])(
    'has the headers of the house: %s',
    async (path) => {
      const { headers } = await get(path)
      const id = String(headers['x-request-id'])
      expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
      expect(headers['x-gitlab-meta']).toBe(`{"correlation_id":"${id}","version":"1"}`)
      expect(headers['x-runtime']).toMatch(/^\d+\.\d{6}$/)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'SAMEORIGIN',
        'referrer-policy': 'strict-origin-when-cross-origin',
        'strict-transport-security': 'max-age=63072000',
        vary: 'Origin',
      })
      expect(headers).not.toHaveProperty('server')
      expect(headers).not.toHaveProperty('x-powered-by')
    },
  )

  test.each(['/api/v4/things', '/api/v4/nothing', '/api/v4/defect', '/jwt/auth'])(
    'is JSON without a charset: %s',
    async (path) => {
      expect((await get(path)).headers['content-type']).toBe('application/json')
    },
  )

  test('promises encryption only where there is some', async () => {
    const { headers } = await get('/api/v4/things', {}, { externalUrl: 'http://localhost:8080' })
    expect(headers).not.toHaveProperty('strict-transport-security')
  })

  test('has the caching headers of contract 00', async () => {
    expect((await get('/api/v4/things')).headers['cache-control']).toBe('max-age=0, private, must-revalidate')
    for (const path of ['/api/v4/nothing', '/api/v4/defect', '/api/v4/things?private_token=nope']) {
      expect([path, (await get(path)).headers['cache-control']]).toEqual([path, 'no-cache'])
    }
  })
})

describe('the id of a request', () => {
  test('is generated; one that was sent is only logged', async () => {
    await using demo = demoServer(operations)
    const answer = await demo.get('/api/v4/things', { 'X-Request-Id': 'from-elsewhere' })
    expect(answer.headers['x-request-id']).toHaveLength(26)
    expect(JSON.stringify(answer.headers)).not.toContain('from-elsewhere')
    const line = demo.logged().find(({ msg }) => msg === 'request')
    expect(line?.request_id).toBe(answer.headers['x-request-id'])
    expect(demo.logText()).toContain('from-elsewhere')
  })

  test('is sorted by its time, and random in the rest', () => {
    const zeros = (count: number) => new Uint8Array(count)
    const at = (text: string) => makeRequestId(new Date(text), zeros)
    expect(at('1970-01-01T00:00:00Z')).toBe('0'.repeat(26))
    expect(at('2016-07-30T23:54:10.259Z').slice(0, 10)).toBe('01ARZ3NDEK')
    expect(at('2026-01-02') < at('2026-01-03')).toBe(true)
    const bytes = (count: number) => Uint8Array.from({ length: count }, (_, index) => 255 - index)
    expect(makeRequestId(new Date(0), bytes)).toBe('0000000000ZYXWVTSRQPNMKJHG')
  })

  test('is another one each time', async () => {
    await using demo = demoServer(operations)
    const answers = await Promise.all(Array.from({ length: 50 }, () => demo.get('/api/v4/things')))
    expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(50)
  })
})

describe('pages of other origins', () => {
  const exposed =
    'Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, X-Prev-Page, X-Request-Id, ETag, Retry-After, ' +
    'RateLimit-Limit, RateLimit-Name, RateLimit-Observed, RateLimit-Remaining, RateLimit-Reset, RateLimit-ResetTime, ' +
    'X-Gitlab-Blob-Id, X-Gitlab-Commit-Id, X-Gitlab-Content-Sha256, X-Gitlab-Encoding, X-Gitlab-File-Name, ' +
    'X-Gitlab-File-Path, X-Gitlab-Last-Commit-Id, X-Gitlab-Ref, X-Gitlab-Size'

  test.each([
    '/api/v4/things',
    '/api/v4/nothing',
    '/api/v3/things',
    '/api/v4/defect',
    '/api/v4/things?private_token=nope',
  ])('may read every answer of the API: %s', async (path) => {
    for (const headers of [{}, { Origin: 'https://other.example' }, { Origin: 'null' }]) {
      const answer = await get(path, headers)
      expect(answer.headers['access-control-allow-origin']).toBe('*')
      expect(answer.headers['access-control-expose-headers']).toBe(exposed)
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
    }
  })

  test('cannot read paths outside /api', async () => {
    expect((await get('/jwt/auth')).headers).not.toHaveProperty('access-control-allow-origin')
    await using demo = demoServer(operations)
    const preflight = await demo.send('OPTIONS', '/jwt/auth', undefined, {
      Origin: 'https://other.example',
      'Access-Control-Request-Method': 'GET',
    })
    expect(preflight.headers).not.toHaveProperty('access-control-allow-origin')
  })

  test('may read those that are for clients of OAuth', async () => {
    await using demo = demoServer(operations)
    const from = { Origin: 'https://other.example' }
    expect((await demo.send('POST', '/oauth/open', undefined, from)).headers['access-control-allow-origin']).toBe('*')
    const preflight = await demo.send('OPTIONS', '/oauth/open', undefined, {
      ...from,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    })
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization',
    })
    expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials')
    const other = { ...from, 'Access-Control-Request-Method': 'PUT' }
    const refused = await demo.send('OPTIONS', '/oauth/open', undefined, other)
    expect(refused.headers).not.toHaveProperty('access-control-allow-origin')
  })

  test.each(['/api/v4/things', '/api/v4/nothing', '/api/v4/'])('ask before, and are allowed: %s', async (path) => {
    await using demo = demoServer(operations, { throttle: () => Promise.reject(new Error('not to be asked')) })
    const answer = await demo.send('OPTIONS', path, undefined, {
      Origin: 'https://other.example',
      'Access-Control-Request-Method': 'DELETE',
      'Access-Control-Request-Headers': 'private-token, x-other',
    })
    expect([answer.statusCode, answer.body]).toEqual([200, ''])
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'private-token, x-other',
      'access-control-max-age': '7200',
    })
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
    expect(String(answer.headers['access-control-allow-methods']).split(', ')).toEqual(
      expect.arrayContaining(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
    )
  })
})
