import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RunLater } from '../../../infra/jobs/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  imported,
  importStream,
  makePeople,
  type People,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { Alert } from '../alerts/present.ts'
import type { NewIncident } from '../events.ts'
import { deliver, type Integration, monitoringPayload } from '../testing.ts'
import { closeIncidentOf, openIncidentOf } from './incidents.ts'
import { openIncidentJob } from './jobs.ts'
import { resolveAlertsOfIncident, unlinkRemovedIncident } from './reactions.ts'
import { alertById } from './store.ts'

let server: TestServer
let people: People
let project: Awaited<ReturnType<typeof imported>>
let hook: Integration
let opened: NewIncident[]
let closed: number[]
let platform: Platform
let original: Platform['ports']

beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  platform = server.app.platform
  original = { ...platform.ports }
})
afterAll(async () => {
  Object.assign(platform.ports, original)
  await server.stop()
})

beforeEach(async () => {
  const file: [string, string, string] = ['100644', '.gitlab/issue_templates/incident.md', '## Checklist']
  const stream = importStream([{ message: 'm', branch: 'main', files: [file] }])
  project = await imported(server, people.owner, `p-${Math.random()}`, stream)
  hook = (await people.owner.post(`/projects/${project.id}/alert_management_integrations`, { name: 'a' })).body
  opened = []
  closed = []
  const isClosed = (id: number) => (closed.includes(id) ? 'closed' : 'opened')
  // Issues in memory.
  const answers: Partial<Platform['ports']> = {
    'alerts.open_incident': async (_platform, _tx, incident) => {
      opened.push(incident)
      return { id: 1000 + opened.length, iid: opened.length }
    },
    'alerts.close_incident': async (_platform, _tx, id) => {
      closed.push(id)
    },
    'alerts.incidents': async (_platform, ids) =>
      new Map(
        ids.map((id) => [id, { id, iid: id - 1000, state: isClosed(id), web_url: `http://issues/${id}` }] as const),
      ),
    'alerts.present_incident': async (_platform, id) => ({ id }),
  }
  Object.assign(platform.ports, answers)
})

const settings = (body: object) => people.owner.put(`/projects/${project.id}/alert_management_settings`, body)

/** Sends a payload. @returns the rows of its alerts */
async function alertsOf(payload: object) {
  const { body } = await deliver(hook.url, hook.token, payload)
  const rows = await server.app.platform.database.read
    .selectFrom('alerts')
    .selectAll()
    .where('project_id', '=', project.id)
    .orderBy('iid')
    .execute()
  return body.map(({ iid }: { iid: number }) => rows.find((row) => row.iid === iid))
}

const reload = (id: number) => alertById(platform.database.read, id)
const notes = async (iid: number) =>
  (await people.owner.get(`/projects/${project.id}/alert_management_alerts/${iid}/notes`)).body.map(
    ({ body }: { body: string }) => body,
  )

