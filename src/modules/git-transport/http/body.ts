import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { handled } from '../../../infra/streams/index.ts'

/** The maximal size of a request that is not a pack. Git holds all of its lines in memory. */
const maximumRequestBytes = 64 * 1024 * 1024

/** The body exceeds the limit of requests. */
export class RequestTooLarge extends Error {}

/** Passes data through, and fails with `RequestTooLarge` beyond the limit. */
function bounded(maximumBytes: number): Transform {
  let sizeBytes = 0
  return handled(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        sizeBytes += chunk.length
        if (sizeBytes > maximumBytes) done(new RequestTooLarge())
        else done(null, chunk)
      },
    }),
  )
}

/**
 * The decompressed body of a request, limited in size. An uncompressed pack has no limit here.
 * @param holdsPack whether this is a push
 */
export function bodyOf(message: IncomingMessage, holdsPack: boolean): Readable {
  const encoding = message.headers['content-encoding']
  const isCompressed = encoding === 'gzip' || encoding === 'x-gzip'
  if (!isCompressed && holdsPack) return message
  // It may fail before git reads it. A later reader finds the stream destroyed.
  const body = bounded(maximumRequestBytes).on('error', () => {})
  const fail = (error?: Error) => body.destroy(error)
  // Not a pipeline, which would close the connection with the stream, before the answer is sent.
  const plain = isCompressed ? message.pipe(handled(createGunzip())).once('error', fail) : message
  message.once('error', fail).once('close', () => message.readableEnded || fail())
  plain.pipe(body)
  return body
}

/** Answers a request whose body cannot be read, and closes the connection. */
export function refuseBody(response: ServerResponse, status: number, text: string): void {
  response.req.unpipe()
  response.req.resume()
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end(text)
}
