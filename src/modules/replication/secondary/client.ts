import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { handled } from '../../../infra/streams/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { nodeAuthorization } from '../protocol/credentials/token.ts'

/** The primary cannot be reached; the message says why. */
export class PrimaryUnreachable extends Error {
  override name = 'PrimaryUnreachable'
}

/** The primary has refused a request. */
export class PrimaryRefusal extends Error {
  override name = 'PrimaryRefusal'
  readonly status: number
  readonly body: Record<string, unknown>

  constructor(status: number, body: Record<string, unknown>) {
    super(typeof body.message === 'string' ? body.message : `The primary answered ${status}`)
    this.status = status
    this.body = body
  }
}

/** An answer whose bytes are read by the caller. */
export type OpenedAnswer = { status: number; headers: Headers; stream: Readable }

export type RequestOptions = {
  signal: AbortSignal
  timeoutMs?: number
  headers?: Record<string, string>
  body?: unknown
}

/** Calls the protocol of the primary. */
export type PrimaryClient = {
  get<T>(path: string, options: RequestOptions): Promise<T>
  post<T>(path: string, body: unknown, options: RequestOptions): Promise<T>
  open(path: string, options: RequestOptions): Promise<OpenedAnswer>
  /** Asks an operation for administrators with the credentials of a client. */
  askAs(credentials: Record<string, string>, options: RequestOptions): Promise<{ status: number; body: string }>
  /** Address and `Authorization` of a repository, for git. */
  repository(type: string, id: number): { address: string; authorization: string }
}

const patienceMs = 60_000

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? message
}

async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text()
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return { message: text.slice(0, 200) }
  }
}

/** Where the primary is. */
export function primaryUrl({ config }: Pick<Platform, 'config'>): string {
  const { primaryUrl: url } = config.geo
  if (url === undefined) throw new Error('a secondary has the address of its primary')
  return url
}

/** A client with the credentials of this secondary. */
export function primaryClient(platform: Pick<Platform, 'config' | 'clock'>): PrimaryClient {
  const { accessKey = '', secretAccessKey: secret = '' } = platform.config.geo
  const authorization = () => nodeAuthorization({ accessKey, secret }, platform.clock.now())
  const base = `${primaryUrl(platform)}/api/v4`

  async function send(method: string, path: string, options: RequestOptions): Promise<Response> {
    const { signal, timeoutMs = patienceMs, headers = {}, body } = options
    const json = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const response = await fetch(`${base}${path}`, {
      method,
      redirect: 'error',
      headers: { ...json, ...headers, Authorization: authorization() },
      body: body === undefined ? null : JSON.stringify(body),
      signal: timeoutMs === Infinity ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }).catch((error) => {
      signal.throwIfAborted()
      throw new PrimaryUnreachable(reasonOf(error))
    })
    if (response.ok) return response
    const refusal = new PrimaryRefusal(response.status, await bodyOf(response).catch(() => ({})))
    // A primary that is starting, or a proxy before one that is not there.
    throw response.status >= 502 && response.status <= 504 ? new PrimaryUnreachable(refusal.message) : refusal
  }

  async function json<T>(response: Response, signal: AbortSignal): Promise<T> {
    return response.json().catch((error) => {
      signal.throwIfAborted()
      throw new PrimaryUnreachable(reasonOf(error))
    }) as Promise<T>
  }

  return {
    get: async <T>(path: string, options: RequestOptions) => json<T>(await send('GET', path, options), options.signal),
    post: async <T>(path: string, body: unknown, options: RequestOptions) =>
      json<T>(await send('POST', path, { ...options, body }), options.signal),
    async open(path, options) {
      const { status, headers, body } = await send('GET', path, { ...options, timeoutMs: Infinity })
      const stream = body ? handled(Readable.fromWeb(body as ReadableStream)) : handled(Readable.from([]))
      return { status, headers, stream }
    },
    async askAs(credentials, { signal }) {
      const response = await fetch(`${base}/geo_sites?per_page=1`, {
        redirect: 'error',
        headers: credentials,
        signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
      }).catch((error) => {
        signal.throwIfAborted()
        throw new PrimaryUnreachable(reasonOf(error))
      })
      return { status: response.status, body: await response.text() }
    },
    repository: (type, id) => ({ address: `${base}/geo/git/${type}/${id}`, authorization: authorization() }),
  }
}
