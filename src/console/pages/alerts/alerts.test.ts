import { beforeAll, expect, test } from 'vitest'
import { deliver, monitoringPayload } from '../../../modules/alerts/testing.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { readText } from '../../testing.ts'
import { type Browser, linksIn, personWithBrowser } from '../code/testing.ts'

type Visitor = Person & { browser: Browser }

let server: TestServer
let owner: Visitor
let guest: Visitor
let integration: { id: number; url: string; token: string }

const hostile = `<script>alert(1)</script>"'`
const base = '/Team/App/-/alert_management'
const project = '/projects/Team%2FApp'

beforeAll(async () => {
  server = await startTestServer()
  ;[owner, guest] = [await personWithBrowser(server, 'keeper'), await personWithBrowser(server, 'visitor')]
  const namespace = await server.make.group('Team', owner)
  await server.make.project('App', owner, { namespace })
  await server.make.member({ namespace }, guest, 10)
  const made = await owner.post(`${project}/alert_management_integrations`, { name: hostile })
  integration = made.body
  const send = (payload: object) => deliver(integration.url, integration.token, payload)
  await send({
    title: hostile,
    description: `${hostile}\n\nsecond line`,
    severity: 'high',
    runbook: 'javascript:alert(1)',
  })
  await send({ title: 'Disk full', severity: 'critical', runbook: 'https://runbook.example/disk' })
  await send({ title: 'Slow', severity: 'low' })
  const item = {
    startsAt: '2026-01-02T03:04:05Z',
    labels: { alertname: 'Down', severity: 'info', [hostile]: hostile },
    annotations: { description: 'No answer.' },
    generatorURL: `http://p/?g0.expr=${encodeURIComponent(`up == 0 ${hostile}`)}`,
  }
  await send(monitoringPayload([item]))
  await owner.put(`${project}/alert_management_alerts/3`, { status: 'resolved' })
  return () => server[Symbol.asyncDispose]()
})

