import { expect, test } from 'vitest'
import { manualClock } from '../clock/index.ts'
import { limited, runInThread, ThreadEnded } from './index.ts'

const program = new URL('./fixture-program', import.meta.url)

const run = (task: object, answers = {}, bounds: object = {}) =>
  runInThread(program, task, answers, {
    clock: manualClock({ start: '2026-03-01T12:00:00.000Z' }),
    longestMs: 1_000,
    mostMemoryMib: 256,
    ...bounds,
  })

test('a thread does its work with the answers that it asks for', async () => {
  const answers = { double: async (value: number) => value * 2 }
  expect(await run({ ask: 'double', parameters: [21] }, answers)).toBe(42)
})

test('what the thread or an answer throws is thrown', async () => {
  await expect(run({ fail: 'no' })).rejects.toThrow('no')
  const answers = {
    fail: () => {
      throw new Error('no answer')
    },
  }
  await expect(run({ ask: 'fail', parameters: [] }, answers)).rejects.toThrow('no answer')
})

test('a thread that takes too long, too much memory, or ends is an error', async () => {
  const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  const answers = { begun: () => clock.advance(1_001) }
  await expect(run({ ask: 'begun', loop: true, parameters: [] }, answers, { clock })).rejects.toThrow(ThreadEnded)
  await expect(run({ grow: true }, {}, { mostMemoryMib: 32 })).rejects.toThrow(ThreadEnded)
  await expect(run({ exit: true })).rejects.toThrow(ThreadEnded)
})

test('work is limited', async () => {
  const atOnce = limited(2)
  let running = 0
  const most: number[] = []
  const work = (index: number) =>
    atOnce(async () => {
      running += 1
      most.push(running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      if (index === 3) throw new Error('failed')
      return index
    })
  const results = await Promise.allSettled([0, 1, 2, 3, 4, 5].map(work))
  expect(Math.max(...most)).toBe(2)
  expect(results.map(({ status }) => status)).toEqual(expect.arrayContaining(['rejected']))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
})
