import { sql } from 'kysely'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { ApiError } from '../operation/errors.ts'

declare module '../../infra/database/tables.ts' {
  interface Tables {
    rate_windows: { key: string; window_start: number; requests: number }
  }
}

/** A limit on requests in fixed windows of time. */
export type Throttle = { name: string; requests: number; periodSeconds: number }

/** Where a caller stands in the current window. */
export type Standing = { throttle: Throttle; observed: number; resetsAtSeconds: number; nowSeconds: number }

/** Counts requests per key; kept in the database, so that a request may land on any node. */
export type RateCounter = {
  /** Counts one more request of `key` and tells the standing. */
  hit(key: string, throttle: Throttle): Promise<Standing>
  /** Forgets windows that are over. */
  prune(): Promise<void>
}

/** Longer than any period that makes sense, in seconds. */
const keptSeconds = 30 * 86_400

export function createRateCounter(database: Database, clock: Clock): RateCounter {
  const nowSeconds = () => Math.floor(clock.now().getTime() / 1000)
  return {
    async hit(key, throttle) {
      const now = nowSeconds()
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
    },
    async prune() {
      const over = nowSeconds() - keptSeconds
      await database.write((tx) => tx.deleteFrom('rate_windows').where('window_start', '<', over).execute())
    },
  }
}

/** The headers that every answer carries while a throttle is on (contract 00, "Rate limits"). */
export function throttleHeaders({ throttle, observed, resetsAtSeconds }: Standing): Record<string, string> {
  return {
    'RateLimit-Limit': String(Math.ceil((throttle.requests * 60) / throttle.periodSeconds)),
    'RateLimit-Name': throttle.name,
    'RateLimit-Observed': String(observed),
    'RateLimit-Remaining': String(Math.max(0, throttle.requests - observed)),
    'RateLimit-Reset': String(resetsAtSeconds),
  }
}

/** Whether the caller has used up the window. */
export function isExceeded({ throttle, observed }: Standing): boolean {
  return observed > throttle.requests
}

/** 429 of a throttle. */
export function throttled(standing: Standing, text: string | null): ApiError {
  const { resetsAtSeconds, nowSeconds } = standing
  return new ApiError(
    'throttled',
    429,
    { message: text ?? 'Retry later' },
    {
      ...throttleHeaders(standing),
      'Retry-After': String(Math.max(1, resetsAtSeconds - nowSeconds)),
      'RateLimit-ResetTime': new Date(resetsAtSeconds * 1000).toUTCString(),
    },
  )
}
