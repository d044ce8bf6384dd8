import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dayAfter } from '../../../api/index.ts'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'

type Closed = { iterationId: number; nextIterationId: number | null }

const dayMs = 86_400_000
const gone = { status: 404, body: { message: '404 Iteration Cadence Not Found' } }

let server: TestServer
let clock: ManualClock
let owner: Person
let group: NamespaceRow
let closed: Closed[] = []
let removed: number[] = []

beforeAll(async () => {
  // A Wednesday.
  clock = manualClock({ start: '2026-03-04T12:00:00.000Z' })
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  const { reactions } = server.app.platform
  const closing = reactions['iteration.closed'] as unknown as unknown[]
  closing.push(async (_platform: unknown, _tx: unknown, payload: Closed) => {
    closed.push(payload)
  })
  const removing = reactions['iterations.removed'] as unknown as unknown[]
  removing.push(async (_platform: unknown, _tx: unknown, { iterationIds }: { iterationIds: number[] }) => {
    removed.push(...iterationIds)
  })
})
afterAll(() => {
  const { reactions } = server.app.platform
  for (const name of ['iteration.closed', 'iterations.removed'] as const)
    (reactions[name] as unknown as unknown[]).pop()
  return server.stop()
})

let made = 0
beforeEach(async () => {
  made += 1
  closed = []
  removed = []
  startedAt = clock.now()
  group = await server.make.group(`group${made}`, owner)
})
afterEach(async () => {
  for (const { id } of (await owner.get(cadences())).body) await owner.delete(`${cadences()}/${id}`)
})

const cadences = () => `/groups/${group.id}/iteration_cadences`
type Shown = { id: number; start_date: string; due_date: string; state: number; sequence: number; title: null }
const iterations = async (): Promise<Shown[]> => (await owner.get(`/groups/${group.id}/iterations?per_page=100`)).body
/** The day on which the test began. */
let startedAt: Date
/** A day by its distance from that day, and the other way round. */
const day = (distance: number) => dayAfter(startedAt, distance)
const distanceOf = (text: string) => (Date.parse(text) - Date.parse(day(0))) / dayMs
const periods = async () =>
  (await iterations()).map(({ start_date, due_date }) => [distanceOf(start_date), distanceOf(due_date)])
/** Weekly since the day before yesterday. */
const plan = () => ({ title: 'Weekly', start_date: day(-2), duration_in_weeks: 1, iterations_in_advance: 2 })
const create = async (params: object = {}) => (await owner.post(cadences(), { ...plan(), ...params })).body
const advance = async (days: number) => {
  const { database, jobs } = server.app.platform
  clock.advance(days * dayMs)
  await database.write((tx) => jobs.enqueue(tx, 'iterations.advance', null))
  await jobs.drain()
}

describe('a cadence', () => {
  test('is created, read, changed and deleted', async () => {
    const created = await owner.post(cadences(), { ...plan(), title: ' Weekly ', description: 'd', roll_over: true })
    expect(created.status).toBe(201)
    const { id, created_at } = created.body
    expect(created.body).toEqual({
      ...{ ...plan(), id: expect.any(Number), group_id: group.id, description: 'd', automatic: true, roll_over: true },
      ...{ active: true, created_at, updated_at: created_at },
    })
    expect((await owner.get(`${cadences()}/${id}`)).body).toEqual(created.body)
    expect((await owner.get(cadences())).body).toEqual([created.body])
    const changed = await owner.put(`${cadences()}/${id}`, { title: 'W', description: null, roll_over: false })
    expect(changed.body).toMatchObject({ title: 'W', description: null, roll_over: false, automatic: true })
    const ids = (await iterations()).map((one) => one.id)
    const headers = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }
    expect((await owner.delete(`${cadences()}/${id}`, { headers })).status).toBe(412)
    expect((await owner.delete(`${cadences()}/${id}`)).status).toBe(204)
    expect(removed).toEqual(ids)
    expect(await iterations()).toEqual([])
    expect(await owner.get(`${cadences()}/${id}`)).toMatchObject(gone)
    expect(await owner.delete(`${cadences()}/${id}`)).toMatchObject(gone)
    expect(await owner.put(`${cadences()}/${id}`, { title: 'x' })).toMatchObject(gone)
  })

  const blank = ["can't be blank"]
  const valid = { title: 'x', start_date: '2026-03-02', duration_in_weeks: 1, iterations_in_advance: 2 }
  test.each([
    [{ automatic: false }, { error: 'title is missing' }],
    [{ title: ' ', automatic: false }, { message: { title: blank } }],
    [{ title: 'x'.repeat(256), automatic: false }, { message: { title: ['is too long (maximum is 255 characters)'] } }],
    [{ title: 'x' }, { message: { start_date: blank, duration_in_weeks: blank, iterations_in_advance: blank } }],
    [{ ...valid, start_date: '' }, { message: { start_date: blank } }],
    [{ ...valid, start_date: 'soon' }, { error: 'start_date is invalid' }],
    [{ ...valid, duration_in_weeks: 5 }, { error: 'duration_in_weeks does not have a valid value' }],
    [{ ...valid, iterations_in_advance: 0 }, { error: 'iterations_in_advance does not have a valid value' }],
    [{ ...valid, iterations_in_advance: 11 }, { error: 'iterations_in_advance does not have a valid value' }],
  ])('cannot be created with %j', async (params, body) => {
    expect(await owner.post(cadences(), params)).toMatchObject({ status: 400, body })
  })

  test('needs one parameter to change, and keeps what its schedule needs', async () => {
    const { id } = await create()
    expect((await owner.put(`${cadences()}/${id}`)).body.error).toMatch(/^title, .* at least one parameter must be/)
    expect(await owner.put(`${cadences()}/${id}`, { duration_in_weeks: null })).toMatchObject({
      status: 400,
      body: { message: { duration_in_weeks: blank } },
    })
    expect((await owner.put(`${cadences()}/${id}`, { duration_in_weeks: null, automatic: false })).status).toBe(200)
  })
})

