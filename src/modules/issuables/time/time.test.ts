import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Platform } from '../../../platform/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { commonIssue } from '../testing.ts'
import { parseWorkingTime } from './duration.ts'
import { humanTime, presentTimes } from './present.ts'
import { copyTimes } from './store.ts'
import { changeEstimate, changeSpent, requireEstimate, requireSpent, timeStatsOf } from './time.ts'

let server: TestServer
let platform: Platform
let owner: Person
let project: ProjectRow
let lastId = 0
const newIssue = () => commonIssue(project, ++lastId, owner.id)

beforeAll(async () => {
  server = await startTestServer()
  ;({ platform } = server.app)
  owner = await server.user('owner')
  project = await server.make.project('timed', owner)
})
afterAll(() => server.stop())

describe('working time', () => {
  test.each([
    ['3h30m', 12_600],
    ['1w 2d', 201_600],
    ['1mo', 576_000],
    ['1.5h', 5400],
    ['-1h', -3600],
    [' 1H 5s ', 3605],
    ['0m', 0],
  ])('%j has %d seconds', (text, seconds) => {
    expect(parseWorkingTime(text)).toBe(seconds)
  })

  test.each([
    '',
    ' ',
    '-',
    'abc',
    '1',
    '1x',
    '1h x',
    '--1h',
    '1 h h',
    'h',
    '1e3s',
    '99999999999h',
    '1hour',
    '1,5h',
    '٣h',
  ])('%j is none', (text) => expect(parseWorkingTime(text)).toBeNull())

  test('in words is read as the same number of seconds', () => {
    expect([12_600, 0, -12_600, 576_000 + 59].map(humanTime)).toEqual(['3h 30m', null, '-3h 30m', '1mo 59s'])
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), (seconds) => {
        expect(parseWorkingTime(humanTime(seconds) ?? '0s')).toBe(seconds)
      }),
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseWorkingTime(text)).not.toBeNaN()
      }),
    )
  })
})

describe('the time tracking of an issuable', () => {
  const none = presentTimes(undefined)

  test('has an estimate and a sum, each of which can be reset', async () => {
    const issue = newIssue()
    expect(await timeStatsOf(platform, issue)).toEqual(none)
    await changeEstimate(platform, issue, owner.id, requireEstimate('3h30m'))
    await changeSpent(platform, issue, owner.id, { add: 3600, summary: 'work' })
    expect(await changeSpent(platform, issue, owner.id, { add: -1800 })).toEqual({
      ...{
        time_estimate: 12_600,
        human_time_estimate: '3h 30m',
        total_time_spent: 1800,
        human_total_time_spent: '30m',
      },
    })
    await changeSpent(platform, issue, owner.id, 'reset')
    expect(await changeEstimate(platform, issue, owner.id, 0)).toEqual(none)
    const logs = platform.database.read.selectFrom('time_logs').selectAll().where('issuable_id', '=', issue.id)
    expect(await logs.orderBy('id').execute()).toMatchObject([
      { time_spent: 3600, summary: 'work', user_id: owner.id },
      { time_spent: -1800, summary: null },
      { time_spent: -1800 },
    ])
  })

  test('refuses what is no time, and to subtract more than was spent, also by parallel requests', async () => {
    const refused = (work: () => unknown, message: object) =>
      expect((async () => work())()).rejects.toMatchObject({ status: 400, body: { message } })
    const estimate = { time_estimate: ['must have a valid format and be greater than or equal to zero.'] }
    for (const text of ['abc', '-1h', '']) await refused(() => requireEstimate(text), estimate)
    for (const text of ['abc', '0h', '']) {
      await refused(() => requireSpent(text), { time_spent: ['must have a valid format'] })
    }
    const issue = newIssue()
    await changeSpent(platform, issue, owner.id, { add: 60 })
    const subtract = () => changeSpent(platform, issue, owner.id, { add: -40 })
    const results = await Promise.allSettled([subtract(), subtract(), subtract()])
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await refused(subtract, { base: ['Time to subtract exceeds the total time spent'] })
    expect(await timeStatsOf(platform, issue)).toMatchObject({ total_time_spent: 20 })
  })

  test('is copied with its logs', async () => {
    const [issue, copy] = [newIssue(), newIssue()]
    await changeEstimate(platform, issue, owner.id, 60)
    await changeSpent(platform, issue, owner.id, { add: 60, summary: 'x' })
    await platform.database.write((tx) => copyTimes(tx, issue, copy))
    expect(await timeStatsOf(platform, copy)).toEqual(await timeStatsOf(platform, issue))
  })
})
