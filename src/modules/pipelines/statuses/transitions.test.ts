import { expect, test } from 'vitest'
import { type CommitState, commitStates } from '../tables.ts'
import { transition } from './transitions.ts'

function outcomes(from: CommitState): string[] {
  return commitStates.map((to) => {
    try {
      return transition(from, to)
    } catch (error) {
      return (error as { body: { message: string } }).body.message
    }
  })
}

const refused = (event: string, from: string) =>
  `Cannot transition status via :${event} from :${from} (Reason(s): Status cannot transition via "${event}")`

test('a status only moves forward', () => {
  const goOn = 'change'
  expect(outcomes('pending')).toEqual([refused('enqueue', 'pending'), goOn, goOn, goOn, goOn, goOn])
  expect(outcomes('running')).toEqual([
    refused('enqueue', 'running'),
    refused('run', 'running'),
    ...[goOn, goOn, goOn],
    refused('skip', 'running'),
  ])
})

test('a final status refuses the same state, and is replaced by another one', () => {
  const anew = 'replace'
  expect(outcomes('success')).toEqual([anew, anew, refused('success', 'success'), anew, anew, anew])
  expect(outcomes('failed')).toEqual([anew, anew, anew, refused('drop', 'failed'), anew, anew])
  expect(outcomes('canceled')).toEqual([anew, anew, anew, anew, refused('cancel', 'canceled'), anew])
  expect(outcomes('skipped')).toEqual([anew, anew, anew, anew, anew, refused('skip', 'skipped')])
})
