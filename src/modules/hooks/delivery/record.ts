import { jsonText, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type Attempt, isAccepted } from './attempt.ts'
import { pausedUntil } from './failures.ts'
import * as store from './store.ts'

/** The columns of a delivery after its request. */
export function loggedColumns(made: Attempt) {
  return {
    is_pending: false,
    url: made.url,
    request_headers: jsonText(made.requestHeaders),
    response_headers: jsonText(made.responseHeaders),
    response_body: made.responseBody,
    response_code: made.code,
    response_status: made.code === null ? 'internal error' : String(made.code),
    execution_duration: made.duration,
  }
}

/** Counts what a request says about its receiver: failures in a row disable the hook, a success ends it (contract 21 R7). */
export async function countOutcome({ clock }: Platform, tx: Tx, hookId: number, made: Attempt): Promise<void> {
  if (isAccepted(made)) return store.forgetFailures(tx, hookId)
  const failures = await store.countFailure(tx, hookId)
  await store.disableUntil(tx, hookId, pausedUntil(failures, clock.now()))
}
