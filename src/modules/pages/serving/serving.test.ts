import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  makePeople,
  type People,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { publish as publishCode } from '../../enterprise-users/testing.ts'
import { publishFor, visit } from '../testing.ts'

let server: TestServer
let people: People
let place: ProjectWithMembers
/** Address of the public site. */
let site: string
let api: string
const rules = ['/old /new.html', '/a/* /b/:splat 302', '/u/:name /users/:name 301', '/app/* /index.html 200']
const evil = [
  '/x //evil.example',
  '/y javascript:alert(1)',
  '/z https://evil.example:99999/',
  '/*/b /c',
  '/far/* https://far.example/:splat',
]
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  place = await projectWithMembers(server, { people, path: 'served', visibility: 'public' })
  api = `/projects/${place.project.id}`
  await people.owner.put(api, { pages_access_level: 'public' })
  await publishFor(server, place.project.id, {
    archive: {
      'public/index.html': '<h1>home</h1>',
      'public/sub/index.html': 'sub',
      'public/about.html': 'about',
      'public/404.html': 'own 404',
      'public/data.bin': '0123456789',
      'public/empty.txt': '',
      'public/a b/ü.txt': 'odd name',
      'public/app.js': 'plain',
      'public/app.js.br': brotliCompressSync('plain').toString('latin1'),
      'public/_redirects': [...rules, ...evil].join('\n'),
      'public/api/v4/version': 'of the site',
      'secret.txt': 'not published',
    },
    userId: people.owner.id,
  })
  site = (await people.maintainer.get(`${api}/pages`)).body.url
})
afterAll(() => server.stop())

const get = (path: string, headers = {}) => visit(server, `${site}${path}`, { headers })

