import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { demoServer, echo } from '../testing.ts'
import { createHomePage } from './home-page.ts'

const demo = (url = 'https://git.example') => demoServer([echo()], { services: [createHomePage(url)] })

test('GET / is a page that links to the documentation and shows how to sign in', async () => {
  await using server = demo('https://git.example/base/')
  const page = await server.get('/')
  expect(page.statusCode).toBe(200)
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(page.body).toContain('PRIVATE-TOKEN: &lt;your token&gt;" https://git.example/base/api/v4/user')
  const links = [...page.body.matchAll(/<a href="([^"]+)"/g)].map(([, link]) => link)
  expect(links).toEqual(['docs', 'api/v4/openapi.json'])
  expect((await server.get('/?a=b')).statusCode).toBe(200)
})

test('the page loads nothing, and its policy allows only its own style', async () => {
  await using server = demo()
  const { body, headers } = await server.get('/')
  const style = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] ?? ''
  expect(headers['content-security-policy']).toBe(
    `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; img-src data:; base-uri 'none'; ` +
      "form-action 'none'; frame-ancestors 'none'",
  )
  expect(body).not.toMatch(/<script|\bstyle=|\bon\w+=|@import|url\(|src=/)
})

test('the address is escaped', async () => {
  await using server = demo(`https://git.example/"'<b>&`)
  expect((await server.get('/')).body).toContain('https://git.example/&quot;&#39;&lt;b&gt;&amp;/api/v4/user')
})

test('the page has an ETag, answers HEAD, and takes no other method', async () => {
  await using server = demo()
  const { etag } = (await server.get('/')).headers
  expect((await server.get('/', { 'If-None-Match': String(etag) })).statusCode).toBe(304)
  const head = await server.send('HEAD', '/')
  expect([head.statusCode, head.body]).toEqual([200, ''])
  const wrong = await server.send('POST', '/')
  expect([wrong.statusCode, wrong.headers.allow]).toEqual([405, 'GET, HEAD'])
  expect((await server.get('/other')).statusCode).toBe(404)
})
