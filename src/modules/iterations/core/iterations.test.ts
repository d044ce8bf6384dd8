import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dayAfter } from '../../../api/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { iterationsByIds, unusableIterations, usableIteration } from './store.ts'

let server: TestServer
let owner: Person
let planner: Person
let top: NamespaceRow
let group: NamespaceRow
let base: string

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  planner = await server.user('planner')
})
afterAll(() => server.stop())

let made = 0
beforeEach(async () => {
  made += 1
  top = await server.make.group(`top${made}`, owner)
  group = await server.make.group('sub', owner, { parent: top })
  await server.make.member({ namespace: group }, planner, 15)
  base = `/groups/${group.id}/iterations`
})

const day = (days: number) => dayAfter(server.app.platform.clock.now(), days)
const create = (from: number, to: number, more: object = {}) =>
  planner.post(base, { start_date: day(from), due_date: day(to), ...more })
const invalid = (message: object) => ({ status: 400, body: { message } })
const gone = { status: 404, body: { message: '404 Iteration Not Found' } }
const overlapping = 'Dates cannot overlap with other existing Iterations within this iterations cadence'
const automatic = { title: 'A', start_date: '2999-01-01', duration_in_weeks: 1, iterations_in_advance: 2 }
const cadences = () => `/groups/${group.id}/iteration_cadences`

describe('an iteration', () => {
  test('is created, read, changed and deleted', async () => {
    const created = await create(-1, 5, { title: ' Sprint ', description: 'd' })
    expect(created.status).toBe(201)
    const { id, created_at } = created.body
    expect(created.body).toEqual({
      ...{ id: expect.any(Number), iid: 1, sequence: 1, group_id: group.id, title: 'Sprint', description: 'd' },
      ...{ state: 2, created_at, updated_at: created_at, start_date: day(-1), due_date: day(5) },
      web_url: `${server.url}/groups/${group.full_path}/-/iterations/${id}`,
    })
    expect((await planner.get(`${base}/${id}`)).body).toEqual(created.body)
    const change = (params: object) => planner.put(`${base}/${id}`, params)
    expect((await change({ title: null, description: null })).body).toMatchObject({ title: null, description: null })
    expect((await change({ start_date: day(2) })).body).toMatchObject({
      state: 1,
      start_date: day(2),
      due_date: day(5),
    })
    const headers = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }
    expect((await planner.delete(`${base}/${id}`, { headers })).status).toBe(412)
    expect((await planner.delete(`${base}/${id}`)).status).toBe(204)
    for (const method of ['get', 'delete'] as const) {
      expect(await planner[method](`${base}/${id}`)).toMatchObject(gone)
    }
    expect(await change({ title: 'x' })).toMatchObject(gone)
    expect((await create(0, 1)).body).toMatchObject({ iid: 2, sequence: 1, title: null })
  })

  test.each([
    [-9, -1, 3],
    [-1, -1, 3],
    [0, 0, 2],
    [-9, 0, 2],
    [0, 9, 2],
    [1, 1, 1],
  ])('from day %i to day %i has state %i', async (from, to, state) => {
    expect((await create(from, to)).body).toMatchObject({ state })
  })

  test('is in the oldest manual cadence, which is created on demand', async () => {
    const answers = await Promise.all([0, 10, 20].map((from) => create(from, from + 1)))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    const listed = (await planner.get(cadences())).body
    expect(listed).toMatchObject([{ title: 'sub Iterations', automatic: false, roll_over: false, active: true }])
    const other = (await planner.post(cadences(), { title: 'other', automatic: false })).body
    expect((await create(30, 31)).body.sequence).toBe(4)
    expect((await create(0, 1, { iteration_cadence_id: other.id })).body).toMatchObject({ sequence: 1, iid: 5 })
  })

  test('is numbered in its cadence by date', async () => {
    const third = (await create(20, 21)).body
    const first = (await create(0, 1)).body
    const second = (await create(10, 11)).body
    const numbers = async () =>
      Promise.all([first, second, third].map(async ({ id }) => (await planner.get(`${base}/${id}`)).body?.sequence))
    expect(await numbers()).toEqual([1, 2, 3])
    await planner.put(`${base}/${first.id}`, { start_date: day(30), due_date: day(31) })
    expect(await numbers()).toEqual([3, 1, 2])
    await planner.delete(`${base}/${second.id}`)
    expect(await numbers()).toEqual([2, undefined, 1])
  })

  test('does not overlap with another of its cadence, also when they are created at the same time', async () => {
    await create(0, 6)
    for (const [from, to] of [
      [-3, 0],
      [6, 9],
      [2, 3],
      [-3, 9],
    ] as const) {
      expect(await create(from, to)).toMatchObject(invalid({ base: [overlapping] }))
    }
    expect((await create(7, 13)).status).toBe(201)
    const answers = await Promise.all([20, 21, 22, 23].map((from) => create(from, from + 5)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400])
    const { id } = (await create(40, 41)).body
    const change = (params: object) => planner.put(`${base}/${id}`, params)
    expect(await change({ start_date: day(13) })).toMatchObject(invalid({ base: [overlapping] }))
    expect(await change({ due_date: day(39) })).toMatchObject(
      invalid({ due_date: ['must be greater than start date'] }),
    )
    expect((await change({ start_date: day(39) })).status).toBe(200)
  })

  test.each([
    [{}, { error: 'start_date is missing, due_date is missing' }],
    [{ start_date: '2026-01-01', due_date: '' }, { error: 'due_date is missing' }],
    [{ start_date: '2026-02-30', due_date: '2026-03-01' }, { error: 'start_date is invalid' }],
    [
      { start_date: '2026-01-02', due_date: '2026-01-01' },
      { message: { due_date: ['must be greater than start date'] } },
    ],
    [
      { start_date: '2026-01-01', due_date: '2026-01-01', title: '🦊'.repeat(256) },
      { message: { title: ['is too long (maximum is 255 characters)'] } },
    ],
  ])('cannot be created with %j', async (params, body) => {
    expect(await planner.post(base, params)).toMatchObject({ status: 400, body })
    expect((await planner.get(cadences())).body).toEqual([])
  })

  test('can have the last days of the calendar', async () => {
    const last = { start_date: '9999-12-31', due_date: '9999-12-31' }
    expect((await planner.post(base, last)).body).toMatchObject({ ...last, state: 1 })
    const [{ id }] = (await planner.get(cadences())).body
    const plan = { automatic: true, start_date: '2026-01-01', duration_in_weeks: 4, iterations_in_advance: 10 }
    expect((await planner.put(`${cadences()}/${id}`, plan)).status).toBe(200)
  })

  test('belongs to a cadence of the group', async () => {
    const elsewhere = (await owner.post(`/groups/${top.id}/iteration_cadences`, { title: 'x', automatic: false })).body
    expect(await create(0, 1, { iteration_cadence_id: elsewhere.id })).toMatchObject({
      status: 404,
      body: { message: '404 Iteration Cadence Not Found' },
    })
  })

  test('needs one parameter to change', async () => {
    const { id } = (await create(0, 1)).body
    expect((await planner.put(`${base}/${id}`)).body.error).toBe(
      'title, description, start_date, due_date are missing, at least one parameter must be provided',
    )
    expect((await planner.put(`${base}/x`, { title: 'y' })).body.error).toBe('iteration_id is invalid')
  })

  test('is read below its group, and changed in it', async () => {
    const { body } = await owner.post(`/groups/${top.id}/iterations`, { start_date: day(0), due_date: day(1) })
    expect((await planner.get(`${base}/${body.id}`)).body).toEqual(body)
    expect(await planner.put(`${base}/${body.id}`, { title: 'x' })).toMatchObject(gone)
    expect(await planner.delete(`${base}/${body.id}`)).toMatchObject(gone)
    const db = server.app.platform.database.read
    const own = (await create(0, 1)).body
    expect((await usableIteration(db, group.id, body.id))?.group_path).toBe(top.full_path)
    expect(await usableIteration(db, top.id, own.id)).toBeNull()
    expect(await unusableIterations(db, top.id, [own.id, body.id])).toEqual([own.id])
    expect([...(await iterationsByIds(db, [own.id])).keys()]).toEqual([own.id])
  })
})

