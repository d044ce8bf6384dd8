import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CiState, ciStates } from '../tables.ts'
import { decide, type JobState } from './decisions.ts'
import { isActive, isFinished, type JobEvent, transitions } from './transitions.ts'

function job(id: number, given: Partial<JobState> = {}): JobState {
  return {
    ...{ id, name: `job ${id}`, status: 'created', stage_index: 0, allow_failure: false, run_when: 'on_success' },
    ...{ uses_needs: false, resource_group: null, start_in_seconds: null, environment: null, user_id: null },
    ...given,
  }
}

/** What happens to the last job, after a first stage in these states; `?` marks jobs that may fail. */
function eventAfter(before: string, given: Partial<JobState> = {}): JobEvent | null {
  const earlier = before.split(' ').map((part, index) => {
    return job(index + 1, { status: part.replace('?', '') as CiState, allow_failure: part.endsWith('?') })
  })
  const last = job(99, { stage_index: 1, ...given })
  const needs = new Map([[99, earlier.map(({ name }) => name)]])
  return decide([...earlier, last], needs).get(99)?.event ?? null
}

describe('a job', () => {
  test.each<[before: string, when: JobState['run_when'], event: JobEvent | null]>([
    ['success', 'on_success', 'enqueue'],
    ['success running', 'on_success', null],
    ['success pending', 'always', null],
    ['success failed', 'on_success', 'skip'],
    ['success failed?', 'on_success', 'enqueue'],
    ['success manual', 'on_success', null],
    ['success manual?', 'on_success', 'enqueue'],
    ['canceled', 'on_success', 'skip'],
    ['canceled', 'on_failure', 'skip'],
    ['skipped', 'on_success', 'enqueue'],
    ['success failed', 'on_failure', 'enqueue'],
    ['success failed?', 'on_failure', 'skip'],
    ['success', 'on_failure', 'skip'],
    ['failed', 'always', 'enqueue'],
    ['success', 'manual', 'hold'],
    ['failed', 'manual', 'skip'],
    ['success', 'delayed', 'delay'],
  ])('after %s with `when: %s` gets the event %s', (before, when, event) => {
    expect(eventAfter(before, { run_when: when })).toBe(event)
  })

  test('waits for its resource', () => {
    expect(eventAfter('success', { resource_group: 'r' })).toBe('wait_for_resource')
  })

  test('that needs a skipped job is skipped, and so on, however long the chain is', () => {
    const length = 50_000
    const chain = Array.from({ length }, (_, index) => job(index + 1, { uses_needs: true }))
    const first = job(length + 1, { status: 'failed' })
    const needs = new Map(chain.map(({ id }) => [id, [`job ${id + 1}`]]))
    const events = [...decide([...chain, first], needs).values()].map(({ event }) => event)
    expect([events.length, ...new Set(events)]).toEqual([length, 'skip'])
  })

  test.each<[status: CiState, when: JobState['run_when'], event: JobEvent]>([
    ['success', 'on_success', 'enqueue'],
    ['skipped', 'on_success', 'skip'],
    ['skipped', 'on_failure', 'enqueue'],
    ['failed', 'on_success', 'skip'],
    ['canceled', 'on_failure', 'skip'],
  ])('that needs by name one that is %s and runs %s gets the event %s', (status, run_when, event) => {
    const needed = job(1, { status, run_when })
    const last = job(2, { stage_index: 1, uses_needs: true })
    expect(decide([needed, last], new Map([[2, [needed.name]]])).get(2)?.event).toBe(event)
  })

  test('of a later stage runs after a failure of any stage before it, which has skipped those between', () => {
    const first = job(1, { status: 'failed' })
    const [between, after] = [job(2, { stage_index: 1 }), job(3, { stage_index: 2, run_when: 'on_failure' })]
    const eventsOf = (jobs: JobState[]) => [...decide(jobs, new Map()).values()].map(({ event }) => event)
    expect(eventsOf([first, between, after])).toEqual(['skip', 'enqueue'])
    expect(eventsOf([{ ...first, status: 'success' }, { ...between, status: 'success' }, after])).toEqual(['skip'])
    expect(eventsOf([first, { ...between, status: 'success' }, job(3, { stage_index: 2 })])).toEqual(['skip'])
  })

  test('without needs in the pipeline starts at once', () => {
    const jobs = [job(1), job(2, { stage_index: 5, uses_needs: true })]
    expect([...decide(jobs, new Map([[2, ['absent']]])).keys()]).toEqual([1, 2])
  })
})

const someJobs = fc
  .array(
    fc.record({
      status: fc.constantFrom(...ciStates),
      stage_index: fc.nat(3),
      allow_failure: fc.boolean(),
      run_when: fc.constantFrom('on_success', 'on_failure', 'always', 'manual', 'delayed'),
      uses_needs: fc.boolean(),
      needed: fc.array(fc.nat(9), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 10 },
  )
  .map((list) => list.toSorted((a, b) => a.stage_index - b.stage_index))
  .map((list) => ({
    jobs: list.map(({ needed: _needed, ...given }, index) => job(index, given as Partial<JobState>)),
    // A job needs only jobs before it: others would be of a later stage, or a circle.
    needs: new Map(
      list.map(({ needed }, index) => [index, needed.filter((one) => one < index).map((one) => `job ${one}`)]),
    ),
  }))

describe('for all pipelines', () => {
  test('only created jobs change, by events that lead from there, and a second decision changes nothing', () => {
    fc.assert(
      fc.property(someJobs, ({ jobs, needs }) => {
        const decisions = decide(jobs, needs)
        for (const [id, { event }] of decisions) {
          expect(jobs.find((one) => one.id === id)?.status).toBe('created')
          expect(transitions[event].from).toContain('created')
        }
        const after = jobs.map((one) => {
          const event = decisions.get(one.id)?.event
          return event ? { ...one, status: transitions[event].to } : one
        })
        expect([...decide(after, needs).keys()]).toEqual([])
      }),
    )
  })

  test('a pipeline whose jobs end does not stand still', () => {
    fc.assert(
      fc.property(someJobs, fc.infiniteStream(fc.boolean()), ({ jobs, needs }, results) => {
        let current = jobs.map((one) => ({
          ...one,
          status: 'created' as CiState,
          allow_failure: one.run_when === 'manual',
        }))
        for (let round = 0; round < 50; round += 1) {
          const decisions = decide(current, needs)
          const active = current.filter(({ status }) => status === 'pending' || status === 'scheduled')
          if (decisions.size === 0 && active.length === 0) break
          current = current.map((one) => {
            const event = decisions.get(one.id)?.event
            if (event) return { ...one, status: transitions[event].to }
            return active.includes(one) ? { ...one, status: results.next().value ? 'success' : 'failed' } : one
          })
        }
        const open = current.filter(({ status }) => !isFinished(status) && status !== 'manual')
        expect(open).toEqual([])
      }),
    )
  })
})

const waiting = 'created waiting_for_resource preparing waiting_for_callback pending'

/** Contract 04, "Statuses". */
test.each<[event: JobEvent, from: string, to: CiState]>([
  ['enqueue', 'created manual scheduled waiting_for_resource', 'pending'],
  ['wait_for_resource', 'created manual scheduled', 'waiting_for_resource'],
  ['hold', 'created scheduled', 'manual'],
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