const textOf = (html: string) => readText(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')
const alertsIn = (html: string) =>
  [...html.matchAll(/alert_management\/(\d+)\/details"/g)].map(([, iid]) => Number(iid))

test('the list shows open alerts, and its filter bar is the address', async () => {
  const { status, html } = await owner.browser.get(base)
  expect([status, html.includes('<script>alert')]).toEqual([200, false])
  expect(alertsIn(html).sort()).toEqual([1, 2, 4])
  expect(textOf(html)).toContain('Open 3 Triggered 3 Acknowledged 0 Resolved 1 Ignored 0 All 4')
  const all = linksIn(html).find((link) => link?.endsWith('?status=all'))
  expect(alertsIn((await owner.browser.get(all ?? '')).html)).toHaveLength(4)
  const critical = await owner.browser.get(`${base}?severity=critical`)
  expect(alertsIn(critical.html)).toEqual([2])
  expect(linksIn(critical.html)).toContain(`${base}?severity=critical&status=resolved`)
  expect(textOf(critical.html)).toContain('Critical 1 High 1 Medium 0 Low 0 Info 1')
  expect(alertsIn((await owner.browser.get(`${base}?search=disk&status=all`)).html)).toEqual([2])
  expect((await owner.browser.get(`${base}?status=resolved&severity=high`)).html).toContain('No alerts match.')
  expect((await owner.browser.get(`${base}?status=none`)).status).toBe(400)
})

test('the numbers by severity are a plot with a table', async () => {
  const { html } = await owner.browser.get(`${base}?status=all`)
  expect(html).toMatch(/<table class="bars" aria-label="Alerts by severity">/)
  expect(html).toContain('<rect width="100"')
})

test('an alert shows what it says, and its texts run nowhere', async () => {
  const { status, html } = await owner.browser.get(`${base}/1/details`)
  expect([status, html.includes('<script>alert'), html.includes('href="javascript')]).toEqual([200, false, false])
  expect(textOf(html)).toContain(hostile)
  expect((await owner.browser.get(`${base}/2/details`)).html).toContain('href="https://runbook.example/disk"')
  const measured = textOf((await owner.browser.get(`${base}/4/details`)).html)
  expect(measured).toContain('up == 0')
  expect(measured).toContain('2026-01-02 03:04 UTC')
  expect(measured).toContain('Prometheus')
  expect((await owner.browser.get(`${base}/99/details`)).status).toBe(404)
  expect((await guest.browser.get(`${base}/1/details`)).status).toBe(403)
})

test('an alert is acknowledged and assigned, which its timeline says', async () => {
  const page = `${base}/2/details`
  const fields = { id: 'Team/App', alert_iid: '2' }
  expect((await owner.browser.send(page, 'alerts.update', { ...fields, status: 'acknowledged' })).status).toBe(303)
  const mine = { ...fields, 'assignee_usernames[]': 'keeper' }
  expect((await owner.browser.send(page, 'alerts.update', mine)).status).toBe(303)
  const { html } = await owner.browser.get(page)
  expect(textOf(html)).toMatch(/changed the status to Acknowledged .*assigned to @keeper/)
  expect(html).not.toContain('Assign to me')
  const wrong = await owner.browser.send(page, 'alerts.update', { ...fields, assignee_usernames: 'nobody' })
  expect([wrong.status, wrong.html.includes('role="alert"')]).toEqual([400, true])
  expect((await owner.browser.send(page, 'alerts.update', { ...fields, assignee_usernames: '' })).status).toBe(303)
  expect((await owner.get(`${project}/alert_management_alerts/2`)).body.assignees).toEqual([])
  expect((await guest.browser.send(page, 'alerts.update', { ...fields, status: 'ignored' })).status).toBe(403)
})

test('an incident is created, and leads back and forth', async () => {
  const page = `${base}/2/details`
  const sent = await owner.browser.send(page, 'alerts.create_incident', { id: 'Team/App', alert_iid: '2' }, ':made')
  const shown = await owner.browser.get(sent.location)
  const issue = shown.location === '' ? shown : await owner.browser.get(shown.location)
  expect([sent.status, issue.status, textOf(issue.html)]).toEqual([303, 200, expect.stringContaining('Disk full')])
  const { html } = await owner.browser.get(page)
  expect(linksIn(html).some((link) => link?.endsWith(sent.location))).toBe(true)
  expect(html).not.toContain('Create an incident')
  const again = await owner.browser.send(page, 'alerts.create_incident', { id: 'Team/App', alert_iid: '2' }, ':made')
  expect([again.status, textOf(again.html)]).toEqual([409, expect.stringContaining('An issue already exists')])
})

test('images of the metric are added, shown to those who may, and removed', async () => {
  const page = `${base}/4/details`
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==',
    'base64',
  )
  const form = new FormData()
  const fields = { _operation: 'alert_metric_images.create', _then: page, id: 'Team/App', alert_iid: '4' }
  for (const [name, value] of Object.entries({ ...fields, url: 'https://metrics.example/', url_text: hostile }))
    form.append(name, value)
  form.append('file', new File([png], 'load one.png', { type: 'image/png' }))
  expect((await owner.browser.sendForm(page, form)).status).toBe(303)
  const { html } = await owner.browser.get(page)
  expect(html).not.toContain('<script>alert')
  const [source = ''] = linksIn(html).filter((link) => link?.includes('/alert_metric_image/'))
  const file = await owner.browser.get(source)
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect((await guest.browser.get(source)).status).toBe(404)
  const [, image = ''] = /file\/(\d+)\//.exec(source) ?? []
  const removal = { id: 'Team/App', alert_iid: '4', image_id: image }
  expect((await owner.browser.send(page, 'alert_metric_images.delete', removal)).status).toBe(303)
  expect((await owner.browser.get(page)).html).not.toContain('<img')
})

test('an integration shows its address, its key and the configuration that Alertmanager needs', async () => {
  const { status, html } = await owner.browser.get(`${base}/integrations`)
  expect([status, html.includes('<script>alert')]).toEqual([200, false])
  const text = readText(html)
  expect(html).toContain(`value="${integration.url}"`)
  expect(html).toContain(`value="${integration.token}"`)
  expect(text).toContain(`      - url: "${integration.url}"\n        send_resolved: true`)
  expect(text).toContain(`authorization: { type: Bearer, credentials: "${integration.token}" }`)
  expect((await guest.browser.get(`${base}/integrations`)).status).toBe(403)
})

test('a test alert is sent from the page, and a wrong payload stays in its form', async () => {
  const page = `${base}/integrations`
  const fields = { id: 'Team/App', integration_id: String(integration.id) }
  const wrong = await owner.browser.send(page, 'alert_integrations.test', { ...fields, payload: `{${hostile}` })
  expect([wrong.status, readText(wrong.html).includes(`{${hostile}`)]).toEqual([400, true])
  expect(wrong.html).toContain('role="alert"')
  const [, sample = ''] = /<textarea[^>]*name="payload"[^>]*>([^<]*)</.exec((await owner.browser.get(page)).html) ?? []
  const sent = await owner.browser.send(page, 'alert_integrations.test', { ...fields, payload: readText(sample) }, base)
  expect([sent.status, sent.location]).toEqual([303, base])
  expect(textOf((await owner.browser.get(base)).html)).toContain('Info Test Triggered')
})
