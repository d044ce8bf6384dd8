import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Clock } from '../clock/index.ts'
import { answerMs, type FromWorker, type ToWorker } from './messages.ts'

/** The workers of a server, as one of them sees them. */
export type Siblings = {
  /** Number of this worker, from 1. One that takes the place of another has the same. */
  readonly number: number
  /** Says how this worker answers a question. */
  answer(name: string, give: () => Promise<unknown>): void
  /**
   * Asks all workers that serve, this one included, and none before the first of them serves.
   * @returns their answers; undefined from a worker that gave none in time
   */
  ask(name: string): Promise<unknown[]>
}

/** The place of this process among the workers of a server. */
export type WorkerPlace<Given, Found> = Siblings & {
  given: Given
  /** What the first worker reported when it was ready; undefined for that one. */
  found: Found | undefined
  /** Reports that this worker serves. */
  ready(found: Found): void
  /** Reports that this worker serves no more, and is about to end. */
  leave(): void
  /** Calls `end` when the parent has ended. Connections that are open can be served then, and there are no new ones. */
  onAbandoned(end: () => void): void
}

/** The parent may answer later than the slowest worker, but not by much. */
const parentMs = answerMs + 1_000

/** Takes the place of this process among the workers of a server: waits for what it is to do. */
export async function joinWorkers<Given, Found>(clock: Clock): Promise<WorkerPlace<Given, Found>> {
  const [start] = (await once(process, 'message')) as [Extract<ToWorker, { kind: 'start' }>]
  const answers = new Map<string, () => Promise<unknown>>()
  const asked = new Map<number, (values: unknown[]) => void>()
  let lastId = 0
  // The parent may have ended, which `onAbandoned` reports.
  const tell = (message: FromWorker) => process.connected && process.send?.(message, undefined, {}, () => {})

  async function reply(id: number, name: string): Promise<void> {
    const value = await answers
      .get(name)?.()
      .catch(() => undefined)
    tell({ kind: 'answer', id, value })
  }
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'question') void reply(message.id, message.name)
    else if (message.kind === 'answers') asked.get(message.id)?.(message.values)
  })

  return {
    number: start.number,
    given: start.given as Given,
    found: start.found as Found | undefined,
    ready: (found) => tell({ kind: 'ready', found }),
    leave: () => tell({ kind: 'leaving' }),
    answer: (name, give) => answers.set(name, give),
    async ask(name) {
      lastId += 1
      const id = lastId
      const { promise, resolve } = Promise.withResolvers<unknown[]>()
      asked.set(id, resolve)
      const silence = clock.setTimer(() => resolve([undefined]), parentMs)
      tell({ kind: 'ask', id, name })
      const values = await promise
      silence.cancel()
      asked.delete(id)
      return values
    },
    onAbandoned(end) {
      const { worker } = cluster
      worker?.once('disconnect', () => {
        // Otherwise Node ends the process now.
        worker.exitedAfterDisconnect = true
        end()
      })
    },
  }
}
