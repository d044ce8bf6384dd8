import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { type Registry, registryOf } from './testing.ts'

let server: TestServer
let registry: Registry
beforeAll(async () => {
  server = await startTestServer()
  registry = registryOf(server)
})
afterAll(() => server.stop())

const realm = () => `Bearer realm="${server.url}/jwt/auth",service="container_registry"`

describe('the version check', () => {
  test('accepts any token, with and without the final slash', async () => {
    for (const path of ['/v2/', '/v2', '/v2/?a=b']) {
      const { status, body, headers } = await registry.send('GET', path, { scope: [] })
      expect([status, body]).toEqual([200, {}])
      expect(headers.get('docker-distribution-api-version')).toBe('registry/2.0')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-type')).toBe('application/json')
    }
    const head = await registry.send('HEAD', '/v2/', { scope: [] })
    expect([head.status, head.body, head.headers.get('content-length')]).toEqual([200, '', '2'])
  })

  test('challenges without a token, with a bad one, and with a password', async () => {
    const body = { errors: [{ code: 'UNAUTHORIZED', message: 'authentication required' }] }
    const missing = await registry.send('GET', '/v2/')
    expect([missing.status, missing.body]).toEqual([401, body])
    expect(missing.headers.get('www-authenticate')).toBe(realm())
    expect(missing.headers.get('docker-distribution-api-version')).toBe('registry/2.0')
    const basic = await registry.send('GET', '/v2/', { headers: { Authorization: 'Basic cm9vdDpyb290' } })
    expect([basic.status, basic.headers.get('www-authenticate')]).toEqual([401, realm()])
    const bad = await registry.send('GET', '/v2/', { headers: { Authorization: 'Bearer a.b.c' } })
    expect([bad.status, bad.headers.get('www-authenticate')]).toEqual([401, `${realm()},error="invalid_token"`])
    const head = await registry.send('HEAD', '/v2/')
    expect([head.status, head.body, head.headers.get('www-authenticate')]).toEqual([401, '', realm()])
  })
})

describe('other paths', () => {
  test('are 404 without a body', async () => {
    for (const path of ['/v2/x', '/v2/g/p', '/v2/g/p.git/info/refs?service=git-upload-pack', '/v2/%zz', '/v2/%00']) {
      const { status, body, headers } = await registry.send('GET', path, { scope: [] })
      expect([path, status, body]).toEqual([path, 404, ''])
      expect(headers.get('docker-distribution-api-version')).toBe('registry/2.0')
    }
  })

  test('that only begin alike are not of the registry', async () => {
    const { status, headers } = await registry.send('GET', '/v2x/')
    expect([status, headers.get('docker-distribution-api-version')]).toEqual([404, null])
  })
})

describe('another method', () => {
  test('is 405 and names those that exist', async () => {
    const { status, body, headers } = await registry.send('POST', '/v2/', { scope: [], body: 'x' })
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(body).toEqual({ errors: [{ code: 'UNSUPPORTED', message: 'The operation is unsupported.' }] })
  })
})

describe('a throttle', () => {
  test('answers in the form of the registry', async () => {
    // The clock stands still, so that no window ends during the test.
    await using still = await startTestServer({ clock: manualClock({ start: '2026-01-02T03:04:05Z' }) })
    const { send } = registryOf(still)
    await still.root.put('/application/settings', {
      throttle_authenticated_api_enabled: true,
      throttle_authenticated_api_requests_per_period: 1,
      throttle_authenticated_api_period_in_seconds: 3600,
    })
    const first = await send('GET', '/v2/', { scope: [] })
    expect([first.status, first.headers.get('ratelimit-remaining')]).toEqual([200, '0'])
    const second = await send('GET', '/v2/', { scope: [] })
    expect([second.status, Number(second.headers.get('retry-after'))]).toEqual([429, 3355])
    expect(second.body).toEqual({ errors: [{ code: 'TOOMANYREQUESTS', message: 'too many requests' }] })
    expect((await send('GET', '/v2/')).status).toBe(401)
  })
})

describe('the names of images', () => {
  test('begin with the host of the registry', async () => {
    const settings = { FENNEC_REGISTRY_URL: 'https://images.example:5050/' }
    await using other = await startTestServer({ settings })
    const owner = await other.user('owner')
    await other.make.project('Web', owner)
    const prefix = async () => (await owner.get('/projects/owner%2FWeb')).body.container_registry_image_prefix
    expect(await prefix()).toBe('images.example:5050/owner/web')
    other.app.platform.config.registryUrl = 'https://images.example:443'
    expect(await prefix()).toBe('images.example/owner/web')
    other.app.platform.config.registryUrl = undefined
    expect(await prefix()).toBe(`${new URL(other.url).host}/owner/web`)
    other.app.platform.config.registryEnabled = false
    expect(await prefix()).toBeUndefined()
  })
})

describe('a listener of its own', () => {
  test('serves the registry and its tokens, and nothing else', async () => {
    await using other = await startTestServer({ settings: { FENNEC_REGISTRY_LISTEN: '127.0.0.1:0' } })
    const url = `http://127.0.0.1:${other.app.registry?.port}`
    const status = async (path: string, base = url) => (await fetch(`${base}${path}`)).status
    const challenged = await fetch(`${url}/v2/`)
    expect([challenged.status, challenged.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="${other.url}/jwt/auth",service="container_registry"`,
    ])
    expect([await status('/v2'), await status('/v2x'), await status('/jwt/other')]).toEqual([401, 404, 404])
    expect(await status('/jwt/auth?service=container_registry')).toBe(403)
    for (const path of ['/', '/api/v4/version', '/-/health', '/owner/p.git/info/refs?service=git-upload-pack']) {
      expect([path, await status(path)]).toEqual([path, 404])
    }
    const main = [await status('/v2/', other.url), await status('/-/health', other.url)]
    expect([...main, other.app.registry?.port !== Number(new URL(other.url).port)]).toEqual([401, 200, true])
  })
})

describe('a registry that is switched off', () => {
  test('answers every path with 404', async () => {
    await using other = await startTestServer({ settings: { FENNEC_REGISTRY: 'off' } })
    for (const [method, path] of [
      ['GET', '/v2/'],
      ['GET', '/v2/g/p/tags/list'],
      ['POST', '/v2/g/p/blobs/uploads/'],
    ] as const) {
      const { status, body } = await registryOf(other).send(method, path, { scope: [] })
      expect([method, path, status, body]).toEqual([method, path, 404, ''])
    }
  })
})
