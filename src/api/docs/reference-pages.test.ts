import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { demoServer, exchange } from '../testing.ts'
import { createDocs } from './reference-pages.ts'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

test('the page has no inline code and no external files, and its files exist', async () => {
  await using demo = demoServer([], { services: [createDocs()] })
  const page = await demo.get('/docs')
  expect(page.statusCode).toBe(200)
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=3600',
  })
  expect(page.body).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=|https?:|\/\//)
  const named = [...page.body.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, name]) => `/${name}`)
  expect(named).toHaveLength(6)
  for (const name of named) {
    const asset = await demo.get(name)
    expect([name, asset.statusCode, asset.headers['x-content-type-options']]).toEqual([name, 200, 'nosniff'])
    expect(asset.rawPayload.length).toBeGreaterThan(100)
  }
})

test('the page shows the document of this server', async () => {
  await using demo = demoServer([], { services: [createDocs()] })
  const start = await demo.get('/docs/start.js')
  expect(start.headers['content-type']).toBe('text/javascript; charset=utf-8')
  expect(start.body).toContain('api/v4/openapi.json')
  // Else the pages would send the document to a validator on the net.
  expect(start.body).toContain('validatorUrl: null')
})

test('files have ETags', async () => {
  await using demo = demoServer([], { services: [createDocs()] })
  for (const path of ['/docs', '/docs/start.js', '/docs/swagger-ui.css']) {
    const { etag } = (await demo.get(path)).headers
    const again = await demo.get(path, { 'If-None-Match': String(etag) })
    expect([path, again.statusCode, again.body]).toEqual([path, 304, ''])
  }
})

test('the address with a slash leads to the one without, whatever stands before it', async () => {
  await using demo = demoServer([], { services: [createDocs()] })
  const answer = await demo.get('/docs/')
  expect([answer.statusCode, new URL(String(answer.headers.location), 'https://x/fennec/docs/').pathname]).toEqual([
    301,
    '/fennec/docs',
  ])
})

test('other files of the folder, and files outside it, are not served', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fennec-docs-'))
  try {
    await writeFile(join(folder, 'swagger-ui.css'), 'a {}')
    await writeFile(join(folder, 'secret.txt'), 'secret')
    await using demo = demoServer([], { services: [createDocs(['/nonexistent', folder])] })
    expect((await demo.get('/docs/swagger-ui.css')).body).toBe('a {}')
    const hostile = [
      'secret.txt',
      'package.json',
      '..%2Fpackage.json',
      '__proto__',
      'constructor',
      'swagger-ui.css%00',
      'swagger-ui.css/',
      '/etc/passwd',
    ]
    for (const name of hostile) {
      const answer = await demo.get(`/docs/${name}`)
      expect([name, answer.statusCode]).toEqual([name, 404])
    }
    const port = await demo.listen()
    for (const path of ['/docs/../secret.txt', '/docs/%2e%2e/secret.txt', '/docs//etc/passwd']) {
      const outside = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
      expect([path, (await exchange(port, outside)).status]).toEqual([path, 404])
    }
    expect((await demo.get('/docs/favicon-32x32.png')).json()).toEqual({
      error: '404 Not Found',
      message: '404 Not Found',
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('pages are read, not written', async () => {
  await using demo = demoServer([], { services: [createDocs()] })
  const answer = await demo.send('POST', '/docs')
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD'])
  const head = await demo.send('HEAD', '/docs')
  expect([head.statusCode, head.body]).toEqual([200, ''])
})