describe('an automatic cadence', () => {
  test('has the current iteration, and as many upcoming ones as it wants', async () => {
    await create({ iterations_in_advance: 3 })
    const shown = await iterations()
    expect(shown.map(({ state, sequence, title }) => [state, sequence, title])).toEqual([
      [2, 1, null],
      [1, 2, null],
      [1, 3, null],
      [1, 4, null],
    ])
    expect(await periods()).toEqual([
      [-2, 4],
      [5, 11],
      [12, 18],
      [19, 25],
    ])
  })

  test('begins on a day in the future, or in the rhythm of a day in the past', async () => {
    const { id } = await create({ start_date: day(30) })
    expect(await periods()).toEqual([
      [30, 36],
      [37, 43],
    ])
    await owner.delete(`${cadences()}/${id}`)
    await create({ start_date: day(-140 - 3), duration_in_weeks: 2, iterations_in_advance: 1 })
    expect(await periods()).toEqual([
      [-3, 10],
      [11, 24],
    ])
  })

  test('gets further iterations as time passes, each once', async () => {
    await create()
    await advance(7)
    expect(await periods()).toEqual([
      [-2, 4],
      [5, 11],
      [12, 18],
      [19, 25],
    ])
    expect((await iterations()).map(({ state }) => state)).toEqual([3, 2, 1, 1])
    await Promise.all([advance(0), advance(0)])
    expect(await iterations()).toHaveLength(4)
    // Weeks in which the server did not run have no iterations.
    await advance(70)
    expect((await iterations()).map(({ state, sequence }) => [state, sequence])).toEqual([
      [3, 1],
      [3, 2],
      [3, 3],
      [3, 4],
      [2, 5],
      [1, 6],
      [1, 7],
    ])
  })

  test('gives its upcoming iterations new dates when its schedule changes', async () => {
    const { id } = await create()
    const before = await iterations()
    await owner.put(`${cadences()}/${id}`, { duration_in_weeks: 2 })
    expect(await periods()).toEqual([
      [-2, 4],
      [5, 18],
      [19, 32],
    ])
    expect((await iterations()).map((one) => one.id)).toEqual(before.map((one) => one.id))
    await owner.put(`${cadences()}/${id}`, { iterations_in_advance: 3, title: 'x' })
    expect(await periods()).toHaveLength(4)
    await owner.put(`${cadences()}/${id}`, { iterations_in_advance: 1 })
    expect(await periods()).toHaveLength(4)
  })

  test('gets no iterations while it is not active, or manual', async () => {
    const { id } = await create({ active: false })
    const manual = await create({ automatic: false })
    await advance(1)
    expect(await iterations()).toEqual([])
    await owner.put(`${cadences()}/${id}`, { active: true })
    expect(await iterations()).toHaveLength(3)
    expect((await owner.get(`${cadences()}/${manual.id}`)).body.automatic).toBe(false)
  })
})

describe('the end of an iteration', () => {
  const manual = async (roll_over: boolean, ...dates: [from: number, to: number][]) => {
    const cadence = await create({ automatic: false, roll_over })
    const ids: number[] = []
    for (const [from, to] of dates) {
      const params = { start_date: day(from), due_date: day(to), iteration_cadence_id: cadence.id }
      ids.push((await owner.post(`/groups/${group.id}/iterations`, params)).body.id)
    }
    return ids
  }

  test('is handled once, on the day after its last one, and names the next one of its cadence', async () => {
    const [first, second] = await manual(true, [-2, 1], [5, 6])
    await advance(1)
    expect(closed).toEqual([])
    await advance(1)
    expect(closed).toEqual([{ iterationId: first, nextIterationId: second }])
    await Promise.all([advance(0), advance(0)])
    expect(closed).toHaveLength(1)
    await advance(10)
    expect(closed.slice(1)).toEqual([{ iterationId: second, nextIterationId: null }])
  })

  test('goes through all that have ended, the earliest first', async () => {
    const ids = await manual(true, [5, 6], [0, 1], [8, 26])
    await advance(10)
    expect(closed).toEqual([
      { iterationId: ids[1], nextIterationId: ids[0] },
      { iterationId: ids[0], nextIterationId: ids[2] },
    ])
  })

  test('names no next one when the cadence does not roll over', async () => {
    const [first] = await manual(false, [-2, 1], [5, 6])
    await advance(2)
    expect(closed).toEqual([{ iterationId: first, nextIterationId: null }])
  })

  test('is handled again when the iteration has been opened again, and not for one that is created in the past', async () => {
    const [past, current] = await manual(true, [-60, -59], [-2, 1])
    await advance(2)
    expect(closed).toEqual([{ iterationId: current, nextIterationId: null }])
    await owner.put(`/groups/${group.id}/iterations/${current}`, { due_date: day(16) })
    await advance(20)
    expect(closed.map(({ iterationId }) => iterationId)).toEqual([current, current])
    expect(closed.map(({ iterationId }) => iterationId)).not.toContain(past)
  })

  test('of an automatic cadence always has a next one', async () => {
    await create({ roll_over: true, iterations_in_advance: 1 })
    const [first] = await iterations()
    // The only upcoming one has ended, too.
    await advance(14)
    const now = await iterations()
    expect(closed).toEqual([
      { iterationId: first?.id, nextIterationId: now[1]?.id },
      { iterationId: now[1]?.id, nextIterationId: now[2]?.id },
    ])
    expect(now[2]?.state).toBe(2)
  })
})
