/** A server for tests of the import, whose answers are given. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Side } from './clients/errors.ts'
import { GitClient } from './clients/git.ts'
import { ApiServer } from './clients/server.ts'
import { ImportState } from './state.ts'
import type { ImportContext } from './steps/context.ts'
import { People } from './steps/people.ts'

/** What a path answers. */
export type Answer = { status?: number; headers?: Record<string, string | undefined>; body?: unknown }
export type Answering = (request: IncomingMessage, response: ServerResponse) => Answer | Promise<Answer | null> | null

export type FakeServer = AsyncDisposable & {
  url: string
  /** The requests, as `GET /path`. */
  received: string[]
  /** The headers that carry credentials, of each request. */
  credentials: (string | undefined)[]
}

/** @param answering returns null when it has answered itself */
export async function startFake(answering: Answering): Promise<FakeServer> {
  const received: string[] = []
  const credentials: (string | undefined)[] = []
  const server = createServer(async (request, response) => {
    received.push(`${request.method} ${request.url}`)
    const { 'private-token': token, authorization } = request.headers
    credentials.push(typeof token === 'string' ? token : authorization)
    const answer = await answering(request, response)
    if (!answer) return
    const { status = 200, headers = {}, body } = answer
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value)
    response.writeHead(status)
    response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body ?? null))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    credentials,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const token = 'glpat-a-token-of-the-tests'

/** A client of a server that does not wait. `waits` are the times in milliseconds that it would have waited. */
export function clientFor(url: string, side: Side = 'source') {
  const waits: number[] = []
  const notes: string[] = []
  const waiting = {
    wait: async (ms: number) => void waits.push(ms),
    now: () => new Date('2026-01-01T00:00:00Z'),
    note: (line: string) => void notes.push(line),
  }
  return { server: new ApiServer({ side, url, token, waiting }), waits, notes }
}

/** What the steps of an import share, between two servers, with a state that is in memory. */
export function contextFor(urls: { source: string; target: string }, folder = '/nonexistent'): ImportContext {
  const [source, target] = [clientFor(urls.source).server, clientFor(urls.target, 'target').server]
  return {
    ...{ source, target, folder, invites: false, seesAll: true },
    state: new ImportState(':memory:', urls),
    people: new People(source, target),
    git: new GitClient({ PATH: process.env.PATH ?? '' }),
    progress: { step() {}, advance() {}, note() {} },
    now: () => new Date('2026-01-01T00:00:00Z'),
  }
}

/** All entries of a list. */
export async function collected<Value>(list: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = []
  for await (const item of list) found.push(item)
  return found
}
