import type { Server } from 'node:http'
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
