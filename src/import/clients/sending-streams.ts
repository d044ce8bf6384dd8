import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { collectAnswer, requestHttp, requestHttps } from '../../infra/net/index.ts'
import { handled } from '../../infra/streams/index.ts'
import { NotBrought } from './errors.ts'

type Sent = { url: URL; method: string; headers: Record<string, string>; body: Readable }

const idleMs = 300_000
/** What a server says of a stream is short. */
const mostAnswerBytes = 1024 * 1024

function start({ url, method, headers }: Sent): ClientRequest {
  const begin = url.protocol === 'https:' ? requestHttps : requestHttp
  const outgoing = handled(begin(url, { method, headers, timeout: idleMs }))
  return outgoing.on('timeout', () => outgoing.destroy(new Error('nothing moves')))
}

/**
 * Sends a stream, no faster than it is received: `fetch` would read the whole source into memory. Redirects are not followed.
 * @throws NotBrought when the source ends the stream, or the connection breaks off
 */
export async function sendStream(sent: Sent): Promise<Response> {
  const outgoing = start(sent)
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
  const { body } = sent
  const complete = pipeline(body, outgoing)
  complete.catch(() => {})
  answered.catch(() => {})
  try {
    // A server may refuse before it has received everything.
    await Promise.race([complete, answered])
    const [incoming] = await answered
    const text = await collectAnswer(incoming, { maximumBytes: mostAnswerBytes })
    const headers = Object.entries(incoming.headers).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    )
    return new Response(text.length === 0 ? null : new Uint8Array(text), {
      status: incoming.statusCode ?? 500,
      headers,
    })
  } catch (error) {
    throw error instanceof NotBrought ? error : new NotBrought(`the transfer breaks off (${(error as Error).message})`)
  } finally {
    outgoing.destroy()
    body.destroy()
  }
}
