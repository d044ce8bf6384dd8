import { expect, test } from 'vitest'
import type { Siblings } from '../../infra/workers/index.ts'
import { monitorSiblings } from './answers.ts'

/** What a process shows when all give these answers. */
function monitored(answers: unknown[]) {
  const siblings: Siblings = { number: 1, answer: () => {}, ask: async () => answers }
  const own = {
    isAlive: async () => true,
    failing: async () => [],
    metricsText: async () => 'of its own\n',
    load: async () => [],
  }
  return monitorSiblings(siblings, own)
}

const away = { check: 'object_store', message: 'the object store is unreachable' } as const
const silent = { check: 'master', message: 'a process does not answer' }

test.each([
  ['all are ready', [[], []], []],
  ['one is not ready', [[], [away]], [away]],
  ['all lack the same', [[away], [away]], [away]],
  ['one is silent', [[], undefined], [silent]],
  ['none serves yet', [], [{ check: 'master', message: 'no process serves' }]],
])('the readiness when %s', async (_, answers, expected) => {
  expect(await monitored(answers).failing()).toEqual(expected)
})

test.each([
  ['all answer', [true, true], true],
  ['one is silent', [true, undefined], false],
  ['none serves yet', [], true],
])('the liveness when %s', async (_, answers, expected) => {
  expect(await monitored(answers).isAlive()).toBe(expected)
})

test('metrics are those of all that answer, else its own', async () => {
  const text = (worker: number) => `# HELP a a\n# TYPE a gauge\na{worker="${worker}"} 1\n`
  expect(await monitored([text(1), undefined, text(3)]).metricsText()).toBe(
    '# HELP a a\n# TYPE a gauge\na{worker="1"} 1\na{worker="3"} 1\n',
  )
  expect(await monitored([undefined]).metricsText()).toBe('of its own\n')
})

test('the load is that of all that answer', async () => {
  const sample = { errors: 0, event_loop_delay_ms: 0, memory_bytes: 1, jobs_done: 0, jobs_failed: 0 }
  const load = [{ ...sample, at: '2026-03-01T12:00:00.000Z', requests: 2 }]
  expect(await monitored([load, undefined, load]).load()).toMatchObject([{ requests: 4, memory_bytes: 2 }])
  expect(await monitored([undefined]).load()).toEqual([])
})
