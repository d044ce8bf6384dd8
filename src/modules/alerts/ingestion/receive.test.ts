import { createConnection } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { makePeople, type People, startTestServer, type TestServer } from '../../../testing/index.ts'
import { deliver, type Integration, monitoringPayload, type ProjectWithAlerts, projectWithAlerts } from '../testing.ts'

let server: TestServer
let people: People
let place: ProjectWithAlerts
let hook: Integration

beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())

beforeEach(async () => {
  place = await projectWithAlerts(server, people)
  hook = await place.integration()
})

const send = (payload: unknown, headers?: Record<string, string>) => deliver(hook.url, hook.token, payload, headers)
const notFound = { status: 404, body: { message: '404 Not Found' } }
const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }
const item = (name: string, more: object = {}) => ({
  startsAt: '2024-01-01T00:00:00Z',
  labels: { alertname: name },
  ...more,
})

/** The stored alerts of the project, by iid. */
async function stored() {
  const { read } = server.app.platform.database
  return read.selectFrom('alerts').selectAll().where('project_id', '=', place.project.id).orderBy('iid').execute()
}

describe('an address', () => {
  test('takes any slug, with or without the suffix', async () => {
    const base = `${server.url}/${place.path}/alerts/notify`
    const { endpoint_identifier: id } = hook
    for (const url of [`${base}/other/${id}.json`, `${base}/other/${id}`, `${base}.json`, base]) {
      expect(await deliver(url, hook.token, { title: 'a' })).toMatchObject({
        status: 200,
        body: [{ iid: 1, title: 'a' }],
      })
    }
    await place.maintainer.put(`${place.integrations}/${hook.id}`, { name: 'Renamed' })
    expect((await send({ title: 'a' })).status).toBe(200)
    expect(await stored()).toMatchObject([{ iid: 1, event_count: 5 }])
  })

  test('exists for the projects and integrations that exist', async () => {
    const base = `${server.url}/${place.path}`
    const unknown = [
      `${base}/alerts/notify/pager-hook/0123456789abcdef.json`,
      `${base}x/alerts/notify.json`,
      `${base}%00/alerts/notify.json`,
      `${base}/%2e%2e/alerts/notify.json`,
      `${base.replace(/\/([^/]*)$/, '%2F$1')}/alerts/notify.json`,
    ]
    for (const url of unknown) expect(await deliver(url, hook.token, {})).toMatchObject(notFound)
    for (const method of ['GET', 'HEAD', 'PUT', 'OPTIONS', 'DELETE']) {
      expect((await fetch(hook.url, { method, headers: { Authorization: `Bearer ${hook.token}` } })).status).toBe(404)
    }
  })

  test('of a moved project leads nowhere', async () => {
    expect((await place.owner.put(place.base, { path: `moved-${place.project.id}` })).status).toBe(200)
    expect(await send({})).toMatchObject(notFound)
    const [integration] = (await place.maintainer.get(place.integrations)).body
    expect((await deliver(integration.url, hook.token, {})).status).toBe(200)
  })

  test('belongs to a project with the name of a fixed part', async () => {
    const group = await server.make.group(`g-${place.project.id}`, people.owner)
    const project = await server.make.project('prometheus', people.owner, { namespace: group })
    const { body } = await people.owner.post(`/projects/${project.id}/alert_management_integrations`, { name: 'a' })
    const url = `${server.url}/${project.full_path}/alerts/notify.json`
    expect(await deliver(url, body.token, { title: 'a' })).toMatchObject({ status: 200, body: [{ iid: 1 }] })
  })
})

