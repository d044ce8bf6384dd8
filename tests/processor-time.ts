/** Measures how much work of the event loop requests are. Processor time does not depend on what else the machine does. */
import { Worker } from 'node:worker_threads'

/** A request by a path below the API. */
export type SentRequest = { path: string; method?: 'GET' | 'POST'; body?: unknown }

const program = `
const { parentPort } = require('node:worker_threads')
const known = []
parentPort.on('message', async ({ prepare, send }) => {
  if (prepare) return void known.push(prepare)
  const { url, init } = known[send]
  const answer = await fetch(url, init)
  let bytes = 0
  for await (const chunk of answer.body ?? []) bytes += chunk.length
  parentPort.postMessage({ status: answer.status, bytes })
})`

/** A client in a thread of its own, whose work is not that of the server. It is told of requests before they are measured. */
export function threadClient(url: string, token: string) {
  const worker = new Worker(program, { eval: true })
  let count = 0
  return {
    /** @returns a function that sends the request, and resolves to the answer's status and size in bytes */
    prepare({ path, method = 'GET', body }: SentRequest): () => Promise<{ status: number; bytes: number }> {
      const headers = { 'PRIVATE-TOKEN': token, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) }
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
      worker.postMessage({ prepare: { url: `${url}/api/v4${path}`, init } })
      const number = count
      count += 1
      return () =>
        new Promise((resolve, reject) => {
          worker.once('message', resolve)
          worker.once('error', reject)
          worker.postMessage({ send: number })
        })
    },
    stop: () => worker.terminate(),
  }
}

/** The processor time that this thread has taken, in milliseconds. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The processor time of this thread while work is done, in milliseconds. */
export async function totalMs(work: () => Promise<unknown>): Promise<number> {
  const before = threadMs()
  await work()
  return threadMs() - before
}

/** The longest turn of the event loop while work is done, in milliseconds of processor time: so long no other request was served. */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = threadMs()
  let isDone = false
  const turn = () => {
    const now = threadMs()
    longest = Math.max(longest, now - last)
    last = now
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isDone = true
  return longest
}
