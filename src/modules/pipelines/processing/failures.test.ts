/** Which failed jobs are retried by themselves. */
import { expect, test } from 'vitest'
import { type FailureReason, failureReason, hasRetryLeft } from './failures.ts'

test.each<[string | undefined, FailureReason]>([
  [undefined, 'script_failure'],
  ['', 'script_failure'],
  ['runner_system_failure', 'runner_system_failure'],
  ['something_else', 'unknown_failure'],
])('a runner that reports %j means %s', (text, reason) => {
  expect(failureReason(text)).toBe(reason)
})

type Failed = Parameters<typeof hasRetryLeft>[0]

/** Whether it is retried. */
test.each<[string, Partial<Failed>, max: number, when: string[], boolean]>([
  ['the first failure', {}, 1, ['always'], true],
  ['the last failure', { retries: 1 }, 1, ['always'], false],
  ['a failure without retries', {}, 0, ['always'], false],
  ['one that was retried already', { retried: true }, 1, ['always'], false],
  ['a failure for a reason that is named', {}, 1, ['api_failure', 'script_failure'], true],
  ['a failure for another reason', {}, 1, ['api_failure'], false],
  ['a failure without a reason', { failure_reason: null }, 1, ['unknown_failure'], true],
  ['a failure without the reason that is named', { failure_reason: null }, 1, ['script_failure'], false],
])('%s', (_, failed, max, when, expected) => {
  const job = { retries: 0, failure_reason: 'script_failure', retried: false, ...failed }
  expect(hasRetryLeft(job, { max, when } as Parameters<typeof hasRetryLeft>[1])).toBe(expected)
})

test.each([
  'environment_creation_failure',
  'protected_environment_failure',
  'deployment_rejected',
  'failed_outdated_deployment_job',
])('what would happen again is not retried: %s', (failure_reason) => {
  expect(hasRetryLeft({ retries: 0, failure_reason, retried: false }, { max: 2, when: ['always'] })).toBe(false)
})
