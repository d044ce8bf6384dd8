import type { ClientRequest, IncomingHttpHeaders, RequestOptions } from 'node:http'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { handled } from '../streams/index.ts'
import { type Lookup, type OutboundPolicy, type ResolvedHost, resolveOutbound } from './outbound.ts'
import { requestHttp, requestHttps } from './requests-by-node.ts'

/** A body that is streamed. */
export type OutboundContent = { sizeBytes: number; stream: Readable }

/** A request of the server to another one. */
export type OutboundRequest = {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT'
  url: URL
  headers?: Record<string, string>
  body?: string | Buffer | OutboundContent
  policy: OutboundPolicy
  /** Limit for the whole exchange. */
  timeoutMs: number
  /** Ends the exchange before. */
  signal?: AbortSignal
  /** A longer answer is an error, unless it is cut. */
  maximumBytes: number
  /** Returns the first `maximumBytes` of a longer answer, and reads no more of it. */
  cutsAnswer?: boolean
  /** Whether the certificate of an https address is verified. Default true. */
  verifiesCertificate?: boolean
  /** Replaces the resolution of names, for tests. */
  lookup?: Lookup
}

export type OutboundAnswer = { status: number; headers: IncomingHttpHeaders; body: Buffer }

/** Only these protocols are spoken; others have addresses that are checked by other rules. */
const senders = new Map([
  ['http:', requestHttp],
  ['https:', requestHttps],
])

/** Resolves the name to the checked addresses, whatever it resolves to by now. */
function pinned({ addresses }: ResolvedHost): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_hostname, { all }, answer) => {
    const [first] = found
    if (all) answer(null, found)
    else answer(null, first?.address ?? '', first?.family)
  }
}

type Limits = Pick<OutboundRequest, 'maximumBytes' | 'cutsAnswer'>

/**
 * Reads an answer. Leaving the loop destroys the stream, and with it the connection.
 * @throws Error for a longer answer, unless it is cut
 */
export async function collectAnswer(
  stream: AsyncIterable<Buffer>,
  { maximumBytes, cutsAnswer }: Limits,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of stream) {
    sizeBytes += chunk.length
    chunks.push(chunk)
    if (sizeBytes <= maximumBytes) continue
    if (!cutsAnswer) throw new Error(`an answer of more than ${maximumBytes} bytes`)
    break
  }
  return Buffer.concat(chunks).subarray(0, maximumBytes)
}

/** Fails when the signal is aborted before the work is done, which may go on: the resolution of a name cannot be stopped. */
function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason)
    signal.addEventListener('abort', end, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}

/** An answer whose body is read by the caller, who destroys it when it is not read to its end. */
export type OpenedAnswer = { status: number; headers: IncomingHttpHeaders; stream: Readable }

const isStreamed = (body: string | Buffer | OutboundContent): body is OutboundContent =>
  typeof body === 'object' && 'stream' in body

/** Sends the head of a request, then its body. A failure of a streamed body ends the request. */
function sendBody(sent: ClientRequest, body: string | Buffer | OutboundContent): void {
  if (isStreamed(body)) pipeline(body.stream, sent).catch((error) => sent.destroy(error as Error))
  else sent.end(body)
}

/**
 * Sends a request to an address that the policy allows, and opens the answer. Redirects are not followed: they would need another check.
 * @throws BlockedAddress when the address may not be reached; Error when it does not answer in time. The stream fails as well when
 * the answer does not end in time.
 */
export async function openOutbound(
  wanted: Omit<OutboundRequest, 'maximumBytes' | 'cutsAnswer'>,
): Promise<OpenedAnswer> {
  const { url, method, headers = {}, body = '', policy, timeoutMs } = wanted
  const send = senders.get(url.protocol)
  if (!send) throw new Error(`not an HTTP address: ${url.protocol}`)
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = wanted.signal ? AbortSignal.any([timeout, wanted.signal]) : timeout
  const resolved = await within(signal, resolveOutbound(url, policy, wanted.lookup))
  const options: RequestOptions & { rejectUnauthorized?: boolean } = {
    method,
    headers: { ...headers, 'Content-Length': String(isStreamed(body) ? body.sizeBytes : Buffer.byteLength(body)) },
    lookup: pinned(resolved),
    agent: false,
    signal,
    rejectUnauthorized: wanted.verifiesCertificate ?? true,
  }
  return new Promise((resolve, reject) => {
    const sent = send(url, options, (answer) => {
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, stream: handled(answer) })
    })
    // A receiver that changes the protocol has answered, and is asked for nothing else.
    sent.once('upgrade', ({ statusCode: status = 0, headers }, socket) => {
      socket.destroy()
      resolve({ status, headers, stream: handled(Readable.from([])) })
    })
    // More than one may come: a malformed answer, and then the loss of the connection.
    sent.on('error', reject)
    sendBody(sent, body)
  })
}

/**
 * Sends a request and reads the whole answer, which is held in memory.
 * @throws BlockedAddress when the address may not be reached; Error when it does not answer in time and size
 */
export async function sendOutbound(wanted: OutboundRequest): Promise<OutboundAnswer> {
  const timeout = AbortSignal.timeout(wanted.timeoutMs)
  const { status, headers, stream } = await openOutbound(wanted)
  try {
    return { status, headers, body: await collectAnswer(stream, wanted) }
  } catch (error) {
    // The stream only says that the connection was lost.
    throw timeout.aborted ? timeout.reason : error
  }
}
