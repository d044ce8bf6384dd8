import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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

const send = async (payload: object) => (await deliver(hook.url, hook.token, payload)).body
const iids = (body: { iid: number }[]) => body.map(({ iid }) => iid)

async function stored() {
  const { read } = server.app.platform.database
  const rows = await read
    .selectFrom('alerts')
    .selectAll()
    .where('project_id', '=', place.project.id)
    .orderBy('iid')
    .execute()
  return rows.map(({ iid, status, event_count, ended_at }) => ({ iid, status, events: event_count, ended_at }))
}

async function notes(): Promise<string[]> {
  const { read } = server.app.platform.database
  const query = read.selectFrom('alert_notes').innerJoin('alerts', 'alerts.id', 'alert_notes.alert_id')
  const rows = await query
    .innerJoin('users', 'users.id', 'alert_notes.author_id')
    .select(['alerts.iid', 'alert_notes.body', 'users.username'])
    .where('alerts.project_id', '=', place.project.id)
    .orderBy('alert_notes.id')
    .execute()
  return rows.map(({ iid, body, username }) => `${iid} ${username} ${body}`)
}

const end = '2024-05-01T00:00:00.000Z'

describe('generic payloads', () => {
  test('are grouped until the alert ends', async () => {
    const payload = { title: 'Disk full', severity: 'high', hosts: ['a'] }
    expect(await send(payload)).toEqual([{ iid: 1, title: 'Disk full' }])
    expect(await send({ ...payload, hosts: ['b'], start_time: '2024-01-01' })).toEqual([{ iid: 1, title: 'Disk full' }])
    expect(iids(await send({ ...payload, end_time: end }))).toEqual([1])
    expect(await stored()).toEqual([{ iid: 1, status: 'resolved', events: 2, ended_at: end }])
    expect(iids(await send({ ...payload, end_time: end }))).toEqual([2])
    expect(iids(await send(payload))).toEqual([3])
    expect(await stored()).toEqual([
      { iid: 1, status: 'resolved', events: 2, ended_at: end },
      { iid: 2, status: 'resolved', events: 1, ended_at: end },
      { iid: 3, status: 'triggered', events: 1, ended_at: null },
    ])
    expect(await notes()).toEqual([
      '1 alert-bot logged an alert',
      '1 alert-bot logged a recovery alert',
      '2 alert-bot logged an alert',
      '2 alert-bot logged a recovery alert',
      '3 alert-bot logged an alert',
    ])
  })

  test('are grouped with acknowledged and ignored alerts, whose status stays', async () => {
    const { database } = server.app.platform
    for (const [index, status] of (['acknowledged', 'ignored'] as const).entries()) {
      const fingerprint = status
      await send({ fingerprint })
      const own = database.write((tx) =>
        tx
          .updateTable('alerts')
          .set({ status })
          .where('project_id', '=', place.project.id)
          .where('iid', '=', index + 1)
          .execute(),
      )
      await own
      expect(iids(await send({ fingerprint, title: 'other' }))).toEqual([index + 1])
    }
    expect(await stored()).toMatchObject([
      { status: 'acknowledged', events: 2 },
      { status: 'ignored', events: 2 },
    ])
  })

  test('without a fingerprint are never grouped', async () => {
    expect([...(await send({})), ...(await send({}))]).toMatchObject([{ iid: 1 }, { iid: 2 }])
  })

  test('keep what was received first', async () => {
    await send({ fingerprint: 'f', title: 'first', severity: 'low' })
    expect(await send({ fingerprint: 'f', title: 'second', severity: 'high' })).toEqual([{ iid: 1, title: 'first' }])
    const { read } = server.app.platform.database
    const row = await read
      .selectFrom('alerts')
      .selectAll()
      .where('project_id', '=', place.project.id)
      .executeTakeFirst()
    expect(row).toMatchObject({ title: 'first', severity: 'low', payload: expect.stringContaining('first') })
  })

  test('of other projects are not grouped', async () => {
    const other = await projectWithAlerts(server, people)
    const { url, token } = await other.integration()
    await send({ fingerprint: 'f' })
    expect((await deliver(url, token, { fingerprint: 'f' })).body).toMatchObject([{ iid: 1 }])
    expect(await stored()).toMatchObject([{ events: 1 }])
  })
})