describe('an iteration of an automatic cadence', () => {
  test('is neither created nor moved by hand', async () => {
    const { id } = (await planner.post(cadences(), automatic)).body
    const [first] = (await planner.get(base)).body
    const refusal = 'Iterations cannot be manually added to cadences that use automatic scheduling'
    expect(await create(0, 1, { iteration_cadence_id: id })).toMatchObject(invalid({ iterations_cadence: [refusal] }))
    expect(await planner.put(`${base}/${first.id}`, { due_date: '2999-01-06' })).toMatchObject(
      invalid({ iterations_cadence: ['Dates cannot be changed in cadences that use automatic scheduling'] }),
    )
    expect(await planner.put(`${base}/${first.id}`, { title: 'Named', due_date: first.due_date })).toMatchObject({
      status: 200,
      body: { title: 'Named' },
    })
  })

  test('is deleted only when it is the last one, and has not begun', async () => {
    await planner.post(cadences(), { ...automatic, start_date: day(-3) })
    const [current, next, last] = (await planner.get(base)).body
    expect([current, next, last].map(({ state }) => state)).toEqual([2, 1, 1])
    const refusal = "upcoming/current iterations can't be deleted unless they are the last one in the cadence"
    for (const { id } of [current, next]) {
      expect(await planner.delete(`${base}/${id}`)).toMatchObject({ status: 400, body: { message: refusal } })
    }
    expect((await planner.delete(`${base}/${last.id}`)).status).toBe(204)
    expect((await planner.delete(`${base}/${next.id}`)).status).toBe(204)
    expect((await planner.delete(`${base}/${current.id}`)).status).toBe(400)
  })
})
