import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { browserOf, personWithBrowser, type TestBrowser } from '../../testing.ts'

let server: TestServer
let owner: Person & { browser: TestBrowser }
beforeAll(async () => {
  server = await startTestServer()
  owner = await personWithBrowser(server, 'owner')
})
afterAll(() => server.stop())

test('the setting for everything is chosen on a page of the account', async () => {
  const at = '/-/profile/notifications'
  const { text } = await owner.browser.get(at)
  expect(text).toMatch(/<option[^>]*value="participating"[^>]*selected|<option[^>]*selected[^>]*value="participating"/)
  expect(text).not.toContain('name="new_note"')
  expect(text).not.toContain('value="global"')
  const send = (fields: Record<string, string>) =>
    owner.browser.submit(at, { _operation: 'notification_settings.update', _then: `${at}?saved=1`, ...fields })
  const refused = await send({ level: 'watch', notification_email: 'x@y.z' })
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('is not an email you own')])
  const saved = await send({ level: 'custom' })
  expect([saved.status, saved.headers.get('location')]).toEqual([303, `${at}?saved=1`])
  expect((await owner.browser.get(at)).text).toContain('name="new_note"')
  expect((await owner.get('/notification_settings')).body.level).toBe('custom')
})

test.each(['project', 'group'] as const)('the setting for a %s is chosen on a page of it', async (kind) => {
  const { body } = await owner.post(`/${kind}s`, { name: 'told', path: `told-${kind}` })
  const place = kind === 'group' ? `/groups/${body.full_path}` : `/${body.path_with_namespace}`
  const at = `${place}/-/notifications`
  const { text } = await owner.browser.get(at)
  expect(text).toContain('value="global"')
  expect(text).not.toContain('name="notification_email"')
  const fields = { _operation: `${kind}_notification_settings.update`, _then: at, id: String(body.id), level: 'watch' }
  expect((await owner.browser.submit(at, fields)).status).toBe(303)
  expect((await owner.get(`/${kind}s/${body.id}/notification_settings`)).body).toEqual({ level: 'watch' })
  expect((await server.anonymous.get(`/${kind}s/${body.id}/notification_settings`)).status).toBe(401)
})

test.each(['project', 'group'] as const)('a menu of the page of a %s has the level and the others', async (kind) => {
  const { body } = await owner.post(`/${kind}s`, { name: 'menu', path: `menu-${kind}`, visibility: 'public' })
  const at = kind === 'group' ? `/groups/${body.full_path}` : `/${body.path_with_namespace}`
  const levelsIn = (text: string) => [...text.matchAll(/name="level" value="(\w+)"/g)].map(([, level]) => level)
  const levels = ['global', 'participating', 'mention', 'watch', 'custom', 'disabled']
  const first = await owner.browser.get(at)
  expect(levelsIn(first.text)).toEqual(levels.filter((level) => level !== 'global'))
  const operation = `${kind}_notification_settings.update`
  const send = (level: string) =>
    owner.browser.submit(at, { _operation: operation, _then: at, id: String(body.id), level })
  expect((await send('watch')).status).toBe(303)
  expect((await send('x"><script>')).status).toBe(400)
  const after = await owner.browser.get(at)
  expect(levelsIn(after.text)).toEqual(levels.filter((level) => level !== 'watch'))
  expect(after.text).toMatch(/<strong aria-current="true">Watch: everything/)
  expect((await owner.get(`/${kind}s/${body.id}/notification_settings`)).body).toEqual({ level: 'watch' })
  const anonymous = await browserOf(server.url).get(at)
  expect([anonymous.status, levelsIn(anonymous.text)]).toEqual([200, []])
})
