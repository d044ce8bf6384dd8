import type { IncomingHttpHeaders, RequestOptions } from 'node:http'
import type { LookupFunction } from 'node:net'
import { type Lookup, type OutboundPolicy, type ResolvedHost, resolveOutbound } from './outbound.ts'
import { requestHttp, requestHttps } from './requests-by-node.ts'

/** A request of the server to another one. */
export type OutboundRequest = {
  method: 'GET' | 'POST' | 'PUT'
  url: URL
  headers?: Record<string, string>
  body?: string | Buffer
  policy: OutboundPolicy
  /** Limit for the whole exchange. */
  timeoutMs: number
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

/**
 * Sends a request to an address that the policy allows. Redirects are not followed: they would need another check.
 * @throws BlockedAddress when the address may not be reached; Error when it does not answer in time and size
 */
export async function sendOutbound(wanted: OutboundRequest): Promise<OutboundAnswer> {
  const { url, method, headers = {}, body = '', policy, timeoutMs } = wanted
  const send = senders.get(url.protocol)
  if (!send) throw new Error(`not an HTTP address: ${url.protocol}`)
  const signal = AbortSignal.timeout(timeoutMs)
  const resolved = await within(signal, resolveOutbound(url, policy, wanted.lookup))
  const options: RequestOptions & { rejectUnauthorized?: boolean } = {
    method,
    headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)) },
    lookup: pinned(resolved),
    agent: false,
    signal,
    rejectUnauthorized: wanted.verifiesCertificate ?? true,
  }
  return new Promise((resolve, reject) => {
    const sent = send(url, options, (answer) => {
      const { statusCode: status = 0, headers } = answer
      collectAnswer(answer, wanted).then((bytes) => resolve({ status, headers, body: bytes }), reject)
    })
    // A receiver that changes the protocol has answered, and is asked for nothing else.
    sent.once('upgrade', ({ statusCode: status = 0, headers }, socket) => {
      socket.destroy()
      resolve({ status, headers, body: Buffer.alloc(0) })
    })
    // More than one may come: a malformed answer, and then the loss of the connection.
    sent.on('error', reject)
    sent.end(body)
  })
}
