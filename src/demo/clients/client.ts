import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

// An import of `node:http` would load the client of `fetch` as well.
const { Agent: HttpAgent, request } = process.getBuiltinModule('node:http')

/** The members of an answer that the demo reads. */
// biome-ignore lint/suspicious/noExplicitAny: answers have the form of the operation that was asked
export type Body = any

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type Sent = { headers?: Record<string, string>; body?: string | FormData | Buffer | undefined }

type Answer = { status: number; ok: boolean; headers: IncomingHttpHeaders; text: string }

/** Asks the server as a client does. */
export type Api = {
  /**
   * Performs an operation in the name of a user, and returns the body of the answer.
   * @param path below `/api/v4`
   * @param body sent as JSON, unless it is a form
   * @throws Error with the answer, where the server refuses
   */
  ask(by: string, method: Method, path: string, body?: object): Promise<Body>
  /** Asks for any path without the token of root, and returns the answer whole. */
  open(method: Method, path: string, sent: Sent): Promise<Answer>
  /** The address of the server, and the token of root. */
  url: string
  rootToken: string
  /** How many requests were sent. */
  sent(): number
  /** Closes the connections. */
  close(): void
}

/** The bytes of a form, and their media type. */
async function encoded(form: FormData) {
  const response = new Response(form)
  const type = { 'Content-Type': response.headers.get('content-type') ?? '' }
  return { type, bytes: Buffer.from(await response.arrayBuffer()) }
}

/** Sends a request. `fetch` takes more than twice the processor time, and there are thousands. */
async function send(agent: Agent, url: string, method: Method, { headers = {}, body = '' }: Sent): Promise<Answer> {
  const { type, bytes } = body instanceof FormData ? await encoded(body) : { type: {}, bytes: Buffer.from(body) }
  const all = { ...headers, ...type, 'Content-Length': bytes.length }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request(url, { method, agent, headers: all }, resolve).once('error', reject).end(bytes)
  const answer = await promise
  const { statusCode: status = 0, headers: answered } = answer
  return { status, ok: status >= 200 && status < 300, headers: answered, text: await text(answer) }
}

/** A client that is root, and other users by `Sudo`: no token has to be made for them. */
export function apiOf(url: string, rootToken: string): Api {
  const agent = new HttpAgent({ keepAlive: true })
  let count = 0
  function open(method: Method, path: string, sent: Sent): Promise<Answer> {
    count += 1
    return send(agent, `${url}${path}`, method, sent)
  }
  async function ask(by: string, method: Method, path: string, body?: object): Promise<Body> {
    const isJson = body !== undefined && !(body instanceof FormData)
    const { ok, status, headers, text } = await open(method, `/api/v4${path}`, {
      headers: {
        'PRIVATE-TOKEN': rootToken,
        ...(by === 'root' ? {} : { Sudo: by }),
        ...(isJson ? { 'Content-Type': 'application/json' } : {}),
      },
      body: isJson ? JSON.stringify(body) : body,
    })
    if (!ok) throw new Error(`${by}: ${method} ${path} ${isJson ? JSON.stringify(body) : ''}: ${status} ${text}`)
    return headers['content-type']?.startsWith('application/json') ? JSON.parse(text) : text
  }
  return { ask, open, url, rootToken, sent: () => count, close: () => agent.destroy() }
}
