/** Usage data (contract 25, Usage data, and step 16 of the acceptance walk). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../testing/index.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())

const path = '/usage_data/service_ping'

test('the counts are empty by default, else those of the instance, at most an hour old', async () => {
  const user = await server.user('owner')
  expect(await server.root.get(path)).toMatchObject({ status: 200, body: {} })
  expect((await server.root.get(path)).body).toEqual({})
  await server.root.put('/application/settings', { usage_ping_enabled: true })
  const project = (await user.post('/projects', { name: 'p', initialize_with_readme: true })).body.id
  await user.post('/groups', { name: 'g', path: 'g' })
  for (const title of ['one', 'two']) await user.post(`/projects/${project}/issues`, { title })
  await user.post(`/projects/${project}/labels`, { name: 'l', color: '#112233' })
  await user.post(`/projects/${project}/hooks`, { url: 'https://hooks.example' })
  const { body } = await server.root.get(path)
  expect(body).toMatchObject({
    recorded_at: '2026-03-01T12:00:00.000Z',
    uuid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    hostname: new URL(server.url).hostname,
    installation_type: 'fennec',
    active_user_count: 2,
    counts: { projects: 1, groups: 1, issues: 2, labels: 1, web_hooks: 1, merge_requests: 0, deploy_keys: 0 },
  })
  await user.post(`/projects/${project}/issues`, { title: 'three' })
  clock.advance(3_599_999)
  expect((await server.root.get(path)).body).toEqual(body)
  clock.advance(1)
  expect((await server.root.get(path)).body).toMatchObject({ uuid: body.uuid, counts: { issues: 3 } })
  await server.root.put('/application/settings', { usage_ping_enabled: false })
  expect((await server.root.get(path)).body).toEqual({})
})

test('the counts are for administrators; what they mean is public, as YAML', async () => {
  const user = await server.user('reader')
  expect((await user.get(path)).status).toBe(403)
  expect((await server.anonymous.get(path)).status).toBe(401)
  const response = await fetch(`${server.url}/api/v4/usage_data/metric_definitions`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/yaml'])
  const text = await response.text()
  expect(text).toContain('- key_path: counts.issues\n  description: Issues\n  value_type: number\n  status: active\n')
  expect(text.match(/^- key_path: /gm)).toHaveLength(19)
})

test('events and counters are accepted from users, and checked', async () => {
  const user = await server.user('client')
  const ok = { status: 200, body: { status: 'ok' } }
  for (const name of ['increment_counter', 'increment_unique_users', 'track_event']) {
    const address = `/usage_data/${name}`
    expect(await user.post(address, { event: 'ü💥' }), name).toMatchObject(ok)
    expect(await user.post(address, {}), name).toMatchObject({ status: 400, body: { error: 'event is missing' } })
    expect((await user.post(address, { event: { a: 1 } })).status).toBe(400)
    expect((await server.anonymous.post(address, { event: 'x' })).status).toBe(401)
  }
  const event = {
    event: 'x',
    project_id: 1,
    namespace_id: 2,
    send_to_snowplow: true,
    additional_properties: { a: 'b' },
  }
  expect(await user.post('/usage_data/track_event', event)).toMatchObject(ok)
  const many = (count: number) =>
    user.post('/usage_data/track_events', { events: Array.from({ length: count }, () => event) })
  expect(await many(50)).toMatchObject(ok)
  expect((await many(51)).body.error).toBe('events is invalid')
  expect((await user.post('/usage_data/track_events', {})).body.error).toBe('events is missing')
  expect((await user.post('/usage_data/track_events', { events: [{}] })).status).toBe(400)
})
