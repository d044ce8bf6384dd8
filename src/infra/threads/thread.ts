import type { Clock } from '../clock/index.ts'
import type { FromThread, ToThread } from './program.ts'
import { startThread } from './start.ts'

/** A thread was ended, since it took too much time or memory. */
export class ThreadEnded extends Error {
  override name = 'ThreadEnded'
}

/** What a thread may ask, by name. */
type Answers = Readonly<Record<string, (...parameters: never[]) => unknown>>

/** The bounds of a thread. */
type Bounds = { clock: Clock; longestMs: number; mostMemoryMib: number }

/**
 * Runs a program in a thread of its own, which calls `serveThread`. What is passed in either direction is copied.
 * @param program path without extension, as a URL
 * @returns its result
 * @throws ThreadEnded; what the program or an answer throws
 */
export async function runInThread<Result>(
  program: URL,
  task: unknown,
  answers: Answers,
  { clock, longestMs, mostMemoryMib }: Bounds,
): Promise<Result> {
  const worker = startThread(program, { data: task, mostMemoryMib })
  const timer = { cancel: () => {} }
  try {
    return await new Promise<Result>((resolve, reject) => {
      timer.cancel = clock.setTimer(() => reject(new ThreadEnded('a thread took too long')), longestMs).cancel
      worker.on('error', (error: NodeJS.ErrnoException) => {
        reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadEnded('a thread took too much memory') : error)
      })
      worker.on('exit', () => reject(new ThreadEnded('a thread ended without a result')))
      const answer = async (id: number, name: string, parameters: readonly unknown[]) => {
        const ask = answers[name] as (...given: readonly unknown[]) => unknown
        const message: ToThread = { id, answer: await ask(...parameters) }
        worker.postMessage(message)
      }
      worker.on('message', (message: FromThread) => {
        if (message.kind === 'result') resolve(message.result as Result)
        else if (message.kind === 'failure') reject(message.error)
        else answer(message.id, message.name, message.parameters).catch(reject)
      })
    })
  } finally {
    timer.cancel()
    await worker.terminate()
  }
}
