import { sql } from 'kysely'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, type TablesOf, t, table } from '../../infra/database/index.ts'
import { ApiError, tooManyRequests } from '../operation/errors.ts'

export const rateWindows = table(
  'rate_windows',
  {
    key: t.text().primaryKey(),
    window_start: t.bigint(),
    requests: t.integer(),
  },
  {
    indexes: { start: ['window_start'] },
  },
)

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof rateWindows> {}
}

/** A limit on requests in fixed windows of time. */
export type Throttle = { name: string; requests: number; periodSeconds: number }

/** The requests of a caller in the current window. */
export type ThrottleState = { throttle: Throttle; observed: number; resetsAtSeconds: number; nowSeconds: number }

type Counting = { readonly database: Database; readonly clock: Clock }

/** Windows older than this are deleted, in seconds. Longer than any period a setting may have. */
const retentionSeconds = 30 * 86_400

function secondsOf(clock: Clock): number {
  return Math.floor(clock.now().getTime() / 1000)
}

/**
 * Counts one request against a throttle. Counts are in the database, so that all nodes share them.
 * @param key names the throttle and the caller
 */
export async function countRequest(
  { database, clock }: Counting,
  key: string,
  throttle: Throttle,
): Promise<ThrottleState> {
  const now = secondsOf(clock)
  const start = now - (now % throttle.periodSeconds)
  const row = await database.write((tx) =>
    tx
      .insertInto('rate_windows')
      .values({ key, window_start: start, requests: 1 })
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({
          requests: sql`case when rate_windows.window_start = ${start} then rate_windows.requests + 1 else 1 end`,
          window_start: start,
        }),
      )
      .returning('requests')
      .executeTakeFirstOrThrow(),
  )
  return { throttle, observed: row.requests, resetsAtSeconds: start + throttle.periodSeconds, nowSeconds: now }
}

/**
 * The state of a caller as if one more request were counted.
 * @param key names the throttle and the caller
 */
export async function nextThrottleState(
  { database, clock }: Counting,
  key: string,
  throttle: Throttle,
): Promise<ThrottleState> {
  const now = secondsOf(clock)
  const start = now - (now % throttle.periodSeconds)
  const window = database.read.selectFrom('rate_windows').select('requests').where('key', '=', key)
  const row = await window.where('window_start', '=', start).executeTakeFirst()
  const observed = (row?.requests ?? 0) + 1
  return { throttle, observed, resetsAtSeconds: start + throttle.periodSeconds, nowSeconds: now }
}

/** Deletes the windows that are over. */
export async function deletePastWindows({ database, clock }: Counting): Promise<void> {
  const before = secondsOf(clock) - retentionSeconds
  await database.write((tx) => tx.deleteFrom('rate_windows').where('window_start', '<', before).execute())
}

/** The headers that every answer carries while a throttle is on (contract 00, "Rate limits"). */
export function throttleHeaders({ throttle, observed, resetsAtSeconds }: ThrottleState): Record<string, string> {
  return {
    'RateLimit-Limit': String(Math.ceil((throttle.requests * 60) / throttle.periodSeconds)),
    'RateLimit-Name': throttle.name,
    'RateLimit-Observed': String(observed),
    'RateLimit-Remaining': String(Math.max(0, throttle.requests - observed)),
    'RateLimit-Reset': String(resetsAtSeconds),
  }
}

/** Whether the caller has used up the window. */
export function isExceeded({ throttle, observed }: ThrottleState): boolean {
  return observed > throttle.requests
}

/**
 * Counts one request of a caller against a limit of the application, unless that is 0 (contract 00, "Rate limits").
 * @throws ApiError 429 above the limit
 */
export async function limitRequests(
  counting: Counting,
  caller: number | string,
  throttle: Throttle,
  text?: string,
): Promise<void> {
  if (throttle.requests === 0) return
  const state = await countRequest(counting, `${throttle.name}:${caller}`, throttle)
  if (isExceeded(state)) throw tooManyRequests(state.resetsAtSeconds - state.nowSeconds, text)
}

/** 429 of a throttle. */
export function throttled(state: ThrottleState, text: string | null): ApiError {
  const { resetsAtSeconds, nowSeconds } = state
  return new ApiError(
    'throttled',
    429,
    { message: text ?? 'Retry later' },
    {
      ...throttleHeaders(state),
      'Retry-After': String(Math.max(1, resetsAtSeconds - nowSeconds)),
      'RateLimit-ResetTime': new Date(resetsAtSeconds * 1000).toUTCString(),
    },
  )
}
