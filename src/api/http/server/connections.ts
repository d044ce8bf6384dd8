import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The open connections of a server, with the number of requests on each. */
export type Connections = {
  /**
   * Closes the connections without a request under way. Node's `closeIdleConnections` skips connections that never had
   * a request, as browsers and load balancers open in advance; a stopping server would wait for them.
   */
  closeUnused(): void
}

/** Tracks the connections of a server, from before it listens. */
export function watchConnections(server: Server): Connections {
  const open = new Map<Socket, number>()
  server.on('connection', (socket: Socket) => {
    open.set(socket, 0)
    socket.once('close', () => open.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    const change = (by: number) => {
      const requests = open.get(socket)
      if (requests !== undefined) open.set(socket, requests + by)
    }
    change(1)
    response.once('close', () => change(-1))
  })
  return {
    closeUnused() {
      for (const [socket, requests] of open) if (requests === 0) socket.destroy()
    },
  }
}

/** When a client that has closed its sending side is first asked whether it still waits, and how often from then on. */
const firstAskMs = 1_000
const askMs = 500

/**
 * Answers clients that close their sending side after the request (contract 00, "Connections"). A client that is gone looks
 * the same, so while the answer is prepared it is sent `102 Processing` from time to time. The system of a client that is
 * gone replies to the first one by a reset, at which the next one fails and the request is aborted. The bytes of an answer
 * have the same effect. The timers are those of the machine, as the network's are.
 */
export function answerHalfClosed(server: Server): void {
  // Without it Node closes the connection together with the client's side. The property has no type.
  ;(server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true
  server.on('request', ({ socket, httpVersion }: IncomingMessage, response: ServerResponse) => {
    let timer: NodeJS.Timeout | undefined
    const askLater = (ms: number) => {
      timer = setTimeout(ask, ms).unref()
    }
    function ask() {
      if (response.headersSent || response.destroyed) return
      // Clients of HTTP/1.0 do not know such answers.
      if (httpVersion === '1.0') return void socket.destroy()
      response.writeProcessing()
      askLater(askMs)
    }
    const begin = () => askLater(firstAskMs)
    if (socket.readableEnded) begin()
    else socket.once('end', begin)
    response.once('close', () => {
      clearTimeout(timer)
      socket.off('end', begin)
    })
  })
}
