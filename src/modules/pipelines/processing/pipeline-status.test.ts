import { describe, expect, test } from 'vitest'
import { type CiState, ciStates } from '../tables.ts'
import { type PartState, pipelineStatus } from './pipeline-status.ts'
import { isFinished } from './transitions.ts'

/** Parts by their states; `?` marks a failure that is allowed, or a manual job that need not be started. */
function partsOf(text: string): PartState[] {
  const given = text.split(' ').filter((part) => part !== '')
  return given.map((part) => ({ status: part.replace('?', '') as CiState, allow_failure: part.endsWith('?') }))
}

test.each<[parts: string, status: CiState]>([
  ['', 'skipped'],
  ['skipped', 'skipped'],
  ['skipped manual?', 'skipped'],
  ['success skipped', 'success'],
  ['success failed?', 'success'],
  ['success manual?', 'success'],
  ['created', 'created'],
  ['created success', 'created'],
  ['created success failed?', 'created'],
  ['canceling running', 'canceling'],
  ['canceling failed', 'canceling'],
  ['success canceled', 'canceled'],
  ['canceled failed?', 'canceled'],
  ['canceled failed', 'failed'],
  ['pending', 'pending'],
  ['pending created', 'pending'],
  ['pending manual?', 'pending'],
  ['pending success', 'running'],
  ['pending failed', 'running'],
  ['pending scheduled', 'running'],
  ['running pending', 'running'],
  ['running failed', 'running'],
  ['waiting_for_resource created', 'waiting_for_resource'],
  ['waiting_for_resource running', 'running'],
  ['success manual created', 'manual'],
  ['success manual scheduled', 'manual'],
  ['success scheduled created', 'scheduled'],
  ['failed created', 'running'],
  ['success failed', 'failed'],
  ['skipped failed', 'failed'],
])('the parts "%s" make a pipeline %s', (parts, status) => {
  expect(pipelineStatus(partsOf(parts))).toBe(status)
})

/** All sets of up to three different parts. */
function* someParts(): Generator<PartState[]> {
  const all = ciStates.flatMap((status) => [
    { status, allow_failure: false },
    { status, allow_failure: true },
  ])
  for (const one of all) {
    yield [one]
    for (const two of all) {
      yield [one, two]
      for (const three of all) yield [one, two, three]
    }
  }
}

describe('for all sets of parts', () => {
  test('a pipeline has ended when all of its jobs have, or need not be started', () => {
    for (const parts of someParts()) {
      const isDone = parts.every(
        ({ status, allow_failure }) => isFinished(status) || (status === 'manual' && allow_failure),
      )
      expect([parts, isFinished(pipelineStatus(parts))]).toEqual([parts, isDone])
    }
  })

  test('the order and the number of equal parts do not matter', () => {
    for (const parts of someParts()) {
      const status = pipelineStatus(parts)
      expect(pipelineStatus(parts.toReversed())).toBe(status)
      expect(pipelineStatus([...parts, ...parts])).toBe(status)
    }
  })

  test('a pipeline succeeds only without a failure that counts and without a canceled job', () => {
    for (const parts of someParts()) {
      if (pipelineStatus(parts) !== 'success') continue
      const isBad = ({ status, allow_failure }: PartState) =>
        status === 'canceled' || (status === 'failed' && !allow_failure)
      expect(parts.some(isBad)).toBe(false)
    }
  })
})
