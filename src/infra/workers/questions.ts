import type { Worker } from 'node:cluster'
import { answerMs, type ToWorker } from './messages.ts'

/** An answer; null from a worker that has ended. */
type Answer = { value: unknown } | null

/** Questions that one worker puts to all. */
export type Questions = {
  /** @returns the answers of the workers that serve; undefined from one that is silent */
  ask(name: string): Promise<unknown[]>
  answer(worker: Worker, id: number, value: unknown): void
  /** A worker serves no more: nothing waits for it. */
  forget(worker: Worker): void
}

/** Opens the questions to a set of workers, which changes. */
export function openQuestions(
  serving: ReadonlySet<Worker>,
  tell: (worker: Worker, message: ToWorker) => void,
): Questions {
  const open = new Map<number, Map<Worker, (answer: Answer) => void>>()
  let lastId = 0

  return {
    async ask(name) {
      lastId += 1
      const id = lastId
      const waiting = new Map<Worker, (answer: Answer) => void>()
      open.set(id, waiting)
      const answering = Array.from(serving, (worker) => {
        const { promise, resolve } = Promise.withResolvers<Answer>()
        waiting.set(worker, resolve)
        tell(worker, { kind: 'question', id, name })
        return promise
      })
      const silence = setTimeout(() => {
        for (const resolve of waiting.values()) resolve({ value: undefined })
      }, answerMs)
      const answers = await Promise.all(answering)
      clearTimeout(silence)
      open.delete(id)
      return answers.flatMap((answer) => (answer ? [answer.value] : []))
    },
    answer: (worker, id, value) => open.get(id)?.get(worker)?.({ value }),
    forget(worker) {
      for (const waiting of open.values()) waiting.get(worker)?.(null)
    },
  }
}
