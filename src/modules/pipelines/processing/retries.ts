import type { JobDefinition } from '../../ci-config/index.ts'
import type { CiJobRow } from '../tables.ts'

/** Whether a failed job is to be retried by itself (contract 04, `retry`). */
export function hasRetryLeft(
  { retries, failure_reason: reason, retried }: Pick<CiJobRow, 'retries' | 'failure_reason' | 'retried'>,
  { max, when }: JobDefinition['retry'],
): boolean {
  return !retried && retries < max && (when.includes('always') || when.includes(reason ?? 'unknown_failure'))
}
