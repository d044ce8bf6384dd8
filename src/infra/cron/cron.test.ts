import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { latestInstant, nextInstant, parseCron, timeZoneOf } from './index.ts'

/** The next times after a moment, in UTC. */
function times(text: string, zone: string, after: string, count = 1): string[] {
  const cron = parseCron(text)
  if (!cron) throw new Error(`invalid: ${text}`)
  const found: string[] = []
  let at = Date.parse(after)
  for (let index = 0; index < count; index += 1) {
    at = nextInstant(cron, zone, at) ?? Number.NaN
    found.push(new Date(at).toISOString())
  }
  return found
}

describe('expressions', () => {
  test.each([
    '* * * * *',
    ' 0  1 * * 5 ',
    '*/15 0-6/2 1,15 JAN-mar mon-FRI',
    '5/10 * * * *',
    '0 22-2 * * fri-mon',
    '0 0 L * *',
    '0 0 -2 * *',
    '0 0 * * mon#1,fri#-1',
    '0 0 * * mon#L',
    '0 0 * * mon%2',
    '0 0 * * mon%2+1',
    '0 0 13 * fri&',
    '0 0 29 2 *',
    '0 0 31 2 mon',
    '@daily',
    '@HOURLY',
    '0 0 * * 7',
  ])('%s is valid', (text) => {
    expect(parseCron(text)).not.toBeNull()
  })

  test.each([
    '',
    '* * * *',
    '* * * * * *',
    '0 0 31 2 *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 13 *',
    '* * * * 8',
    '*/0 * * * *',
    '1-2-3 * * * *',
    '? * * * *',
    '@reboot',
    'every day',
    '0 0 * * mon#6',
    '0 0 * * mon#0',
    '0 0 * * mon%0',
    '0 0 31 2 mon&',
    '0 1 * * 5 Europe/Berlin',
    '-1 * * * *',
    '1,,2 * * * *',
    `${'1,'.repeat(1000)}1 * * * *`,
    '٣ * * * *',
  ])('%s is invalid', (text) => {
    expect(parseCron(text)).toBeNull()
  })
})

describe('time zones', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['Etc/UTC', 'Etc/UTC'],
    ['Pacific Time (US & Canada)', 'America/Los_Angeles'],
    ["Nuku'alofa", 'Pacific/Tongatapu'],
    ['+05:00', null],
    [' UTC', null],
    ['Mars/Olympus', null],
    ['', null],
    ['constructor', null],
  ])('%s is %s', (text, expected) => {
    expect(timeZoneOf(text)).toBe(expected)
  })
})

