import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** The connections of a server, and which of them wait for an answer. */
export type Connections = {
  /**
   * Closes those on which nothing is asked just now. Node's own `closeIdleConnections` leaves those alone on which nothing has
   * ever been asked, as browsers and balancers open them in advance; a server that stops would wait for them.
   */
  closeUnused(): void
}

/** Watches the connections of a server from its beginning. */
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
