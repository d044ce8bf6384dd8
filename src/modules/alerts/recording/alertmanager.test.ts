import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makePeople, type People, startTestServer, type TestServer } from '../../../testing/index.ts'
import { deliver, type Integration, type ProjectWithAlerts, projectWithAlerts } from '../testing.ts'

/** Notifications that Alertmanager 0.25 has sent, and one with the members that the manual of Grafana names. */

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
  hook = await place.integration({ type: 'prometheus' })
})

type Item = Record<string, unknown>

const fingerprints: Record<string, string> = { db1: 'e82e2fac3af581ca', db2: '9978c9ec9df73215' }
const begin = '2026-11-23T20:20:32.771688772Z'
const end = '2026-11-23T20:20:48Z'

const item = (instance: string, more: Item = {}): Item => ({
  status: 'firing',
  labels: { alertname: 'DiskFull', instance, severity: 'page' },
  annotations: { summary: `Disk 91% full on ${instance}` },
  startsAt: begin,
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: '',
  fingerprint: fingerprints[instance],
  ...more,
})
const firing = (instance: string, summary: string, more: Item = {}) =>
  item(instance, { annotations: { summary }, ...more })
/** Alertmanager has no annotations of an alert that was resolved by its labels. */
const resolved = (instance: string, more: Item = {}) =>
  item(instance, { status: 'resolved', annotations: {}, endsAt: end, ...more })
const withoutFingerprint = ({ fingerprint: _, ...rest }: Item): Item => rest

const notification = (alerts: Item[], more: Item = {}) => ({
  receiver: 'fennec',
  status: 'firing',
  alerts,
  groupLabels: { alertname: 'DiskFull' },
  commonLabels: { alertname: 'DiskFull', severity: 'page' },
  commonAnnotations: {},
  externalURL: 'http://alertmanager:9093',
  version: '4',
  groupKey: '{}:{alertname="DiskFull"}',
  truncatedAlerts: 0,
  ...more,
})

/** @returns the iids of the alerts */
async function send(alerts: Item[], more: Item = {}): Promise<number[]> {
  const { status, body } = await deliver(hook.url, hook.token, notification(alerts, more))
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.map(({ iid }: { iid: number }) => iid)
}

/** Each alert by iid: title, status and number of events. */
async function stored(): Promise<string[]> {
  const { body } = await place.developer.get(`${place.alerts}?order_by=created_at&sort=asc`)
  const alerts = (body as { iid: number; title: string; status: string; event_count: number }[]).sort(
    (a, b) => a.iid - b.iid,
  )
  return alerts.map(({ title, status, event_count: events }) => `${title}: ${status} ${events}`)
}

test.each([
  ['with a fingerprint', (one: Item) => one],
  ['without one', withoutFingerprint],
])('an alert %s whose summary changes is one, and closes without a summary', async (_, as) => {
  expect(await send([as(firing('db1', 'Disk 91% full'))])).toEqual([1])
  expect(await send([as(firing('db1', 'Disk 93% full')), as(firing('db2', 'Disk 80% full'))])).toEqual([1, 2])
  expect(await send([as(firing('db1', 'Disk 95% full'))])).toEqual([1])
  expect(await send([as(resolved('db1')), as(firing('db2', 'Disk 81% full'))])).toEqual([1, 2])
  expect(await stored()).toEqual(['Disk 91% full: resolved 3', 'Disk 80% full: triggered 2'])
})

test('the order of the labels, and whether the fingerprint is there at the end, change nothing', async () => {
  expect(await send([item('db1')])).toEqual([1])
  const labels = { severity: 'page', instance: 'db1', alertname: 'DiskFull' }
  expect(await send([item('db1', { labels })])).toEqual([1])
  expect(await send([withoutFingerprint(resolved('db1', { labels }))])).toEqual([1])
  expect(await stored()).toEqual(['Disk 91% full on db1: resolved 2'])
})

