import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import {
  type Client,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'
import { isOpen } from './frozen.ts'

let server: TestServer
let people: ProjectWithMembers
let path: string
const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
beforeAll(async () => {
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())
let count = 0
beforeEach(async () => {
  count += 1
  people = await projectWithMembers(server, { path: `frozen-${count}` })
  path = `/projects/${people.project.id}/freeze_periods`
})

const night = { freeze_start: '0 0 * * *', freeze_end: '0 1 * * *' }
const create = (given: object = {}, as: Client = people.maintainer) => as.post(path, { ...night, ...given })
const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const notFound = { status: 404, body: { message: '404 Not found' } }
const wrong = [' is invalid syntax']

test('a period is created, read, changed and deleted', async () => {
  const { status, body } = await create({ freeze_start: ' 0 0 * * * ' })
  expect(status).toBe(201)
  const moment = clock.now().toISOString()
  const stored = { id: expect.any(Number), ...night, cron_timezone: 'UTC', created_at: moment, updated_at: moment }
  expect(body).toEqual(stored)
  expect((await people.reporter.get(path)).body).toEqual([body])
  const one = `${path}/${body.id}`
  expect((await people.reporter.get(one)).body).toEqual(body)
  clock.advance(1000)
  const changed = await people.maintainer.put(one, { cron_timezone: 'Europe/Berlin' })
  expect(changed).toMatchObject({ status: 200, body: { ...night, cron_timezone: 'Europe/Berlin' } })
  expect((await people.maintainer.delete(one)).status).toBe(204)
  expect(await people.maintainer.delete(one)).toMatchObject(notFound)
  expect(await people.maintainer.put(one, {})).toMatchObject(notFound)
  expect(await people.reporter.get(one)).toMatchObject(notFound)
})

test.each([
  [{ freeze_start: '61 * * * *' }, { message: { freeze_start: wrong } }],
  [
    { freeze_start: 'x', freeze_end: '💩', cron_timezone: '+05:00' },
    { message: { freeze_start: wrong, freeze_end: wrong, cron_timezone: wrong } },
  ],
  [{ freeze_end: undefined }, { error: 'freeze_end is missing' }],
  [{ freeze_start: { a: 1 } }, { error: 'freeze_start is invalid' }],
])('refuses %j', async (given, body) => {
  expect(await create(given)).toMatchObject({ status: 400, body })
})

test('is for maintainers, and read by reporters', async () => {
  expect(await create({}, people.developer)).toMatchObject(forbidden)
  const { id } = (await create()).body
  expect(await people.guest.get(path)).toMatchObject(forbidden)
  expect(await people.developer.put(`${path}/${id}`, {})).toMatchObject(forbidden)
  expect(await people.developer.delete(`${path}/${id}`)).toMatchObject(forbidden)
  const other = await projectWithMembers(server, { path: `frozen-other-${count}` })
  expect(await other.maintainer.get(`/projects/${other.project.id}/freeze_periods/${id}`)).toMatchObject(notFound)
})

test('a project has at most a hundred', async () => {
  for (let index = 0; index < 100; index += 1) await create()
  expect(await create()).toMatchObject({
    status: 400,
    body: { message: { base: ['Maximum number of freeze periods (100) exceeded'] } },
  })
})

describe('a period is open', () => {
  const weekend = { freeze_start: '0 23 * * 5,6', freeze_end: '0 7 * * 1', cron_timezone: 'UTC' }
  test.each([
    [weekend, '2026-03-06T22:59:59Z', false],
    [weekend, '2026-03-06T23:00:00Z', true],
    [weekend, '2026-03-07T12:00:00Z', true],
    [weekend, '2026-03-09T06:59:59Z', true],
    [weekend, '2026-03-09T07:00:00Z', false],
    [{ ...night, cron_timezone: 'Europe/Berlin' }, '2026-03-01T23:30:00Z', true],
    [{ ...night, cron_timezone: 'Europe/Berlin' }, '2026-03-02T00:30:00Z', false],
    [{ freeze_start: '0 0 29 2 *', freeze_end: '0 0 1 3 *', cron_timezone: 'UTC' }, '2026-06-01T00:00:00Z', false],
    [{ freeze_start: '0 0 * * *', freeze_end: '0 0 * * *', cron_timezone: 'UTC' }, '2026-06-01T12:00:00Z', false],
  ])('%j at %s: %s', (times, moment, expected) => {
    expect(isOpen(times, Date.parse(moment))).toBe(expected)
  })

  test('and closed, as the clock goes on', () => {
    const start = Date.parse('2026-03-01T00:00:00Z')
    const hours = Array.from({ length: 49 }, (_, index) => start + index * 1_800_000)
    const opened = hours.filter((moment) => isOpen({ ...night, cron_timezone: 'Asia/Tokyo' }, moment))
    expect(opened.map((moment) => new Date(moment).toISOString().slice(11, 16))).toEqual(['15:00', '15:30'])
  })
})
