import { describe, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { freshDatabase } from '../../testing/database.ts'
import { demoServer, echo, fakeAuthenticator } from '../testing.ts'
import {
  countRequest,
  deletePastWindows,
  isExceeded,
  type Throttle,
  type ThrottleState,
  throttled,
  throttleHeaders,
} from './rate-limit.ts'

const throttle: Throttle = { name: 'throttle_authenticated_api', requests: 2, periodSeconds: 60 }
const start = '2026-01-02T03:04:05.678Z'
const startSeconds = Math.floor(Date.parse(start) / 1000)

function standing(observed: number, overrides: Partial<ThrottleState> = {}): ThrottleState {
  return { throttle, observed, resetsAtSeconds: startSeconds + 55, nowSeconds: startSeconds, ...overrides }
}

describe('the counter', () => {
  test('counts per key, in windows of the period', async () => {
    await using database = await freshDatabase()
    const clock = manualClock({ start })
    const counting = { database, clock }
    const first = await countRequest(counting, 'user:7', throttle)
    expect(first).toEqual({ throttle, observed: 1, resetsAtSeconds: startSeconds + 55, nowSeconds: startSeconds })
    expect((await countRequest(counting, 'user:7', throttle)).observed).toBe(2)
    expect((await countRequest(counting, 'user:8', throttle)).observed).toBe(1)
    clock.advance(54_000)
    expect((await countRequest(counting, 'user:7', throttle)).observed).toBe(3)
    clock.advance(1_000)
    const next = await countRequest(counting, 'user:7', throttle)
    expect([next.observed, next.resetsAtSeconds]).toEqual([1, startSeconds + 115])
  })

  test('counts each of many at once', async () => {
    await using database = await freshDatabase()
    const counting = { database, clock: manualClock({ start }) }
    const all = await Promise.all(Array.from({ length: 20 }, () => countRequest(counting, 'ip:::1', throttle)))
    expect(all.map(({ observed }) => observed).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    )
  })

  test('takes any text for a key', async () => {
    await using database = await freshDatabase()
    const counting = { database, clock: manualClock({ start }) }
    for (const key of ["'; drop table rate_windows; --", 'é🦊', '']) {
      expect((await countRequest(counting, key, throttle)).observed).toBe(1)
    }
  })

  test('prunes past windows only', async () => {
    await using database = await freshDatabase()
    const clock = manualClock({ start })
    const counting = { database, clock }
    await countRequest(counting, 'old', throttle)
    clock.advance(31 * 86_400_000)
    await countRequest(counting, 'new', throttle)
    await deletePastWindows(counting)
    const left = await database.read.selectFrom('rate_windows').select('key').execute()
    expect(left.map(({ key }) => key)).toEqual(['new'])
    expect((await countRequest(counting, 'new', throttle)).observed).toBe(2)
  })
})

describe('the headers', () => {
  test('have the state of the window', () => {
    expect(throttleHeaders(standing(1))).toEqual({
      'RateLimit-Limit': '2',
      'RateLimit-Name': 'throttle_authenticated_api',
      'RateLimit-Observed': '1',
      'RateLimit-Remaining': '1',
      'RateLimit-Reset': String(startSeconds + 55),
    })
    expect(throttleHeaders(standing(5))['RateLimit-Remaining']).toBe('0')
  })

  test.each([
    [3_600, 3_600, '60'],
    [7_200, 3_600, '120'],
    [1, 3_600, '1'],
    [100, 3_600, '2'],
    [2, 60, '2'],
    [10, 1, '600'],
  ])('%i in %i seconds are, by the minute and rounded up, %s', (requests, periodSeconds, limit) => {
    const headers = throttleHeaders(standing(0, { throttle: { ...throttle, requests, periodSeconds } }))
    expect(headers['RateLimit-Limit']).toBe(limit)
  })

  test('the last request of a quota is let in', () => {
    expect([isExceeded(standing(2)), isExceeded(standing(3))]).toEqual([false, true])
  })

  test('Retry-After is at least a second', () => {
    expect(throttled(standing(3), null).headers).toMatchObject({
      'Retry-After': '55',
      'RateLimit-ResetTime': 'Fri, 02 Jan 2026 03:05:00 GMT',
    })
    expect(throttled(standing(3, { resetsAtSeconds: startSeconds }), null).headers['Retry-After']).toBe('1')
  })
})

describe('the API', () => {
  test('lets two in and not a third', async () => {
    await using database = await freshDatabase()
    const counting = { database, clock: manualClock({ start }) }
    await using demo = demoServer([echo()], {
      throttle: async (actor) =>
        actor?.kind === 'user' ? countRequest(counting, `user:${actor.userId}`, throttle) : undefined,
    })
    const headers = { 'PRIVATE-TOKEN': 'user' }
    for (const remaining of ['1', '0']) {
      const answer = await demo.get('/api/v4/things', headers)
      expect([answer.statusCode, answer.headers['ratelimit-remaining']]).toEqual([200, remaining])
      expect(answer.headers).not.toHaveProperty('retry-after')
    }
    const refused = await demo.get('/api/v4/things', headers)
    expect([refused.statusCode, refused.body]).toEqual([429, '{"message":"Retry later"}'])
    expect(refused.headers).toMatchObject({
      'ratelimit-limit': '2',
      'ratelimit-name': 'throttle_authenticated_api',
      'ratelimit-observed': '3',
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(startSeconds + 55),
      'ratelimit-resettime': 'Fri, 02 Jan 2026 03:05:00 GMT',
      'retry-after': '55',
      'access-control-allow-origin': '*',
    })
    const other = await demo.get('/api/v4/things')
    expect([other.statusCode, other.headers['ratelimit-limit']]).toEqual([200, undefined])
  })

  test('sends the headers with errors too', async () => {
    await using demo = demoServer([echo({ run: () => Promise.reject(new Error('defect')) })], {
      throttle: async () => standing(1),
    })
    for (const [path, status] of [
      ['/api/v4/things', 500],
      ['/api/v4/nothing', 404],
      ['/api/v4/things?private_token=nope', 401],
    ] as const) {
      const answer = await demo.get(path)
      expect([path, answer.statusCode, answer.headers['ratelimit-observed']]).toEqual([path, status, '1'])
    }
  })

  test('answers with the configured text', async () => {
    await using demo = demoServer([echo()], { throttle: async () => standing(3), throttleText: 'Später' })
    expect((await demo.get('/api/v4/things')).json()).toEqual({ message: 'Später' })
  })

  test('counts a user by any carrier, and callers with invalid tokens as anonymous', async () => {
    const seen: unknown[] = []
    await using demo = demoServer([echo()], {
      throttle: async (actor) => {
        seen.push(actor?.kind === 'user' ? actor.userId : 'nobody')
        return undefined
      },
    })
    await demo.get('/api/v4/things?private_token=user')
    await demo.get('/api/v4/things', { Authorization: 'Bearer user' })
    await demo.get('/api/v4/things', { 'PRIVATE-TOKEN': 'nope' })
    await demo.get('/api/v4/things')
    expect(seen).toEqual([7, 7, 'nobody', 'nobody'])
  })

  test('does not look a token up twice while no throttle wants to know', async () => {
    const authenticator = fakeAuthenticator()
    await using demo = demoServer([echo()], { authenticator })
    await demo.get('/api/v4/things', { 'PRIVATE-TOKEN': 'user' })
    expect(authenticator.asked).toEqual(['private:user'])
  })

  test('has none of these headers while no throttle is on', async () => {
    await using demo = demoServer([echo()])
    const { headers } = await demo.get('/api/v4/things')
    expect(Object.keys(headers).filter((name) => name.startsWith('ratelimit'))).toEqual([])
  })
})
