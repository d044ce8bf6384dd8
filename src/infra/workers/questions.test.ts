import type { Worker } from 'node:cluster'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answerMs, type ToWorker } from './messages.ts'
import { openQuestions } from './questions.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

function workers(count: number) {
  const all = Array.from({ length: count }, () => ({}) as Worker)
  const told = new Map<Worker, ToWorker[]>(all.map((worker) => [worker, []]))
  const serving = new Set(all)
  const questions = openQuestions(serving, (worker, message) => told.get(worker)?.push(message))
  return { all: all as [Worker, Worker, Worker], serving, told, questions }
}

test('a question goes to all that serve, and waits for all', async () => {
  const { all, serving, told, questions } = workers(3)
  serving.delete(all[2])
  const [one, two] = [questions.ask('ready'), questions.ask('alive')]
  expect(all.map((worker) => told.get(worker)?.length)).toEqual([2, 2, 0])
  questions.answer(all[1], 2, 'second of two')
  questions.answer(all[1], 1, 'second of one')
  questions.answer(all[0], 1, 'first of one')
  questions.answer(all[0], 2, 'first of two')
  expect([await one, await two]).toEqual([
    ['first of one', 'second of one'],
    ['first of two', 'second of two'],
  ])
  expect(vi.getTimerCount()).toBe(0)
})

test('one that is silent has no answer, and one that has ended is not counted', async () => {
  const { all, questions } = workers(3)
  const asked = questions.ask('ready')
  questions.answer(all[0], 1, true)
  questions.forget(all[1])
  vi.advanceTimersByTime(answerMs)
  expect(await asked).toEqual([true, undefined])
})

test('without workers there is no answer', async () => {
  expect(await workers(0).questions.ask('ready')).toEqual([])
})