describe('a key', () => {
  const sendWith = (headers: Record<string, string>, url = hook.url) =>
    fetch(url, { method: 'POST', body: '{}', headers }).then(({ status }) => status)
  const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` })

  test('is a bearer token or the password of Basic', async () => {
    const { token } = hook
    expect(await sendWith({ Authorization: `bearer ${token}` })).toBe(200)
    expect(await sendWith(basic(`:${token}`))).toBe(200)
    expect(await sendWith(basic(`anybody:${token}`))).toBe(200)
  })

  test('is needed', async () => {
    const { token } = hook
    const other = await place.integration()
    const root = server.root.token
    for (const headers of [
      {},
      { Authorization: token },
      { Authorization: `Bearer ${other.token}` },
      { Authorization: `Bearer ${root}` },
      { Authorization: 'Bearer' },
      { Authorization: 'Basic !!!' },
      { 'PRIVATE-TOKEN': token },
      { 'PRIVATE-TOKEN': root },
      basic(`${token}:`),
      basic(token),
    ]) {
      expect([headers, await sendWith(headers as Record<string, string>)]).toEqual([headers, 401])
    }
    expect(await sendWith({}, `${hook.url}?private_token=${token}&token=${token}`)).toBe(401)
    const refused = await deliver(hook.url, 'wrong', {})
    expect(refused).toMatchObject(unauthorized)
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    expect(await stored()).toEqual([])
  })

  test('of another project is refused', async () => {
    const other = await projectWithAlerts(server, people)
    const { token } = await other.integration()
    expect(await deliver(hook.url, token, {})).toMatchObject(unauthorized)
    expect(await deliver(`${server.url}/${place.path}/alerts/notify.json`, token, {})).toMatchObject(unauthorized)
  })

  test('is replaced at once', async () => {
    const { body } = await place.maintainer.post(`${place.integrations}/${hook.id}/reset_token`)
    expect(await send({})).toMatchObject(unauthorized)
    expect((await deliver(hook.url, body.token, {})).status).toBe(200)
  })

  test('names the integration at the addresses of the project', async () => {
    const prometheus = await place.integration({ type: 'prometheus', name: 'P' })
    const generic = `${server.url}/${place.path}/alerts/notify.json`
    const monitoring = `${server.url}/${place.path}/prometheus/alerts/notify.json`
    const payload = monitoringPayload([item('a')])
    for (const [url, { token, id }] of [
      [generic, hook],
      [generic, prometheus],
      [monitoring, hook],
      [monitoring, prometheus],
    ] as const) {
      expect((await deliver(url, token, payload)).status).toBe(200)
      const { body } = await place.maintainer.get(`${place.integrations}/${id}`)
      expect(body.last_received_at).not.toBeNull()
    }
    expect((await deliver(monitoring, hook.token, {})).status).toBe(422)
    expect((await deliver(generic, prometheus.token, {})).status).toBe(422)
  })
})

describe('nothing is taken', () => {
  test('by an inactive integration, whatever the key', async () => {
    await place.maintainer.put(`${place.integrations}/${hook.id}`, { active: false })
    expect(await send({})).toMatchObject(forbidden)
    expect(await deliver(hook.url, 'wrong', {})).toMatchObject(forbidden)
    expect(await deliver(`${server.url}/${place.path}/alerts/notify.json`, hook.token, {})).toMatchObject(forbidden)
  })

  test('by an archived project', async () => {
    await place.owner.post(`${place.base}/archive`)
    expect(await send({})).toMatchObject(forbidden)
  })

  test('while the feature is off', async () => {
    await place.owner.put(place.base, { monitor_access_level: 'disabled' })
    expect(await send({})).toMatchObject(forbidden)
    expect((await place.maintainer.get(place.integrations)).status).toBe(403)
    await place.owner.put(place.base, { monitor_access_level: 'private' })
    expect((await send({})).status).toBe(200)
  })
})

describe('a body', () => {
  const limit = 1_048_576
  const ofBytes = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`

  test('has at most 1 MiB', async () => {
    expect((await send(ofBytes(limit))).status).toBe(200)
    const tooLarge = { status: 413, body: { message: '413 Request Entity Too Large' } }
    expect(await send(ofBytes(limit + 1))).toMatchObject(tooLarge)
    expect(await deliver(hook.url, 'wrong', ofBytes(limit + 1))).toMatchObject(tooLarge)
  })

  test('is refused while it streams', async () => {
    const { hostname, port, pathname } = new URL(hook.url)
    const socket = createConnection(Number(port), hostname)
    const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())))
    socket.on('error', () => {})
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${hook.token}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    for (let sent = 0; sent <= limit; sent += 65_536) socket.write(chunk)
    expect(await answered).toContain('HTTP/1.1 413')
    socket.destroy()
  })

  test.each([
    ['invalid JSON', ''],
    ['invalid JSON', 'nope'],
    ['invalid JSON', '{"a":1'],
    ['invalid JSON', '[['.repeat(100_000)],
    ['payload must be a JSON object', '[1]'],
    ['payload must be a JSON object', '"text"'],
    ['payload must be a JSON object', 'null'],
    ['payload is nested too deeply', `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`],
    ['payload is nested too deeply', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`],
  ])('answers: %s', async (reason, body) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { message: `400 Bad request - ${reason}` } })
  })

  test('may have 100 levels, any content type, and texts of every kind', async () => {
    expect((await send(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`)).status).toBe(200)
    const odd = { title: 'a\u0000b\ud800💥', hosts: ['\u0000'], fingerprint: '\ud800', '\u0000': { __proto__: 1 } }
    expect(await send(odd, { 'Content-Type': 'text/plain' })).toMatchObject({
      status: 200,
      body: [{ title: 'ab\ufffd💥' }],
    })
    const bytes = await fetch(hook.url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${hook.token}` },
      body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    })
    expect(bytes.status).toBe(400)
  })
})

describe('formats', () => {
  test('of the generic integration are both', async () => {
    expect((await send(monitoringPayload([item('a'), item('b')]))).body).toHaveLength(2)
    const { version: _, ...rest } = monitoringPayload([item('a')]) as Record<string, unknown>
    expect(await send(rest)).toMatchObject({ status: 200, body: [{ iid: 3, title: 'New: Alert' }] })
    const noArray = { ...monitoringPayload([]), alerts: {} }
    expect((await send(noArray)).body).toEqual([{ iid: 4, title: 'New: Alert' }])
  })

  test('with mappings are generic only', async () => {
    const mapped = await place.integration({
      payload_example: { receiver: 'a' },
      payload_attribute_mappings: { title: '$.receiver' },
    })
    const { body } = await deliver(mapped.url, mapped.token, monitoringPayload([item('a'), item('b')]))
    expect(body).toEqual([{ iid: 1, title: 'fennec' }])
  })

  test('of a monitoring integration are one', async () => {
    const prometheus = await place.integration({ type: 'prometheus' })
    const sendIt = (payload: unknown) => deliver(prometheus.url, prometheus.token, payload)
    const { groupKey: _, ...rest } = monitoringPayload([]) as Record<string, unknown>
    expect(await sendIt(rest)).toMatchObject({
      status: 422,
      body: { message: '422 Unprocessable Entity - missing: groupKey' },
    })
    expect(await sendIt({ ...monitoringPayload([]), alerts: 5 })).toMatchObject({
      status: 422,
      body: { message: '422 Unprocessable Entity - alerts must be an array' },
    })
    expect(await sendIt(monitoringPayload([]))).toMatchObject({ status: 200, body: [] })
    expect(await sendIt(monitoringPayload([{}, { labels: { alertname: 'a' } }]))).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - no alert with a title and startsAt' },
    })
    const second = await place.integration({ type: 'prometheus' })
    expect((await deliver(second.url, second.token, monitoringPayload([item('a'), null]))).body).toHaveLength(1)
  })

  test('of the list may have many items', async () => {
    const items = Array.from({ length: 1101 }, (_, index) => item(`alert ${index}`))
    const { status, body } = await send(monitoringPayload(items))
    expect([status, body.length, body[1100]]).toEqual([200, 1101, { iid: 1101, title: 'alert 1100' }])
    expect(new Set((await stored()).map(({ title }) => title)).size).toBe(1101)
  })
})

describe('a test alert', () => {
  const ask = (id: number, payload: unknown, as = place.developer) =>
    as.post(`${place.integrations}/${id}/test`, payload === undefined ? {} : { payload })

  test('is processed as a delivery', async () => {
    expect(await ask(hook.id, { title: 'a' })).toMatchObject({ status: 200, body: [{ iid: 1, title: 'a' }] })
    expect(await ask(hook.id, '{"title":"a"}')).toMatchObject({ status: 200, body: [{ iid: 1, title: 'a' }] })
    expect(await stored()).toMatchObject([{ event_count: 2, integration_id: hook.id }])
    const { body } = await place.maintainer.get(`${place.integrations}/${hook.id}`)
    expect(body.last_received_at).not.toBeNull()
  })

  test.each([
    [400, { error: 'payload is missing' }, undefined],
    [400, { message: '400 Bad request - invalid JSON' }, '{'],
    [400, { message: '400 Bad request - payload must be a JSON object' }, '[1]'],
    [400, { message: '400 Bad request - payload must be a JSON object' }, 5],
    [400, { message: '400 Bad request - payload is nested too deeply' }, `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`],
    [413, { message: '413 Request Entity Too Large' }, { a: 'x'.repeat(1_048_576) }],
  ])('answers %d %j', async (status, body, payload) => {
    expect(await ask(hook.id, payload)).toMatchObject({ status, body })
  })

  test('needs an active integration with a key', async () => {
    const prometheus = await place.integration({ type: 'prometheus' })
    expect((await ask(prometheus.id, {})).status).toBe(422)
    await place.maintainer.put(`${place.integrations}/${hook.id}`, { active: false })
    expect(await ask(hook.id, {})).toMatchObject(forbidden)
    await place.maintainer.put(`${place.integrations}/${prometheus.id}`, { active: false })
    const link = await place.integration({ type: 'external_link', external_url: 'http://a' })
    expect(await ask(link.id, {})).toMatchObject(forbidden)
    expect(await ask(99_999_999, {})).toMatchObject({ status: 404, body: { message: '404 Integration Not Found' } })
  })
})

test('deliveries are limited while the throttle is on', async () => {
  const clock = manualClock({ start: '2026-03-01T12:00:30.000Z' })
  await using still = await startTestServer({ clock })
  const makers = await makePeople(still)
  const integrationOf = async () => (await projectWithAlerts(still, makers)).integration()
  const [{ url, token }, other] = [await integrationOf(), await integrationOf()]
  const name = 'throttle_incident_management_notification'
  await still.root.put('/application/settings', {
    [`${name}_enabled`]: true,
    [`${name}_per_period`]: 2,
    [`${name}_period_in_seconds`]: 60,
  })
  const ask = () => deliver(url, token, { title: 'a' })
  expect((await ask()).headers.get('ratelimit-remaining')).toBe('1')
  expect((await deliver(url, 'wrong', {})).status).toBe(401)
  clock.advance(29_999)
  const limited = await ask()
  expect(limited).toMatchObject({ status: 429, body: { message: 'Retry later' } })
  expect(limited.headers.get('retry-after')).toBe('1')
  expect((await deliver(other.url, other.token, {})).status).toBe(200)
  clock.advance(1)
  expect((await ask()).status).toBe(200)
})
