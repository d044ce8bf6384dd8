import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { makePeople, type People, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { deliver, type Integration, monitoringPayload, type ProjectWithAlerts, projectWithAlerts } from '../testing.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
let server: TestServer
let people: People
let place: ProjectWithAlerts
let hook: Integration

beforeAll(async () => {
  server = await startTestServer({ clock })
  people = await makePeople(server)
})
afterAll(() => server.stop())

beforeEach(async () => {
  place = await projectWithAlerts(server, people)
  hook = await place.integration()
})

/** Sends an alert, a second after whatever was before. */
const send = (payload: object) => {
  clock.advance(1000)
  return deliver(hook.url, hook.token, payload)
}
const get = (query = '') => place.developer.get(`${place.alerts}${query}`)
const put = (iid: number, body: unknown) => place.developer.put(`${place.alerts}/${iid}`, body)
const iidsOf = async (query: string) => (await get(query)).body.map(({ iid }: { iid: number }) => iid)
const notesOf = async (iid: number) => (await get(`/${iid}/notes`)).body.map(({ body }: { body: string }) => body)
const missing = { status: 404, body: { message: '404 Alert Not Found' } }

describe('an alert', () => {
  test('shows what was received', async () => {
    const payload = {
      title: 'Disk full',
      description: 'd',
      hosts: ['a'],
      start_time: '2024-01-01T00:00:00Z',
      x: { y: 1 },
    }
    await send(payload)
    const { status, body } = await get('/1')
    expect(status).toBe(200)
    expect(body).toEqual({
      iid: 1,
      project_id: place.project.id,
      title: 'Disk full',
      description: 'd',
      severity: 'critical',
      status: 'triggered',
      service: null,
      monitoring_tool: null,
      hosts: ['a'],
      started_at: '2024-01-01T00:00:00.000Z',
      ended_at: null,
      event_count: 1,
      fingerprint: expect.stringMatching(/^[0-9a-f]{40}$/),
      environment_name: null,
      runbook: null,
      full_query: null,
      y_label: null,
      integration: { id: hook.id, name: 'Pager Hook', type: 'http' },
      assignees: [],
      issue_iid: null,
      issue: null,
      web_url: `${server.url}/${place.path}/-/alert_management/1/details`,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      details: { title: 'Disk full', description: 'd', hosts: ['a'], start_time: '2024-01-01T00:00:00Z', 'x.y': 1 },
      payload,
    })
    const { details: _, payload: __, ...listed } = body
    expect((await get()).body).toEqual([listed])
    await place.maintainer.delete(`${place.integrations}/${hook.id}`)
    expect((await get('/1')).body.integration).toBeNull()
  })

  test('of the monitoring-tool format shows annotations and labels', async () => {
    const annotations = { summary: 'S', nested: { a: 1 } }
    const item = { startsAt: 'x', labels: { b: 'c' }, annotations, other: 1, generatorURL: 'http://p/?g0.expr=up' }
    await send(monitoringPayload([item]))
    expect((await get('/1')).body).toMatchObject({
      title: 'S',
      full_query: 'up',
      y_label: 'S',
      monitoring_tool: 'Prometheus',
      details: { 'annotations.summary': 'S', 'annotations.nested.a': 1, 'labels.b': 'c' },
      payload: item,
    })
  })

  test('has members that are data, whatever they are called', async () => {
    await send(JSON.parse('{"title":"a","__proto__":{"b":1},"constructor":"c","é\\u0000":2}') as object)
    const { body } = await get('/1')
    expect(JSON.stringify(body.details)).toBe(
      JSON.stringify({ title: 'a', '__proto__.b': 1, constructor: 'c', 'é\u0000': 2 }),
    )
    expect(Object.keys(body.payload)).toEqual(['title', '__proto__', 'constructor', 'é\u0000'])
  })

  test('belongs to one project', async () => {
    await send({ title: 'a' })
    const other = await projectWithAlerts(server, people)
    expect(await other.developer.get(`${other.alerts}/1`)).toMatchObject(missing)
    expect(await other.developer.put(`${other.alerts}/1`, { status: 'ignored' })).toMatchObject(missing)
    expect(await other.developer.get(`${other.alerts}/1/notes`)).toMatchObject(missing)
    expect(await get('/x')).toMatchObject({ status: 400, body: { error: 'alert_iid is invalid' } })
  })
})

describe('the list', () => {
  const minute = (number: number) => `2024-01-01T00:0${number}:00Z`

  beforeEach(async () => {
    const common = { service: 'Web', monitoring_tool: 'Nagios' }
    await send({ ...common, title: 'Disk 50%', severity: 'low', start_time: minute(3), fingerprint: '1' })
    await send({ title: 'b', description: 'A Disk', severity: 'unknown', start_time: minute(1), fingerprint: '2' })
    await send({
      title: 'c',
      severity: 'critical',
      start_time: minute(2),
      fingerprint: '3',
      gitlab_environment_name: 'prod',
    })
    await send({ title: 'd', severity: 'info', start_time: minute(2), fingerprint: '4', end_time: minute(9) })
    await send({ fingerprint: '3' })
    clock.advance(1000)
    await put(1, { status: 'acknowledged', assignee_usernames: [people.developer.username] })
  })

  test.each([
    ['', [1, 4, 3, 2]],
    ['?sort=asc', [2, 4, 3, 1]],
    ['?order_by=severity', [3, 1, 4, 2]],
    ['?order_by=severity&sort=asc', [2, 4, 1, 3]],
    ['?order_by=status&sort=asc', [3, 2, 1, 4]],
    ['?order_by=status', [4, 1, 3, 2]],
    ['?order_by=event_count', [3, 4, 2, 1]],
    ['?order_by=ended_at', [4, 3, 2, 1]],
    ['?order_by=ended_at&sort=asc', [4, 3, 2, 1]],
    ['?order_by=created_at&sort=asc', [1, 2, 3, 4]],
    ['?order_by=updated_at', [1, 3, 4, 2]],
    ['?status=triggered', [3, 2]],
    ['?status=triggered,resolved', [4, 3, 2]],
    ['?status[]=acknowledged&status[]=resolved', [1, 4]],
    ['?severity=low,info', [1, 4]],
    ['?iids[]=1&iids[]=3&iids[]=99', [1, 3]],
    ['?search=dIsK', [1, 2]],
    ['?search=50%25', [1]],
    ['?search=nagi', [1]],
    ['?search=web', [1]],
    ['?assignee_username=None', [4, 3, 2]],
    ['?assignee_username=Any', [1]],
    ['?assignee_username=no-such-user', []],
    ['?environment_name=prod', [3]],
    ['?monitoring_tool=Nagios', [1]],
    ['?monitoring_tool=nagios', []],
    ['?created_after=2999-01-01', []],
    ['?created_before=2999-01-01', [1, 4, 3, 2]],
    ['?per_page=2&page=2', [3, 2]],
  ])('%s', async (query, iids) => {
    expect(await iidsOf(query)).toEqual(iids)
  })

  test('by assignee', async () => {
    expect(await iidsOf(`?assignee_username=${people.developer.username.toUpperCase()}`)).toEqual([1])
    expect((await get('/1')).body.assignees).toMatchObject([{ id: people.developer.id }])
  })

  test.each(['status', 'severity', 'order_by', 'sort'])('refuses a wrong %s', async (name) => {
    for (const query of [
      `?${name}=x`,
      ...(name.startsWith('s') && name !== 'sort' ? [`?${name}[]=x`, `?${name}=low,x`] : []),
    ]) {
      expect(await get(query)).toMatchObject({ status: 400, body: { error: `${name} does not have a valid value` } })
    }
  })

  test('is counted by status', async () => {
    const counts = async (query = '') => (await get(`/status_counts${query}`)).body
    expect(await counts()).toEqual({ all: 4, open: 3, triggered: 2, acknowledged: 1, resolved: 1, ignored: 0 })
    expect(await counts('?search=disk')).toMatchObject({ all: 2, triggered: 1, acknowledged: 1 })
    expect(await counts('?assignee_username=Any')).toMatchObject({ all: 1, acknowledged: 1 })
  })

  test('is counted by severity', async () => {
    const counts = async (query = '') => (await get(`/severity_counts${query}`)).body
    const all = await counts()
    const listed = await get()
    for (const severity of ['critical', 'high', 'medium', 'low', 'info', 'unknown']) {
      const found = listed.body.filter((alert: { severity: string }) => alert.severity === severity)
      expect(all[severity], severity).toBe(found.length)
    }
    const sum = (found: Record<string, number>) => Object.values(found).reduce((total, count) => total + count, 0)
    expect([sum(all), sum(await counts('?status=triggered')), sum(await counts('?status=triggered,resolved'))]).toEqual(
      [4, 2, 3],
    )
    expect(sum(await counts('?search=disk'))).toBe(2)
    expect(sum(await counts('?assignee_username=Any'))).toBe(1)
    expect((await get('/severity_counts?status=x')).body.error).toBe('status does not have a valid value')
  })

  test('takes the same queries for any number of alerts', async () => {
    const few = await queriesOf(server, () => get('?per_page=1'))
    expect(await queriesOf(server, () => get('?per_page=100'))).toBe(few)
    const one = await queriesOf(server, () => get('/1/notes?per_page=1'))
    expect(await queriesOf(server, () => get('/1/notes'))).toBe(one)
  })
})

describe('a status', () => {
  test('changes to any other, with a note', async () => {
    await send({ title: 'a' })
    for (const status of ['acknowledged', 'ignored', 'resolved', 'triggered', 'resolved', 'acknowledged']) {
      const { body } = await put(1, { status })
      expect(body).toMatchObject({ status, ended_at: status === 'resolved' ? expect.any(String) : null })
    }
    expect(await notesOf(1)).toEqual([
      'logged an alert',
      'changed the status to **Acknowledged**',
      'changed the status to **Ignored**',
      'changed the status to **Resolved**',
      'changed the status to **Triggered**',
      'changed the status to **Resolved**',
      'changed the status to **Acknowledged**',
    ])
  })

  test('that stays changes nothing', async () => {
    await send({ title: 'a' })
    const { body } = await get('/1')
    expect((await put(1, { status: 'triggered', assignee_usernames: [] })).body).toEqual(body)
    expect(await notesOf(1)).toHaveLength(1)
  })

  test('of a resolved alert stays while its twin is open', async () => {
    const payload = { title: 'a' }
    await send(payload)
    await put(1, { status: 'resolved' })
    await send(payload)
    const refused = await put(1, { status: 'triggered' })
    expect(refused).toMatchObject({
      status: 409,
      body: {
        message:
          'An alert with the same fingerprint is already open. To change the status of this alert, resolve the linked alert.',
        alert_iid: 2,
      },
    })
    expect((await get('/1')).body.status).toBe('resolved')
    await put(2, { status: 'resolved' })
    // Of two at once, one is opened.
    const both = await Promise.all([put(1, { status: 'triggered' }), put(2, { status: 'ignored' })])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

describe('an assignee', () => {
  const names = async () => (await get('/1')).body.assignees.map(({ username }: { username: string }) => username)

  beforeEach(() => send({ title: 'a' }))

  test('is one user who is a developer at least', async () => {
    const { developer, maintainer } = people
    await put(1, { assignee_usernames: [developer.username, maintainer.username] })
    expect(await names()).toEqual([developer.username])
    await put(1, { assignee_ids: [maintainer.id] })
    expect(await names()).toEqual([maintainer.username])
    await put(1, { assignee_usernames: [] })
    expect(await names()).toEqual([])
    await put(1, { assignee_usernames: ['root'] })
    expect(await names()).toEqual(['root'])
    expect(await notesOf(1)).toEqual([
      'logged an alert',
      `assigned to @${developer.username}`,
      `assigned to @${maintainer.username} and unassigned @${developer.username}`,
      `unassigned @${maintainer.username}`,
      'assigned to @root',
    ])
  })

  test('cannot be another user', async () => {
    for (const name of [people.reporter.username, people.outsider.username, 'no-such-user', '\u0000']) {
      const { status, body } = await put(1, { assignee_usernames: [name] })
      expect(status).toBe(400)
      if (name !== '\u0000') expect(body.message).toEqual({ assignee_usernames: ['is invalid'] })
    }
    expect((await put(1, { assignee_ids: [people.reporter.id] })).body.message).toEqual({
      assignee_ids: ['is invalid'],
    })
    expect((await put(1, { assignee_ids: [99_999_999] })).body.message).toEqual({ assignee_ids: ['is invalid'] })
    expect(await names()).toEqual([])
  })
})

test('a change needs something to change', async () => {
  await send({ title: 'a' })
  expect((await put(1, {})).body.error).toBe(
    'status, assignee_usernames, assignee_ids are missing, at least one parameter must be provided',
  )
  expect((await put(1, { status: 'open' })).body.error).toBe('status does not have a valid value')
  expect(await put(9, { status: 'ignored' })).toMatchObject(missing)
})

describe('the activity', () => {
  test('has authors, of which a removed one becomes the ghost user', async () => {
    const leaver = await server.user(`leaver-${place.project.id}`)
    await server.make.member({ project: place.project }, leaver, 30)
    await send({ title: 'a' })
    await leaver.put(`${place.alerts}/1`, { status: 'ignored', assignee_ids: [leaver.id] })
    const authors = async () =>
      (await get('/1/notes')).body.map(({ author, system }: { author: { username: string }; system: boolean }) => [
        author.username,
        system,
      ])
    expect(await authors()).toEqual([
      ['alert-bot', true],
      [leaver.username, true],
      [leaver.username, true],
    ])
    await server.root.delete(`/users/${leaver.id}`)
    await server.app.platform.jobs.drain()
    expect((await authors()).map(([name]: [string]) => name)).toEqual(['alert-bot', 'ghost', 'ghost'])
    expect((await get('/1')).body.assignees).toEqual([])
  })

  test('is of one author who cannot sign in and is no member', async () => {
    await send({ title: 'a' })
    const [bot] = (await server.root.get('/users?username=alert-bot')).body
    expect(bot).toMatchObject({ bot: true, state: 'active' })
    const members = (await place.maintainer.get(`${place.base}/members/all`)).body
    expect(members.map(({ username }: { username: string }) => username)).not.toContain('alert-bot')
  })
})

test('deleting the project deletes its alerts', async () => {
  await send({ title: 'a' })
  await server.root.delete(`${place.base}`)
  await server.root.delete(`${place.base}?permanently_remove=true&full_path=${encodeURIComponent(place.path)}`)
  await server.app.platform.jobs.drain()
  const { read } = server.app.platform.database
  const rows = await read.selectFrom('alerts').selectAll().where('project_id', '=', place.project.id).execute()
  expect((await server.root.get(place.base)).status).toBe(404)
  expect(rows).toEqual([])
})
