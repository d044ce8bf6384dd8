import { afterAll, beforeAll, expect, test } from 'vitest'
import { deliver, monitoringPayload } from '../../src/modules/alerts/testing.ts'
import { type Person, startTestServer, type TestServer } from '../../src/testing/index.ts'

/** The acceptance walk of alerts (contract 07); the numbers are the walk's. Real tools are connected as in docs/guides/alerts.md. */
let server: TestServer
let maintainer: Person
let developer: Person
let reporter: Person
const P = '/projects/ops%2Fshop'
const integrations = `${P}/alert_management_integrations`
const alerts = `${P}/alert_management_alerts`

beforeAll(async () => {
  server = await startTestServer()
  const owner = await server.user('owner')
  const namespace = await server.make.group('ops', owner)
  const project = await server.make.project('shop', owner, { namespace })
  maintainer = await server.user('maintainer')
  developer = await server.user('dev')
  reporter = await server.user('reporter')
  await server.make.member({ project }, maintainer, 40)
  await server.make.member({ project }, developer, 30)
  await server.make.member({ project }, reporter, 20)
})
afterAll(() => server.stop())

const alert = async (iid: number) => (await developer.get(`${alerts}/${iid}`)).body

test('alerts', async () => {
  // 1.
  const { status, body: hook } = await maintainer.post(integrations, { name: 'Pager Hook' })
  expect([status, hook.url]).toEqual([201, expect.stringMatching(/\/alerts\/notify\/pager-hook\/[0-9a-f]{16}\.json$/)])
  expect(hook.token).toMatch(/^[0-9a-f]{32}$/)
  // 2.
  const payload = { title: 'Disk full', severity: 'high', hosts: ['a'] }
  const send = (body: unknown, key = hook.token) => deliver(hook.url, key, body)
  expect(await send(payload)).toMatchObject({ status: 200, body: [{ iid: 1, title: 'Disk full' }] })
  // 3.
  const basic = { Authorization: `Basic ${Buffer.from(`:${hook.token}`).toString('base64')}` }
  const again = { ...payload, hosts: ['b'], start_time: '2024-01-01T00:00:00Z' }
  expect(await deliver(hook.url, '', again, basic)).toMatchObject({ status: 200, body: [{ iid: 1 }] })
  expect(await alert(1)).toMatchObject({ event_count: 2, status: 'triggered' })
  // 4.
  const ended = { ...payload, end_time: '2024-02-01T00:00:00Z' }
  expect((await send(ended)).body).toMatchObject([{ iid: 1 }])
  expect(await alert(1)).toMatchObject({ status: 'resolved', ended_at: '2024-02-01T00:00:00.000Z' })
  expect((await send(ended)).body).toMatchObject([{ iid: 2 }])
  expect((await alert(2)).status).toBe('resolved')
  // 5.
  expect((await send(payload)).body).toMatchObject([{ iid: 3 }])
  // 6.
  const refused = [
    await send(payload, 'wrong'),
    await send('x'.repeat(1_048_577)),
    await send('[1]'),
    await send('nope'),
  ]
  expect(refused.map((answer) => answer.status)).toEqual([401, 413, 400, 400])
  // 7.
  const settings = `${P}/alert_management_settings`
  expect(await maintainer.put(settings, { create_issue: true })).toMatchObject({ status: 200 })
  expect(await send({ fingerprint: 'f1' })).toMatchObject({ status: 200, body: [{ iid: 4 }] })
  const within5s = { timeout: 5_000 }
  await expect.poll(async () => (await alert(4)).issue_iid, within5s).toEqual(expect.any(Number))
  const incident = { iid: (await alert(4)).issue_iid, issue_type: 'incident', author: { username: 'alert-bot' } }
  expect((await developer.get(`${P}/issues?issue_type=incident`)).body).toMatchObject([incident])
  // 8.
  expect((await send({ fingerprint: 'f1', end_time: '2024-02-01T00:00:00Z' })).body).toMatchObject([{ iid: 4 }])
  expect((await alert(4)).status).toBe('resolved')
  const incidentNow = async () => (await developer.get(`${P}/issues/${incident.iid}`)).body
  await expect.poll(async () => (await incidentNow()).state, within5s).toBe('closed')
  expect((await incidentNow()).closed_by.username).toBe('alert-bot')
  await maintainer.put(settings, { create_issue: false })
  // 9.
  const { body: prometheus } = await maintainer.post(integrations, { name: 'P', type: 'prometheus' })
  expect(prometheus.url).toMatch(/\/ops\/shop\/prometheus\/alerts\/notify\.json$/)
  const item = (instance: string, more: object = {}) => ({
    startsAt: '2024-01-01T00:00:00Z',
    labels: { alertname: 'Down', instance },
    ...more,
  })
  const notify = (body: unknown) => deliver(prometheus.url, prometheus.token, body)
  expect((await notify(monitoringPayload([item('a'), item('b')]))).body).toMatchObject([{ iid: 5 }, { iid: 6 }])
  const resolved = ['a', 'b'].map((instance) => item(instance, { status: 'resolved' }))
  expect((await notify(monitoringPayload(resolved))).body).toMatchObject([{ iid: 5 }, { iid: 6 }])
  expect([(await alert(5)).status, (await alert(6)).status]).toEqual(['resolved', 'resolved'])
  const { groupKey: _, ...incomplete } = monitoringPayload([]) as Record<string, unknown>
  expect((await notify(incomplete)).status).toBe(422)
  // 11.
  const grafana = monitoringPayload([item('c'), item('d')], { version: '1', orgId: 1, title: 't', state: 'alerting' })
  expect((await send(grafana)).body).toHaveLength(2)
  expect((await alert(7)).monitoring_tool).toBe('Grafana')
  // 12.
  const example = { event: { name: 'Disk', level: 'low' } }
  const mappings = { title: ['event', 'name'], severity: '$.event.level' }
  const mapped = { payload_example: example, payload_attribute_mappings: mappings }
  expect((await maintainer.put(`${integrations}/${hook.id}`, mapped)).status).toBe(200)
  expect((await send(example)).body).toMatchObject([{ iid: 9, title: 'Disk' }])
  expect((await alert(9)).severity).toBe('low')
  // 13.
  const change = { status: 'acknowledged', assignee_usernames: ['dev'] }
  expect(await developer.put(`${alerts}/9`, change)).toMatchObject({ status: 200, body: { status: 'acknowledged' } })
  expect((await developer.get(`${alerts}/status_counts`)).body).toMatchObject({ all: 9, acknowledged: 1, resolved: 5 })
  expect((await reporter.put(`${alerts}/9`, change)).status).toBe(403)
  expect(await developer.put(`${alerts}/1`, { status: 'triggered' })).toMatchObject({
    status: 409,
    body: { alert_iid: 3 },
  })
  // 14.
  const { body: renewed } = await maintainer.post(`${integrations}/${hook.id}/reset_token`)
  expect([(await send(payload)).status, (await send(payload, renewed.token)).status]).toEqual([401, 200])
  await maintainer.put(`${integrations}/${hook.id}`, { active: false })
  expect((await send(payload, renewed.token)).status).toBe(403)
  const link = { name: 'Link', type: 'external_link', external_url: 'https://example.com' }
  expect((await maintainer.post(integrations, link)).status).toBe(400)
  // 15.
  const png = Buffer.from('89504e470d0a1a0a', 'hex')
  const upload = (bytes: number) => {
    const form = new FormData()
    form.set('file', new Blob([Buffer.concat([png, Buffer.alloc(bytes - png.length)])]), 'cpu.png')
    return developer.post(`${alerts}/1/metric_images`, form)
  }
  const { status: uploaded, body: image } = await upload(100)
  expect([uploaded, (await developer.get(`${alerts}/1/metric_images`)).body]).toEqual([201, [image]])
  expect((await developer.get(`root:${image.file_path}`)).status).toBe(200)
  expect((await upload(2 * 1_048_576)).status).toBe(400)
  expect((await developer.delete(`${alerts}/1/metric_images/${image.id}`)).status).toBe(204)
})