describe('the next time', () => {
  test.each([
    ['0 1 * * 5', 'America/Los_Angeles', '2026-03-01T00:00:00Z', '2026-03-06T09:00:00.000Z'],
    ['30 2 * * *', 'America/New_York', '2025-03-09T06:00:00Z', '2025-03-10T06:30:00.000Z'],
    ['0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['0 0 L * *', 'UTC', '2026-02-01T00:00:00Z', '2026-02-28T00:00:00.000Z'],
    ['0 0 -2 * *', 'UTC', '2026-02-01T00:00:00Z', '2026-02-27T00:00:00.000Z'],
    ['0 0 * * mon#1', 'UTC', '2026-03-03T00:00:00Z', '2026-04-06T00:00:00.000Z'],
    ['0 0 * * fri#-1', 'UTC', '2026-03-01T00:00:00Z', '2026-03-27T00:00:00.000Z'],
    ['0 0 13 * fri&', 'UTC', '2026-04-01T00:00:00Z', '2026-11-13T00:00:00.000Z'],
    ['0 0 13 * fri', 'UTC', '2026-04-01T00:00:00Z', '2026-04-03T00:00:00.000Z'],
    ['0 0 * * thu%2', 'UTC', '1969-12-31T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['0 0 * * thu%2+1', 'UTC', '1970-01-01T00:00:00Z', '1970-01-08T00:00:00.000Z'],
    ['0 22-2/2 * * *', 'UTC', '2026-01-01T23:00:00Z', '2026-01-02T00:00:00.000Z'],
    ['*/5 * * * *', 'Asia/Kathmandu', '2026-01-01T00:01:00Z', '2026-01-01T00:05:00.000Z'],
    // At 00:01 the clocks were set back into the day before.
    ['0,30 * * * *', 'America/St_Johns', '2010-11-07T02:00:00Z', '2010-11-07T02:30:00.000Z'],
    ['0 12 * * *', 'UTC', '2026-01-01T12:00:00.000Z', '2026-01-02T12:00:00.000Z'],
    ['0 12 * * *', 'UTC', '2026-01-01T11:59:59.999Z', '2026-01-01T12:00:00.000Z'],
  ])('%s in %s after %s: %s', (text, zone, after, expected) => {
    expect(times(text, zone, after)).toEqual([expected])
  })

  test('of a repeated hour counts once, unless the hour is any', () => {
    const before = '2025-11-02T04:00:00Z'
    expect(times('30 1 * * *', 'America/New_York', before, 2)).toEqual([
      '2025-11-02T05:30:00.000Z',
      '2025-11-03T06:30:00.000Z',
    ])
    expect(times('30 * * * *', 'America/New_York', before, 4)).toEqual([
      '2025-11-02T04:30:00.000Z',
      '2025-11-02T05:30:00.000Z',
      '2025-11-02T06:30:00.000Z',
      '2025-11-02T07:30:00.000Z',
    ])
  })
})

// An independent implementation: every minute is asked whether its wall clock matches.
function matchesByMinutes(text: string, local: Intl.DateTimeFormat, atMs: number): boolean {
  const parts = Object.fromEntries(local.formatToParts(atMs).map(({ type, value }) => [type, value]))
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = text.split(' ')
  const names = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
  const holds = (field: string, value: number) =>
    field.split(',').some((item) => {
      const [range = '', step = '1'] = item.split('/')
      if (range === '*') return value % Number(step) === 0
      const [from = '', to = from] = range.split('-')
      return value >= Number(from) && value <= Number(to)
    })
  const dayHolds = holds(day, Number(parts.day))
  const weekdayHolds = holds(weekday, names.indexOf(parts.weekday ?? ''))
  const isDay = day === '*' ? weekdayHolds : weekday === '*' ? dayHolds : dayHolds || weekdayHolds
  return (
    holds(minute, Number(parts.minute)) && holds(hour, Number(parts.hour)) && holds(month, Number(parts.month)) && isDay
  )
}

describe('against every minute', () => {
  const zones = [
    'UTC',
    'America/New_York',
    'Europe/Berlin',
    'Australia/Lord_Howe',
    'America/Santiago',
    'Asia/Kathmandu',
  ]
  /** Around changes of the clocks of these zones. */
  const starts = [
    '2025-03-09T00:00:00Z',
    '2025-11-02T00:00:00Z',
    '2026-03-28T20:00:00Z',
    '2026-04-04T10:00:00Z',
    '2026-09-05T20:00:00Z',
    '2026-10-03T10:00:00Z',
    '2031-12-31T20:00:00Z',
  ]

  test('the next time is the first that matches', () => {
    const field = (most: number) =>
      fc.oneof(fc.constant('*'), fc.integer({ min: 1, max: most }).map(String), fc.constantFrom('*/2', '1-3', '2,4'))
    const expression = fc.tuple(
      field(59),
      field(23),
      fc.constantFrom('*', '1', '2,9', '*'),
      fc.constant('*'),
      fc.constantFrom('*', '0', '1-5', '*'),
    )
    fc.assert(
      fc.property(expression, fc.constantFrom(...zones), fc.constantFrom(...starts), (fields, zone, start) => {
        const text = fields.join(' ')
        const cron = parseCron(text)
        if (!cron) throw new Error(text)
        const options = {
          timeZone: zone,
          hourCycle: 'h23',
          weekday: 'short',
          month: 'numeric',
          day: 'numeric',
          hour: 'numeric',
          minute: 'numeric',
        } as const
        const local = new Intl.DateTimeFormat('en-US', options)
        const begin = Date.parse(start)
        const end = begin + 30 * 3_600_000
        const found = nextInstant(cron, zone, begin)
        for (let at = begin + 60_000; at <= end; at += 60_000) {
          if (!matchesByMinutes(text, local, at)) continue
          // A time that the clocks show for the second time does not count.
          const isSecond =
            !fields[1].includes('*') &&
            [30, 60].some((minutes) => {
              const earlier = at - minutes * 60_000
              return local.format(earlier) === local.format(at)
            })
          if (isSecond) continue
          expect([text, zone, new Date(found ?? 0).toISOString()]).toEqual([text, zone, new Date(at).toISOString()])
          return
        }
        expect(found === null || found > end).toBe(true)
      }),
      { numRuns: 150 },
    )
  })
})

describe('the latest instant', () => {
  const latest = (text: string, zone: string, until: string) => {
    const cron = parseCron(text)
    const found = cron && latestInstant(cron, zone, Date.parse(until))
    return found === null ? null : new Date(found).toISOString()
  }

  test.each([
    ['0 1 * * *', 'UTC', '2026-03-01T01:00:00.000Z', '2026-03-01T01:00:00.000Z'],
    ['0 1 * * *', 'UTC', '2026-03-01T00:59:59.999Z', '2026-02-28T01:00:00.000Z'],
    ['0 1 * * *', 'Asia/Tokyo', '2026-03-01T12:00:00.000Z', '2026-02-28T16:00:00.000Z'],
    ['0 0 29 2 *', 'UTC', '2026-03-01T00:00:00.000Z', '2024-02-29T00:00:00.000Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25T12:00:00.000Z', '2026-10-25T00:30:00.000Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-03-29T12:00:00.000Z', '2026-03-28T01:30:00.000Z'],
    ['0 0 29 2 mon&', 'UTC', '2026-11-29T00:00:00.000Z', '2016-02-29T00:00:00.000Z'],
    ['0 0 31 2 *', 'UTC', '2026-03-01T00:00:00.000Z', null],
  ])('of %s in %s up to %s is %s', (text, zone, until, expected) => {
    expect(latest(text, zone, until)).toBe(expected)
  })

  test('matches, and none after it does up to the moment', () => {
    const texts = ['* * * * *', '5 3 * * *', '0 0 1 * *', '15 2 * * sun', '*/7 1-3 * 3,10 *']
    const moments = fc.integer({ min: Date.parse('2024-01-01'), max: Date.parse('2028-01-01') })
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'),
        moments,
        (text, zone, until) => {
          const cron = parseCron(text)
          if (!cron) throw new Error(`invalid: ${text}`)
          const found = latestInstant(cron, zone, until) ?? Number.NaN
          expect(found).toBeLessThanOrEqual(until)
          expect(nextInstant(cron, zone, found - 1)).toBe(found)
          expect(nextInstant(cron, zone, found)).toBeGreaterThan(until)
        },
      ),
      { numRuns: 200 },
    )
  })
})
