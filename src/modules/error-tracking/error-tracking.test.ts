import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  makePeople,
  type People,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'

let server: TestServer
let people: People
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())

let at: ProjectWithMembers
let base: string
let settings: string
let keys: string
let count = 0
beforeEach(async () => {
  count += 1
  at = await projectWithMembers(server, { people, path: `demo${count}` })
  base = `/projects/${at.project.id}/error_tracking`
  settings = `${base}/settings`
  keys = `${base}/client_keys`
})

const none = { status: 404, body: { message: '404 Error Tracking Setting Not Found' } }
const shown = (active: boolean, integrated: boolean) => ({
  ...{ active, integrated },
  ...{ project_name: null, sentry_external_url: null, api_url: null },
})

describe('settings', () => {
  test('are not there until they are put', async () => {
    expect(await people.maintainer.get(settings)).toMatchObject(none)
    expect(await people.maintainer.patch(settings, { active: true })).toMatchObject(none)
    const put = await people.maintainer.put(settings, { active: true, integrated: false })
    expect([put.status, put.body]).toEqual([200, shown(true, false)])
    expect((await people.maintainer.get(settings)).body).toEqual(shown(true, false))
  })

  test('are put again, and patched', async () => {
    await people.maintainer.put(settings, { active: true, integrated: true })
    expect((await people.maintainer.put(settings, { active: false, integrated: true })).body).toEqual(
      shown(false, true),
    )
    const patched = await people.maintainer.patch(settings, { active: true })
    expect([patched.status, patched.body]).toEqual([200, shown(true, true)])
    expect((await people.maintainer.patch(settings, { active: true, integrated: false })).body).toEqual(
      shown(true, false),
    )
  })

  test('are put by two callers at once', async () => {
    const both = await Promise.all(
      [true, false].map((active) => people.maintainer.put(settings, { active, integrated: true })),
    )
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect([shown(true, true), shown(false, true)]).toContainEqual((await people.maintainer.get(settings)).body)
  })

  test('are refused when they are wrong', async () => {
    const error = async (call: 'put' | 'patch', body: object) => {
      const answer = await people.maintainer[call](settings, body)
      return [answer.status, answer.body.error]
    }
    await people.maintainer.put(settings, { active: true, integrated: true })
    expect(await error('put', { integrated: true })).toEqual([400, 'active is missing'])
    expect(await error('put', { active: true })).toEqual([400, 'integrated is missing'])
    expect(await error('patch', { integrated: true })).toEqual([400, 'active is missing'])
    for (const call of ['put', 'patch'] as const) {
      expect(await error(call, { active: 'maybe', integrated: true })).toEqual([400, 'active is invalid'])
      expect(await error(call, { active: '', integrated: true })).toEqual([400, 'active is empty'])
      expect(await error(call, { active: true, integrated: 'maybe' })).toEqual([400, 'integrated is invalid'])
    }
    const { body } = await people.maintainer.put(settings, { active: ' ', integrated: true })
    expect(body).toEqual({ message: { active: ['is empty'] }, error: 'active is empty' })
    expect((await people.maintainer.get(settings)).body).toEqual(shown(true, true))
  })
})

describe('client keys', () => {
  test('are made, listed by id in pages, and deleted once', async () => {
    const made = []
    for (const _ of [1, 2, 3]) made.push(await people.maintainer.post(keys))
    const { protocol, host } = new URL(server.app.platform.externalUrl)
    for (const { status, body } of made) {
      const { public_key: key } = body
      expect(key).toMatch(/^glet_[0-9a-f]{32}$/)
      const dsn = `${protocol}//${key}@${host}/api/v4/error_tracking/collector/${at.project.id}`
      expect([status, body]).toEqual([201, { id: expect.any(Number), active: true, public_key: key, sentry_dsn: dsn }])
    }
    const listed = await people.maintainer.get(`${keys}?per_page=2`)
    expect([listed.body, listed.headers.get('x-total')]).toEqual([made.slice(0, 2).map(({ body }) => body), '3'])
    const one = `${keys}/${made[0]?.body.id}`
    const deleted = await people.maintainer.delete(one)
    expect([deleted.status, deleted.body]).toEqual([200, made[0]?.body])
    expect(await people.maintainer.delete(one)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    expect((await people.maintainer.get(keys)).body).toHaveLength(2)
  })

  test('of other projects are unknown', async () => {
    const { body } = await people.maintainer.post(keys)
    const other = await projectWithMembers(server, { people, path: `other${count}` })
    const missing = { status: 404, body: { message: '404 Not found' } }
    const elsewhere = `/projects/${other.project.id}/error_tracking/client_keys`
    expect(await people.maintainer.delete(`${elsewhere}/${body.id}`)).toMatchObject(missing)
    expect(await people.maintainer.delete(`${keys}/9007199254740993`)).toMatchObject(missing)
    expect((await people.maintainer.get(elsewhere)).body).toEqual([])
  })

  test('have an address at which nothing answers', async () => {
    const { body } = await people.maintainer.post(keys)
    const { pathname } = new URL(body.sentry_dsn)
    const answer = await server.anonymous.post(pathname.replace('/api/v4', ''), {})
    expect(answer).toMatchObject({ status: 404, body: { error: '404 Not Found' } })
  })
})