describe('an incident', () => {
  test('is opened later while the worker is switched off', async () => {
    await server.root.post('/features/alert_incident_worker', { value: false })
    const [alert] = await alertsOf({ title: 'Down' })
    const open = () => openIncidentJob.run(platform, { alertId: alert.id }, {} as never)
    await expect(open()).rejects.toThrow(RunLater)
    expect(opened).toEqual([])
    await server.root.post('/features/alert_incident_worker', { value: true, project: project.full_path })
    await open()
    expect(opened).toMatchObject([{ title: 'Down' }])
    await server.root.delete('/features/alert_incident_worker')
  })

  test('is opened once, linked and noted', async () => {
    const [alert] = await alertsOf({ title: 'Down', severity: 'info' })
    const ids = await Promise.all([openIncidentOf(platform, alert.id), openIncidentOf(platform, alert.id)])
    expect(ids.filter((id) => id !== null)).toEqual([1001])
    expect(opened).toMatchObject([{ projectId: project.id, title: 'Down', severity: 'unknown' }])
    const bot = (await server.root.get('/users?username=alert-bot')).body[0]
    expect(opened[0]?.authorId).toBe(bot.id)
    const row = await reload(alert.id)
    expect(row?.issue_id).toBe(1001)
    expect(await notes(1)).toEqual(['logged an alert', 'created incident #1'])
    expect(await Alert.presentAll(row ? [row] : [], { platform, project })).toMatchObject([
      { issue_iid: 1, issue: { id: 1001, iid: 1, state: 'opened', web_url: 'http://issues/1001' } },
    ])
  })

  test('describes the alert, with its own Markdown and the template', async () => {
    await settings({ issue_template_key: 'incident' })
    const [alert] = await alertsOf(
      monitoringPayload([
        {
          startsAt: '2024-01-01T00:00:00Z',
          labels: { alertname: 'Down', severity: 'p2', 'odd|name': 'a\nb' },
          annotations: {
            description: '@all /close **x**',
            runbook: 'http://r',
            gitlab_incident_markdown: '**Own** text',
          },
          generatorURL: 'http://p/?g0.expr=a%60b',
        },
      ]),
    )
    await openIncidentOf(platform, alert.id)
    const url = `${server.url}/${project.full_path}/-/alert_management/1/details`
    expect(opened[0]?.description).toBe(
      [
        '#### Summary',
        '',
        '**Start time:** 2024-01-01T00:00:00.000Z  ',
        '**Severity:** high  ',
        '**Query:** `` a`b ``  ',
        '**Monitoring tool:** Prometheus  ',
        '**Runbook:** http\\:\\/\\/r  ',
        '**Description:** \\@all \\/close \\*\\*x\\*\\*  ',
        `**Alert:** ${url}`,
        '',
        '---',
        '',
        '#### Alert details',
        '',
        '| Name | Value |',
        '|---|---|',
        '| annotations.description | \\@all \\/close \\*\\*x\\*\\* |',
        '| annotations.runbook | http\\:\\/\\/r |',
        '| annotations.gitlab\\_incident\\_markdown | \\*\\*Own\\*\\* text |',
        '| labels.alertname | Down |',
        '| labels.severity | p2 |',
        '| labels.odd\\|name | a b |',
        '',
        '---',
        '',
        '**Own** text',
        '',
        '---',
        '',
        '## Checklist',
      ].join('\n'),
    )
  })

  test('is opened for new alerts where the project wants that, and closed on recovery', async () => {
    const { jobs } = platform
    const [before] = await alertsOf({ title: 'a' })
    await jobs.drain()
    expect(opened).toEqual([])
    await settings({ create_issue: true })
    const [alert] = await alertsOf({ title: 'b' })
    await alertsOf({ title: 'c', end_time: '2024-01-01' })
    await jobs.drain()
    expect(opened.map(({ title }) => title)).toEqual(['b'])
    expect(await reload(alert.id)).toMatchObject({ issue_id: 1001 })
    // A further event of an alert without an incident opens one; of others, none.
    await alertsOf({ title: 'a' })
    await alertsOf({ title: 'b' })
    await jobs.drain()
    expect(opened.map(({ title }) => title)).toEqual(['b', 'a'])
    expect(await reload(before.id)).toMatchObject({ issue_id: 1002 })
    await alertsOf({ title: 'b', end_time: '2024-01-01' })
    await jobs.drain()
    expect(closed).toEqual([1001])
  })

  test('is closed when its alert is resolved by a payload, unless the project does not want that', async () => {
    const payload = { title: 'a' }
    const [alert] = await alertsOf(payload)
    await openIncidentOf(platform, alert.id)
    await closeIncidentOf(platform, alert.id)
    expect(closed).toEqual([])
    await settings({ auto_close_incident: false })
    await alertsOf({ ...payload, end_time: '2024-01-01' })
    await platform.jobs.drain()
    await closeIncidentOf(platform, alert.id)
    expect(closed).toEqual([])
    await settings({ auto_close_incident: true })
    await closeIncidentOf(platform, alert.id)
    expect(closed).toEqual([1001])
  })

  test('is closed when its alert was resolved before it was opened', async () => {
    const [alert] = await alertsOf({ title: 'a', end_time: '2024-01-01' })
    await openIncidentOf(platform, alert.id)
    expect(closed).toEqual([1001])
  })

  test('resolves its alerts when it is closed, and is forgotten when it is deleted', async () => {
    const [alert] = await alertsOf({ title: 'a' })
    await openIncidentOf(platform, alert.id)
    const event = { issueId: 1001, userId: people.developer.id }
    await platform.database.write((tx) => resolveAlertsOfIncident(platform, tx, event))
    await platform.database.write((tx) => resolveAlertsOfIncident(platform, tx, event))
    expect(await reload(alert.id)).toMatchObject({ status: 'resolved', ended_at: expect.any(String) })
    expect((await notes(1)).at(-1)).toBe('changed the status to **Resolved** by closing the incident')
    expect(await notes(1)).toHaveLength(3)
    await platform.database.write((tx) => unlinkRemovedIncident(platform, tx, { issueId: 1001 }))
    expect((await reload(alert.id))?.issue_id).toBeNull()
  })

  test('is opened by a caller once', async () => {
    await alertsOf({ title: 'a' })
    const path = `/projects/${project.id}/alert_management_alerts`
    expect(await people.owner.post(`${path}/1/incident`)).toMatchObject({ status: 201, body: { id: 1001 } })
    expect(opened[0]?.authorId).toBe(people.owner.id)
    expect(await people.owner.post(`${path}/1/incident`)).toMatchObject({
      status: 409,
      body: { message: 'An issue already exists' },
    })
    expect((await people.owner.get(`${path}/1`)).body).toMatchObject({ issue_iid: 1, issue: { id: 1001 } })
    await alertsOf({ title: 'b' })
    expect((await people.owner.get(`${path}?issue_id=1001`)).body).toMatchObject([{ iid: 1 }])
    expect((await people.owner.get(`${path}?issue_id=1002`)).body).toEqual([])
    expect((await people.owner.get(`${path}?issue_id=x`)).body).toMatchObject({ error: 'issue_id is invalid' })
    expect(await people.owner.post(`${path}/9/incident`)).toMatchObject({
      status: 404,
      body: { message: '404 Alert Not Found' },
    })
  })

  test('does not exist where the project has no issues', async () => {
    Object.assign(platform.ports, { 'alerts.open_incident': async () => null })
    const [alert] = await alertsOf({ title: 'a' })
    const path = `/projects/${project.id}/alert_management_alerts/1/incident`
    expect(await people.owner.post(path)).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
    expect((await reload(alert.id))?.issue_id).toBeNull()
  })
})