test('an alert that fires again is the open one, or a new one after its end', async () => {
  const again = { startsAt: '2026-11-23T20:20:55.234Z' }
  expect(await send([item('db1')])).toEqual([1])
  expect(await send([item('db1', again)])).toEqual([1])
  expect(await send([resolved('db1', again)])).toEqual([1])
  expect(await send([item('db1', again)])).toEqual([2])
  // The end of the first occurrence arrives once more, after the second has begun.
  expect(await send([resolved('db1')])).toEqual([3])
  expect(await stored()).toEqual([
    'Disk 91% full on db1: resolved 2',
    'Disk 91% full on db1: triggered 1',
    'DiskFull: resolved 1',
  ])
  // Alertmanager has merged alerts of two Prometheus servers, and reports the earlier start.
  expect(await send([resolved('db1', { endsAt: '2026-11-23T20:21:30Z' })])).toEqual([2])
})

test('the end of an alert that was never seen resolves no other, whatever is alike', async () => {
  const alike = { generatorURL: 'http://prometheus:9090/graph?g0.expr=up' }
  expect(await send([item('db1', alike), withoutFingerprint(item('db3', alike))])).toEqual([1, 2])
  expect(await send([resolved('db2', alike), withoutFingerprint(resolved('db4', alike))])).toEqual([3, 4])
  expect(await send([item('db1', { ...alike, status: 'resolved', fingerprint: 'of another alert' })])).toEqual([5])
  expect((await stored()).map((line) => line.split(': ')[1])).toEqual([
    'triggered 1',
    'triggered 1',
    'resolved 1',
    'resolved 1',
    'resolved 1',
  ])
})

test('an end without any title closes the alert that the fingerprint names', async () => {
  const labels = { instance: 'db1' }
  expect(await send([item('db1', { labels })])).toEqual([1])
  expect(await send([resolved('db1', { labels })])).toEqual([1])
  expect(await send([resolved('db2', { labels })])).toEqual([2])
  expect(await stored()).toEqual(['Disk 91% full on db1: resolved 1', 'New: Alert: resolved 1'])
})

test('items whose labels name no alert are told apart by their titles', async () => {
  const labels = { severity: 'page' }
  const items = [firing('db1', 'Disk full', { labels }), firing('db1', 'Disk slow', { labels })].map(withoutFingerprint)
  expect(await send(items)).toEqual([1, 2])
  expect(await send(items.map((one) => ({ ...one, status: 'resolved', endsAt: end })))).toEqual([1, 2])
  expect(await stored()).toEqual(['Disk full: resolved 1', 'Disk slow: resolved 1'])
})

test('Grafana reports the same alert with other values', async () => {
  const alert = (summary: string, more: Item = {}): Item => ({
    status: 'firing',
    labels: { alertname: 'DiskFull', grafana_folder: 'Disks', instance: 'db1' },
    annotations: { summary },
    startsAt: '2026-11-23T20:20:30Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://grafana:3000/alerting/grafana/cdk2/view?orgId=1',
    fingerprint: '59b1f9eb6cbc6b4e',
    silenceURL: 'http://grafana:3000/alerting/silence/new?alertmanager=grafana',
    dashboardURL: '',
    panelURL: '',
    values: { A: 91.5 },
    valueString: "[ var='A' labels={instance=db1} value=91.5 ]",
    ...more,
  })
  const more = { version: '1', orgId: 1, title: '[FIRING:1] DiskFull', state: 'alerting', message: 'Firing' }
  expect(await send([alert('Disk 91.5% full')], more)).toEqual([1])
  expect(await send([alert('Disk 93% full', { values: { A: 93 } })], more)).toEqual([1])
  const ended = alert('Disk 40% full', { status: 'resolved', endsAt: '2026-11-23T20:30:30Z', values: null })
  expect(await send([ended], { ...more, status: 'resolved', state: 'ok' })).toEqual([1])
  expect(await stored()).toEqual(['Disk 91.5% full: resolved 2'])
})
