import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import type { Client, TestServer } from '../../testing/index.ts'

/** The answer of a pretended source: a status with a JSON value, or bytes. `breaks`: the connection is lost after them; `stalls`: nothing follows. */
export type Pretended = {
  status?: number
  body?: unknown
  bytes?: Buffer
  headers?: Record<string, string>
  breaks?: boolean
  stalls?: boolean
}

/** A request that a pretended source got. */
export type Asked = { method: string; path: string; query: URLSearchParams; body: string; token: string | undefined }

export type PretendedSource = AsyncDisposable & {
  url: string
  asked: Asked[]
  /** Answers by method and path below `/api/v4`; null leaves a request without an answer. */
  answers: Map<string, Pretended | null | ((asked: Asked) => Pretended | null | Promise<Pretended>)>
}

const accepted = { id: 1, name: 'token', scopes: ['api'] }

/** Starts a server that answers as a source whose answers may be anything. */
export async function pretendSource(): Promise<PretendedSource> {
  const asked: Asked[] = []
  const answers: PretendedSource['answers'] = new Map([
    ['GET /version', { body: { version: '17.7.0-ee' } }],
    ['GET /personal_access_tokens/self', { body: accepted }],
  ])
  async function answer(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? '', 'http://source')
    const path = decodeURIComponent(url.pathname.replace('/api/v4', ''))
    const token = request.headers['private-token'] as string | undefined
    const one = { method: request.method ?? '', path, query: url.searchParams, body: await text(request), token }
    asked.push(one)
    const found = answers.get(`${one.method} ${path}`)
    const made = typeof found === 'function' ? await found(one) : found
    if (made === null) return
    const {
      status = 200,
      body,
      bytes,
      headers = {},
      breaks,
      stalls,
    } = made ?? { status: 404, body: { message: '404 Not found' } }
    if (breaks) return void response.writeHead(status, headers).write(bytes, () => response.destroy())
    if (stalls) return void response.writeHead(status, headers).write(bytes)
    response.writeHead(status, headers).end(bytes ?? JSON.stringify(body ?? null))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The lines of a relation as a file. */
export const linesFile = (lines: readonly unknown[]): Buffer =>
  gzipSync(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))

type Group = { id: number; path: string; name?: string; relations?: Record<string, readonly unknown[]> }

/** Has a pretended source answer for a group with these lines of its relations. */
export function pretendGroup({ answers }: PretendedSource, { id, path, name = path, relations = {} }: Group): void {
  answers.set(`GET /groups/${path}`, { body: { id, name, full_path: path, description: '', visibility: 'private' } })
  answers.set(`GET /groups/${path}/export_relations/status`, { body: [] })
  answers.set(`POST /groups/${id}/export_relations`, { status: 202, body: { message: '202 Accepted' } })
  const names = [...new Set([...Object.keys(relations), 'user_contributions'])]
  const status = names.map((relation) => ({
    ...{ relation, status: 1, error: null, batched: true, batches_count: relations[relation] ? 1 : 0 },
    ...{ total_objects_count: relations[relation]?.length ?? 0, updated_at: '2026-01-02T03:04:05Z', batches: [] },
  }))
  answers.set(`GET /groups/${id}/export_relations/status`, { body: status })
  answers.set(`GET /groups/${id}/export_relations/download`, ({ query }) => {
    const lines = relations[query.get('relation') ?? '']
    return lines ? { bytes: linesFile(lines) } : { status: 404, body: { message: 'Export file not found' } }
  })
  for (const list of ['members', 'subgroups', 'projects']) answers.set(`GET /groups/${id}/${list}`, { body: [] })
}

/** A migration of one group. */
export const groupMigration = (url: string, token: string, source: string, slug: string, more: object = {}) => ({
  configuration: { url, access_token: token },
  entities: [
    {
      source_type: 'group_entity',
      source_full_path: source,
      destination_slug: slug,
      destination_namespace: '',
      ...more,
    },
  ],
})

/** Starts a migration. @returns its id */
export async function migrate(client: Client, body: object): Promise<number> {
  const answer = await client.post('/bulk_imports', body)
  if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body.id
}

const ended = ['finished', 'failed', 'timeout', 'canceled']

/** Runs jobs until a migration has ended, whose waits pass by the clock of the test. @returns the entities */
export async function untilEnded(
  server: TestServer,
  client: Client,
  id: number,
  pass: (ms: number) => void,
  beforeReading?: () => Promise<unknown>,
) {
  const { database, jobs } = server.app.platform
  for (let round = 0; round < 500; round += 1) {
    await jobs.drain()
    const query = database.read.selectFrom('bulk_imports').select('status').where('id', '=', id)
    if (ended.includes((await query.executeTakeFirstOrThrow()).status)) {
      await beforeReading?.()
      return (await client.get(`/bulk_imports/${id}/entities`)).body
    }
    pass(1_000)
  }
  throw new Error('the migration does not end')
}
