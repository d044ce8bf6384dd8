import { expect, test } from 'vitest'
import type { Siblings } from '../../infra/workers/index.ts'
import { monitorSiblings } from './answers.ts'

/** What a process shows when all give these answers. */
function monitored(answers: unknown[]) {
  const siblings: Siblings = { number: 1, answer: () => {}, ask: async () => answers }
  const own = { isAlive: async () => true, isReady: async () => true, metricsText: async () => 'of its own\n' }
  return monitorSiblings(siblings, own)
}

test.each([
  ['all answer', [true, true], [true, true]],
  ['one is not ready', [true, false], [false, false]],
  ['one is silent', [true, undefined], [false, false]],
  ['none serves yet', [], [true, false]],
] as const)('when %s', async (_, answers, [alive, ready]) => {
  const { isAlive, isReady } = monitored([...answers])
  expect([await isAlive(), await isReady()]).toEqual([alive, ready])
})

test('metrics are those of all that answer, else its own', async () => {
  const text = (worker: number) => `# HELP a a\n# TYPE a gauge\na{worker="${worker}"} 1\n`
  expect(await monitored([text(1), undefined, text(3)]).metricsText()).toBe(
    '# HELP a a\n# TYPE a gauge\na{worker="1"} 1\na{worker="3"} 1\n',
  )
  expect(await monitored([undefined]).metricsText()).toBe('of its own\n')
})
