import { type AddressInfo, connect } from 'node:net'
import { PassThrough } from 'node:stream'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { type Clock, manualClock } from '../infra/clock/index.ts'
import type { Authenticator } from './http/authentication.ts'
import type { BodyLimits } from './http/body/body.ts'
import type { ThrottleState } from './http/rate-limit.ts'
import { createServer, type Service } from './http/server/server.ts'
import { createApi } from './http/service.ts'
import type { Actor, Credential, Scope, UserActor } from './operation/actor.ts'
import { invalidToken, unauthorized } from './operation/errors.ts'
import type { Operation } from './operation/operation.ts'
import type { RequestInfo } from './operation/request.ts'
import { anything } from './operation/results.ts'
import { reading } from './operation/scopes.ts'
import { instance } from './operation/subject.ts'

/** A user whom a token may stand for in a test. */
export function person(
  overrides: Partial<Omit<UserActor, 'credential'>> & {
    scopes?: Scope[]
    kind?: 'user'
    via?: Credential['kind']
  } = {},
): UserActor {
  const { scopes = ['api'], via = 'personal', ...rest } = overrides
  return {
    kind: 'user',
    userId: 7,
    username: 'user',
    administrator: false,
    external: false,
    bot: false,
    hasMemberRoles: true,
    credential: { kind: via, id: 1, scopes: new Set(scopes) },
    ...rest,
  }
}

/** Who the tokens of the tests stand for. */
const people: Record<string, UserActor> = {
  user: person(),
  reader: person({ scopes: ['read_api'] }),
  registry: person({ scopes: ['read_registry'] }),
  admin: person({ userId: 1, username: 'root', administrator: true, scopes: ['api', 'sudo'] }),
  'admin-without-sudo': person({ userId: 1, username: 'root', administrator: true }),
  job: person({ via: 'job' }),
  'admin-job': person({ userId: 1, administrator: true, via: 'job', scopes: ['api', 'sudo'] }),
}

/** Authenticates `people` by their tokens, and records the tokens; `expired` is an expired one. */
export function fakeAuthenticator(): Authenticator & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    async authenticate({ carrier, text }) {
      asked.push(`${carrier}:${text}`)
      if (text === 'expired') {
        throw invalidToken('Token is expired. You can either do re-authorization or token refresh.')
      }
      const found = Object.hasOwn(people, text) ? people[text] : undefined
      if (!found) throw unauthorized()
      return found
    },
    async impersonate(caller, target) {
      const found = ['7', 'user'].includes(target.toLowerCase()) ? people.user : undefined
      return found ? { ...found, credential: caller.credential } : null
    },
  }
}

export type DemoOptions = {
  /** Passed to the operations, which use parts of it. */
  platform?: unknown
  externalUrl?: string
  authenticator?: Authenticator
  throttle?: (actor: Actor | undefined, ip: string) => Promise<ThrottleState | undefined>
  throttleText?: string | null
  bodyLimits?: BodyLimits
  clock?: Clock
  /** Services that are asked before the API. */
  before?: Service[]
  /** Services that are asked after the API. */
  services?: Service[]
}

export type DemoServer = AsyncDisposable & {
  server: FastifyInstance
  /** Lines of the log so far. */
  logged(): Record<string, unknown>[]
  /** Everything that was logged, as text. */
  logText(): string
  /** Sends a request without a socket. */
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>
  send(
    method: string,
    url: string,
    body?: unknown,
    headers?: Record<string, string | number>,
  ): Promise<LightMyRequestResponse>
  /** Listens on a port of its own and returns it. */
  listen(): Promise<number>
}

const standardLimits: BodyLimits = {
  bodyBytes: 10 * 1024 * 1024,
  multipart: { fileBytes: 1024 * 1024, fieldBytes: 64 * 1024, folder: '/nonexistent' },
}

/** A server with nothing but these operations: `await using demo = demoServer([…])`. */
export function demoServer(operations: readonly Operation[], options: DemoOptions = {}): DemoServer {
  const { externalUrl = 'https://git.example', throttleText = null, before = [], services = [] } = options
  let text = ''
  const destination = new PassThrough()
  destination.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  const api = createApi({
    platform: options.platform,
    operations,
    externalUrl,
    authenticator: options.authenticator ?? fakeAuthenticator(),
    throttle: async (identify, ip) => options.throttle?.(await identify(), ip),
    throttleText: async () => throttleText,
    bodyLimits: options.bodyLimits ?? standardLimits,
  })
  const server = createServer({
    externalUrl,
    clock: options.clock ?? manualClock({ start: '2026-01-02T03:04:05.678Z' }),
    log: pino({ level: 'trace' }, destination),
    services: [...before, api, ...services],
  })
  return {
    server,
    logText: () => text,
    logged: () =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    get: (url, headers = {}) => server.inject({ method: 'GET', url, headers }),
    send: (method, url, body, headers = {}) =>
      server.inject({
        method: method as 'POST',
        url,
        headers,
        ...(body === undefined ? {} : { payload: body as string }),
      }),
    async listen() {
      await server.listen({ port: 0, host: '127.0.0.1' })
      return (server.server.address() as AddressInfo).port
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
}

/** A request as operations and subjects see it. */
export function requestInfo(overrides: Partial<RequestInfo> = {}): RequestInfo {
  return {
    id: '01KDY0000000000000000000000',
    method: 'GET',
    url: '/api/v4/things',
    path: {},
    raw: {},
    headers: {},
    ip: '127.0.0.1',
    signal: new AbortController().signal,
    ...overrides,
  }
}

/** What an error is to a client, whatever it was thrown by; fails when nothing was thrown. */
export function thrown(call: () => unknown): { status: number; body: unknown } {
  try {
    call()
  } catch (error) {
    const { status, body } = error as { status: number; body: unknown }
    return { status, body }
  }
  throw new Error('nothing was thrown')
}

type RawAnswer = { status: number; headers: Record<string, string>; body: string }

/** Sends these bytes as they are and reads until the server closes: for requests that no client would make. */
export async function exchange(port: number, request: string | Buffer): Promise<RawAnswer> {
  const socket = connect({ port, host: '127.0.0.1' })
  const chunks: Buffer[] = []
  try {
    socket.on('error', () => {})
    socket.write(request)
    for await (const chunk of socket) chunks.push(chunk as Buffer)
  } catch {
    // A server may also hang up; what it said before counts.
  } finally {
    socket.destroy()
  }
  const [head = '', ...rest] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line) => [line.split(':', 1)[0]?.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()])
  return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers), body: rest.join('\r\n\r\n') }
}

/** An operation of the tests that answers with the parameters it saw. */
export function echo(overrides: Partial<Operation> = {}): Operation {
  return {
    id: 'things.list',
    contract: '0.1',
    method: 'GET',
    path: '/things',
    tag: 'Things',
    summary: 'Say what came in',
    subject: instance,
    allow: 'public',
    scopes: reading,
    result: [200, anything],
    run: async ({ params }) => params,
    ...overrides,
  } as Operation
}
