import { expect, test } from 'vitest'
import { maximumFailures, retryDelayMs, silenceMs, transitions } from './transitions.ts'

test('a deletion is requested, claimed, and then retried, given up or released', () => {
  expect(transitions).toEqual({
    request: { from: [null, 'delete_failed'], to: 'delete_scheduled' },
    claim: { from: ['delete_scheduled'], to: 'delete_ongoing' },
    retry: { from: ['delete_ongoing'], to: 'delete_scheduled' },
    give_up: { from: ['delete_ongoing'], to: 'delete_failed' },
    release: { from: ['delete_ongoing'], to: 'delete_scheduled' },
  })
})

test('it is tried again after 1, 2, 4, … minutes, ten times, and its worker may be silent for half an hour', () => {
  expect([0, 1, 2, 9].map(retryDelayMs)).toEqual([60_000, 120_000, 240_000, 512 * 60_000])
  expect([maximumFailures, silenceMs]).toEqual([10, 30 * 60_000])
})
