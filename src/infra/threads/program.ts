import { parentPort, workerData } from 'node:worker_threads'

/** What a thread says to the one that started it. */
export type FromThread =
  | { kind: 'question'; id: number; name: string; parameters: readonly unknown[] }
  | { kind: 'result'; result: unknown }
  | { kind: 'failure'; error: Error }

/** The answer to a question. */
export type ToThread = { id: number; answer: unknown }

/** What a thread of a pool says after each task. The members of an error, such as its code, are not copied with it. */
export type ToPool<Result> = { result: Result } | { error: Error; members: object }

/** Asks the thread that started this one, which answers by a function of this name. */
export type Ask = (name: string, ...parameters: unknown[]) => Promise<unknown>

/** Does the work of a thread: called by the program that `runInThread` names. */
export function serveThread<Task>(work: (task: Task, ask: Ask) => Promise<unknown>): void {
  const port = parentPort
  if (!port) throw new Error('this program runs in a thread')
  const send = (message: FromThread) => port.postMessage(message)
  const open = new Map<number, (answer: unknown) => void>()
  port.on('message', ({ id, answer }: ToThread) => {
    open.get(id)?.(answer)
    open.delete(id)
  })
  let asked = 0
  const ask: Ask = (name, ...parameters) =>
    new Promise((resolve) => {
      asked += 1
      open.set(asked, resolve)
      send({ kind: 'question', id: asked, name, parameters })
    })
  work(workerData as Task, ask).then(
    (result) => send({ kind: 'result', result }),
    (error: Error) => send({ kind: 'failure', error }),
  )
}

/**
 * Does the work of a thread of a pool: called by the program that `openThreadPool` names.
 * @param open called once, with the data of the pool; returns what does a task
 */
export function serveTasks<Data, Task, Result>(open: (data: Data) => (task: Task) => Result): void {
  const port = parentPort
  if (!port) throw new Error('this program runs in a thread')
  const work = open(workerData as Data)
  const send = (message: ToPool<Result>) => port.postMessage(message)
  port.on('message', (task: Task) => {
    try {
      send({ result: work(task) })
    } catch (error) {
      send({ error: error as Error, members: { ...(error as Error) } })
    }
  })
}
