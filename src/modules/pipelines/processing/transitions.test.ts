import { expect, test } from 'vitest'
import { type CiState, ciStates } from '../tables.ts'
import { isActive, isFinished, type JobEvent, transitions } from './transitions.ts'

const waiting = 'created waiting_for_resource preparing waiting_for_callback pending'

/** Contract 04, "Statuses". */
test.each<[event: JobEvent, from: string, to: CiState]>([
  ['enqueue', 'created manual scheduled waiting_for_resource', 'pending'],
  ['wait_for_resource', 'created manual scheduled', 'waiting_for_resource'],
  ['hold', 'created', 'manual'],
  ['delay', 'created', 'scheduled'],
  ['skip', 'created', 'skipped'],
  ['reset', 'skipped', 'created'],
  ['run', 'pending', 'running'],
  ['succeed', 'running', 'success'],
  ['fail', `${waiting} manual scheduled running`, 'failed'],
  ['refuse', 'pending', 'failed'],
  ['cancel', `${waiting} manual scheduled running`, 'canceled'],
  ['cancel_gracefully', 'running', 'canceling'],
  ['end_canceling', 'canceling', 'canceled'],
])('the event %s leads from %s to %s', (event, from, to) => {
  const allowed: readonly CiState[] = transitions[event].from
  expect(ciStates.filter((state) => allowed.includes(state)).toSorted()).toEqual(from.split(' ').toSorted())
  expect(transitions[event].to).toBe(to)
})

test('a job has ended, or a runner works on it, or neither', () => {
  expect(ciStates.filter(isFinished).toSorted()).toEqual(['canceled', 'failed', 'skipped', 'success'])
  expect(ciStates.filter(isActive).toSorted()).toEqual(['canceling', 'running'])
})
