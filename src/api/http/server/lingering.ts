import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Clock } from '../../../infra/clock/index.ts'

/** Bodies of at most this size are small: they are read, or discarded, whatever the answer is. */
export const smallBodyBytes = 64 * 1024

/** Whether a request has a body that is not small, or whose size is not announced. */
export function hasLargeBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > smallBodyBytes
}

/** Whether the connection of a request ends with its answer: a large body was not read to its end. */
export function endsConnection(message: IncomingMessage): boolean {
  return message.complete === false && hasLargeBody(message)
}

const lookMs = 1_000
/** What is discarded of a body at most: for so many seconds in all, so many without data, and so many bytes. */
const longestLooks = 30
const idleLooks = 5
const longestBytes = 128 * 1024 * 1024

/**
 * Discards the rest of a body whose request is answered. A connection that is closed while data arrives is reset, and a
 * client that is reset may lose the answer. So the sending side is closed first, and the other one when the body has ended,
 * the client has closed, or the bounds are reached.
 */
function linger(message: IncomingMessage, clock: Clock): void {
  const { socket } = message
  const close = socket.destroySoon
  let [looks, idle, seenBytes] = [0, 0, socket.bytesRead]
  const lastByte = seenBytes + longestBytes
  function look() {
    idle = socket.bytesRead === seenBytes ? idle + 1 : 0
    seenBytes = socket.bytesRead
    looks += 1
    if (looks >= longestLooks || idle >= idleLooks || seenBytes > lastByte) socket.destroy()
    else timer = clock.setTimer(look, lookMs)
  }
  let timer = clock.setTimer(look, lookMs)
  let isClosing = false
  const stop = () => timer.cancel()
  const end = () => {
    stop()
    // The connection may serve more requests.
    socket.off('close', stop)
    socket.destroySoon = close
    if (isClosing) socket.destroySoon()
  }
  // Node closes the connection by this method when the answer says so.
  socket.destroySoon = () => {
    isClosing = true
    socket.end()
  }
  message.once('end', end).once('close', end)
  socket.once('close', stop)
  message.resume()
}

/**
 * Lets clients see an answer that is sent before their body has ended (contract 00, "Limits"). Readers of bodies must not
 * destroy the request for this.
 * @param clock for the bounds
 */
export function lingerOnUnreadBodies(server: Server, clock: Clock): void {
  server.prependListener('request', (message: IncomingMessage, response: ServerResponse) => {
    // Before Node's own listener, which closes the connection.
    response.prependOnceListener('finish', () => {
      if (!message.complete && !message.destroyed) linger(message, clock)
    })
  })
}
