import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { type Browser, browserOf, formsOf } from './testing.ts'

let server: TestServer
let root: Browser
beforeAll(async () => {
  server = await startTestServer()
  root = await browserOf(server, { id: 1 })
})
afterAll(() => server.stop())

const path = '/admin/broadcast_messages'
const formOf = (html: string) => formsOf(html).find(({ operation }) => operation.startsWith('broadcast_messages.'))!
const preview = /<div class="banner ([^"]*)" role="region" aria-label="Preview">([\s\S]*?)<\/div><\/div>/

test('a broadcast message is shown as it will look, and not stored', async () => {
  const form = formOf((await root.get(`${path}/new`)).html)
  const values = { message: 'Down **today** <script>alert(1)</script>', theme: 'light-red' }
  const shown = await root.send(form, { ...values, _draft: 'whole' })
  expect(shown.status).toBe(200)
  const [, theme, text = ''] = preview.exec(shown.html) ?? []
  expect([theme, text.includes('<strong>today</strong>'), text.includes('<script')]).toEqual(['light-red', true, false])
  expect((await server.root.get('/broadcast_messages')).body).toEqual([])
  // The form still has what was written, and is sent from there.
  const again = formOf(shown.html)
  expect(again.fields.find(({ name }) => name === 'message')?.value).toBe(values.message)
  expect((await root.send(again, values)).status).toBe(303)
  const [{ id, message }] = (await server.root.get('/broadcast_messages')).body
  expect(message).toBe(values.message)
  const change = formOf((await root.get(`${path}/${id}`)).html)
  const changed = await root.send(change, { message: 'Up again', _draft: 'whole' })
  expect(preview.exec(changed.html)?.[2]).toContain('Up again')
  expect((await server.root.get(`/broadcast_messages/${id}`)).body.message).toBe(values.message)
})

test('a theme that does not exist adds no class to the preview, and no form begins with one', async () => {
  const { html } = await root.get(`${path}/new`)
  expect(html).not.toContain('aria-label="Preview"')
  const shown = await root.send(formOf(html), { message: 'x', theme: '"><script>', _draft: 'whole' })
  expect(preview.exec(shown.html)?.[1]).toBe('indigo')
})