describe('a public site', () => {
  test.each([
    ['/', 200, '<h1>home</h1>', 'text/html; charset=utf-8'],
    ['/sub/', 200, 'sub', 'text/html; charset=utf-8'],
    ['/about', 200, 'about', 'text/html; charset=utf-8'],
    ['/about.html?x=1', 200, 'about', 'text/html; charset=utf-8'],
    ['/a%20b/%C3%BC.txt', 200, 'odd name', 'text/plain; charset=utf-8'],
    ['/data.bin', 200, '0123456789', 'application/octet-stream'],
    ['/empty.txt', 200, '', 'text/plain; charset=utf-8'],
    ['/none', 404, 'own 404', 'text/html; charset=utf-8'],
    ['/../secret.txt', 404, 'own 404', 'text/html; charset=utf-8'],
    ['/%2e%2e/secret.txt', 404, 'own 404', 'text/html; charset=utf-8'],
    ['/sub/..%2f..%2f..%2fabout', 200, 'about', 'text/html; charset=utf-8'],
    ['/app/anything/else', 200, '<h1>home</h1>', 'text/html; charset=utf-8'],
  ])('answers %s with %i', async (path, status, body, type) => {
    const answer = await get(path)
    expect([answer.status, answer.body, answer.headers['content-type']]).toEqual([status, body, type])
  })

  test.each(['/%', '/%c0%af', '/a%00b', '/a%5cb'])('refuses %s', async (path) => {
    expect((await get(path)).status).toBe(400)
  })

  test.each([
    ['/sub', 302, '/sub/'],
    ['/old', 301, '/new.html'],
    ['/a/x/y', 302, '/b/x/y'],
    ['/a//evil.example', 302, '/b/evil.example'],
    ['/u/%2F%2Fevil.example', 301, '/users/evil.example'],
    ['/u/a%0d%0ab', 301, '/users/a%0D%0Ab'],
    ['/x', 404, undefined],
    ['/y', 404, undefined],
    ['/z', 404, undefined],
    ['/far/a/b', 301, 'https://far.example/a/b'],
    ['//evil.example/sub', 404, undefined],
  ])('leads from %s', async (path, status, to) => {
    const { status: found, headers } = await get(path)
    expect([found, headers.location]).toEqual([status, to])
  })

  test('describes its rules', async () => {
    const { status, body } = await get('/_redirects')
    expect([status, body.split('\n')[0]]).toEqual([200, '9 rules, 5 of them valid'])
    expect(body).toContain('its target is no path: /x //evil.example')
  })

  test('has headers of its own, and none of the server', async () => {
    const { headers } = await get('/')
    expect(headers).toMatchObject({
      ...{ 'x-content-type-options': 'nosniff', 'cache-control': 'max-age=600', vary: 'Accept-Encoding' },
      ...{ 'access-control-allow-origin': '*', 'accept-ranges': 'bytes', etag: expect.stringMatching(/^"[\w-]{22}"$/) },
      'last-modified': expect.any(String),
    })
    for (const name of ['set-cookie', 'x-gitlab-meta', 'x-runtime', 'x-request-id', 'link']) {
      expect([name, headers[name]]).toEqual([name, undefined])
    }
  })

  test('sends ranges, and nothing to who has it', async () => {
    const part = await get('/data.bin', { Range: 'bytes=2-4' })
    expect([part.status, part.body, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10'])
    expect((await get('/data.bin', { Range: 'bytes=-3' })).body).toBe('789')
    expect((await get('/data.bin', { Range: 'bytes=20-' })).status).toBe(416)
    const { etag = '' } = part.headers
    const same = await get('/data.bin', { 'If-None-Match': etag })
    expect([same.status, same.body]).toEqual([304, ''])
    const { 'last-modified': modified = '' } = part.headers
    const earlier = new Date(Date.parse(modified) - 1000).toUTCString()
    const statusSince = async (since: string, more = {}) =>
      (await get('/data.bin', { 'If-Modified-Since': since, ...more })).status
    expect([await statusSince(modified), await statusSince(earlier), await statusSince('x')]).toEqual([304, 200, 200])
    expect(await statusSince(modified, { 'If-None-Match': '"other"' })).toBe(200)
    expect((await get('/data.bin', { Range: 'bytes=2-4', 'If-Range': '"other"' })).body).toBe('0123456789')
    const head = await visit(server, `${site}/data.bin`, { method: 'HEAD' })
    expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', '10'])
  })

  test('sends what is compressed already where the client takes it', async () => {
    const plain = await get('/app.js')
    expect([plain.headers['content-encoding'], plain.body]).toEqual([undefined, 'plain'])
    const small = await get('/app.js', { 'Accept-Encoding': 'gzip, br' })
    expect([small.headers['content-encoding'], small.headers['content-type']]).toEqual([
      'br',
      'text/javascript; charset=utf-8',
    ])
    expect(small.headers.etag).not.toBe(plain.headers.etag)
    expect((await get('/app.js', { 'Accept-Encoding': 'br;q=0' })).headers['content-encoding']).toBeUndefined()
  })

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('takes no %s', async (method) => {
    const answer = await visit(server, `${site}/`, { method })
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD'])
  })
})

describe('the hosts of sites and the server', () => {
  test('have nothing of each other', async () => {
    const token = { 'PRIVATE-TOKEN': people.owner.token }
    const own = await get('/api/v4/version', token)
    expect([own.status, own.body]).toEqual([200, 'of the site'])
    for (const path of [
      '/api/v4/user',
      '/users/sign_in',
      '/-/health',
      '/-/metrics',
      '/v2/',
      '/explore',
      '/docs/',
      `/${place.path}.git/info/refs?service=git-upload-pack`,
      '/-/pages/sign_in',
    ]) {
      const answer = await get(path, token)
      expect([path, answer.status, answer.body]).toEqual([path, 404, 'own 404'])
    }
    const { origin } = new URL(server.url)
    expect((await fetch(`${origin}/about.html`)).status).not.toBe(200)
    expect((await fetch(`${origin}/-/pages/session`)).status).toBe(404)
  })

  test('are told apart whatever a request says of itself', async () => {
    const own = new URL(server.url).host
    for (const host of [
      site.replace('http://', ''),
      site.replace('http://', '').toUpperCase(),
      `${site.replace('http://', '').replace(/:\d+$/, '')}.`,
    ]) {
      const answer = await visit(server, `http://${host}/api/v4/user`, {
        headers: { 'X-Forwarded-Host': own, Forwarded: `host=${own}`, 'PRIVATE-TOKEN': people.owner.token },
      })
      expect([host, answer.status, answer.body]).toEqual([host, 404, 'own 404'])
    }
    const answer = await visit(server, `${server.url}/api/v4/version`, {
      headers: { 'X-Forwarded-Host': new URL(site).host },
    })
    expect(answer.status).toBe(401)
  })

  test('the host of Pages itself has a page that says nothing', async () => {
    const { port } = new URL(server.url)
    const answer = await visit(server, `http://pages.localhost:${port}/api/v4/user`)
    expect([answer.status, answer.body]).toEqual([404, expect.stringContaining('Page not found')])
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
  })
})

describe('a site below the host of its namespace', () => {
  test('is at its path, and leads to its own host when it has one', async () => {
    const { port } = new URL(server.url)
    const host = `http://${people.owner.username}.pages.localhost:${port}`
    const led = await visit(server, `${host}/served/sub/?a=1`)
    expect([led.status, led.headers.location]).toEqual([308, `${site}/sub/?a=1`])
    await people.maintainer.patch(`${api}/pages`, { pages_unique_domain_enabled: false })
    expect((await visit(server, `${host}/served/about`)).body).toBe('about')
    expect((await visit(server, `${host}/SERVED/about`)).body).toBe('about')
    const folder = await visit(server, `${host}/served`)
    expect([folder.status, folder.headers.location]).toEqual([302, '/served/'])
    expect((await visit(server, `${host}/served/old`)).headers.location).toBe('/served/new.html')
    expect((await visit(server, `${site}/about`)).status).toBe(401)
    await people.maintainer.patch(`${api}/pages`, { pages_unique_domain_enabled: true })
  })

  test('a site with a prefix is beside the main one', async () => {
    const archive = { 'public/index.html': 'review' }
    await publishFor(server, place.project.id, { archive, pages: { pathPrefix: 'mr-1' }, userId: people.owner.id })
    expect((await get('/mr-1/')).body).toBe('review')
    const folder = await get('/mr-1')
    expect([folder.status, folder.headers.location]).toEqual([302, '/mr-1/'])
    expect((await get('/about')).body).toBe('about')
  })
})

test('a verified domain has the site, and the others lead to it when it is the primary one', async () => {
  const { port } = new URL(server.url)
  const domain = 'docs.custom.test'
  const at = `http://${domain}:${port}`
  expect((await people.maintainer.post(`${api}/pages/domains`, { domain })).status).toBe(201)
  expect((await visit(server, `${at}/about`)).body).not.toBe('about')
  const { body } = await people.maintainer.get(`${api}/pages/domains/${domain}`)
  publishCode(server, domain, body.verification_code)
  expect((await people.maintainer.put(`${api}/pages/domains/${domain}/verify`)).status).toBe(200)
  expect((await visit(server, `${at}/about`)).body).toBe('about')
  expect((await visit(server, `${at}/api/v4/user`)).body).toBe('own 404')
  expect((await get('/about')).status).toBe(200)
  expect((await people.maintainer.patch(`${api}/pages`, { pages_primary_domain: domain })).body.primary_domain).toBe(
    domain,
  )
  const led = await get('/sub/?q=1')
  expect([led.status, led.headers.location]).toEqual([308, `${at}/sub/?q=1`])
  expect((await people.maintainer.delete(`${api}/pages/domains/${domain}`)).status).toBe(204)
  expect((await get('/about')).body).toBe('about')
  expect((await visit(server, `${at}/about`)).body).not.toBe('about')
})

test('a site that is only for https leads there', async () => {
  await people.maintainer.patch(`${api}/pages`, { pages_https_only: true })
  const { status, headers } = await get('/about?x=1')
  expect([status, headers.location]).toEqual([307, `https://${new URL(site).hostname}/about?x=1`])
  await people.maintainer.patch(`${api}/pages`, { pages_https_only: false })
})
