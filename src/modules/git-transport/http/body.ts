import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** More than any client asks of a repository at once; git keeps every line of it in memory. */
const maximumRequestBytes = 64 * 1024 * 1024

class RequestTooLarge extends Error {}

/** Lets so much through, and fails with what comes after it. */
function bounded(maximumBytes: number): Transform {
  let sizeBytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length
      if (sizeBytes > maximumBytes) done(new RequestTooLarge())
      else done(null, chunk)
    },
  })
}

/**
 * What a git client sends, unpacked. What it asks for is bounded. A pack is not, but comes as it is: clients compress
 * nothing but requests, so little on the wire never becomes much here.
 * @param holdsPack whether this is a push
 */
export function bodyOf(message: IncomingMessage, holdsPack: boolean): Readable {
  const encoding = message.headers['content-encoding']
  const isCompressed = encoding === 'gzip' || encoding === 'x-gzip'
  if (!isCompressed && holdsPack) return message
  // It may fail before git is there to read it, when nobody listens yet; whoever reads finds it destroyed.
  const body = bounded(maximumRequestBytes).on('error', () => {})
  const fail = (error?: Error) => body.destroy(error)
  // Not a pipeline: that would end the connection with the stream, and nobody could be told why.
  const plain = isCompressed ? message.pipe(createGunzip()).once('error', fail) : message
  message.once('error', fail).once('close', () => message.readableEnded || fail())
  plain.pipe(body)
  return body
}

/** Answers a request whose body is too large, or not compressed as its header says. */
export function refuseBody(response: ServerResponse, reason: Error): void {
  if (reason instanceof RequestTooLarge) refuse(response, 413, '413 Request Entity Too Large')
  else refuse(response, 400, '400 Bad request: the body could not be decompressed')
}

/** Answers a request that git's protocol does not allow, or that is incomplete. */
export function refuseProtocol(response: ServerResponse): void {
  refuse(response, 400, "400 Bad request: the body is not a complete request of git's protocol")
}

/** Answers a request whose body stopped coming. */
export function refuseIdle(response: ServerResponse): void {
  refuse(response, 408, '408 Request Timeout')
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.req.unpipe()
  response.req.resume()
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end(text)
}