describe('items', () => {
  const item = (labels: object, more: object = {}) => ({
    startsAt: '2024-01-01T00:00:00Z',
    labels: { alertname: 'Down', ...labels },
    ...more,
  })
  const fire = async (...items: object[]) => iids(await send(monitoringPayload(items)))

  test('are alerts of their own, resolved by their labels', async () => {
    expect(await fire(item({ a: 1 }), item({ a: 2 }))).toEqual([1, 2])
    expect(await fire(item({ a: 2 }), item({ a: 1 }), item({ a: 2 }))).toEqual([2, 1])
    expect(await fire(item({ a: 1 }, { status: 'resolved', endsAt: end }))).toEqual([1])
    expect(await stored()).toEqual([
      { iid: 1, status: 'resolved', events: 2, ended_at: end },
      { iid: 2, status: 'triggered', events: 3, ended_at: null },
    ])
  })

  test('without a fingerprint resolve the only alert with their labels', async () => {
    expect(await fire(item({}, { fingerprint: 'a' }))).toEqual([1])
    expect(await fire(item({}, { status: 'resolved' }))).toEqual([1])
    expect(await fire(item({}, { fingerprint: 'a' }), item({}, { fingerprint: 'b' }))).toEqual([2, 3])
    // Two alerts are open, so none is meant.
    expect(await fire(item({}, { status: 'resolved' }))).toEqual([4])
    expect(await stored()).toMatchObject([
      { iid: 1, status: 'resolved' },
      { iid: 2, status: 'triggered' },
      { iid: 3, status: 'triggered' },
      { iid: 4, status: 'resolved' },
    ])
  })

  test('of one payload follow each other', async () => {
    const firing = item({ a: 1 })
    const ended = item({ a: 1 }, { status: 'resolved', endsAt: end })
    expect(await fire(firing, firing, ended, ended, firing)).toEqual([1, 2, 3])
    expect(await stored()).toEqual([
      { iid: 1, status: 'resolved', events: 2, ended_at: end },
      { iid: 2, status: 'resolved', events: 1, ended_at: end },
      { iid: 3, status: 'triggered', events: 1, ended_at: null },
    ])
    // An open alert that is resolved and fires again in one payload.
    expect(await fire(ended, firing, firing)).toEqual([3, 4])
    expect(await stored()).toMatchObject([
      {},
      {},
      { status: 'resolved', events: 1 },
      { status: 'triggered', events: 2 },
    ])
  })
})

describe('at the same time', () => {
  test('twenty payloads with a fingerprint are one alert with the right count', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send({ fingerprint: 'same', title: 'a' })))
    expect(answers.map((body) => iids(body))).toEqual(answers.map(() => [1]))
    expect(await stored()).toEqual([{ iid: 1, status: 'triggered', events: 20, ended_at: null }])
    expect(await notes()).toEqual(['1 alert-bot logged an alert'])
  })

  test('payloads with different fingerprints get iids of their own', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => send({ fingerprint: `f${index}` })))
    expect(new Set(answers.flatMap(iids)).size).toBe(40)
    expect(await stored()).toHaveLength(40)
  })

  test('an integration that is deleted answers 404 and stores nothing', async () => {
    const [{ status }, ...answers] = await Promise.all([
      place.maintainer.delete(`${place.integrations}/${hook.id}`),
      ...Array.from({ length: 10 }, (_, index) => deliver(hook.url, hook.token, { fingerprint: `f${index}` })),
    ])
    expect(status).toBe(204)
    const accepted = answers.filter((answer) => answer.status === 200)
    expect(answers.every((answer) => answer.status === 200 || answer.status === 404)).toBe(true)
    expect(await stored()).toHaveLength(accepted.length)
    expect((await deliver(hook.url, hook.token, {})).status).toBe(404)
  })
})
