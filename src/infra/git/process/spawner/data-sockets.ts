/** The Unix socket of the spawner, over which standard input and output of git processes are connected with the server. */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { GREETING_BYTES, type StreamName } from './spawner-protocol.ts'

/** How many connections may wait to be accepted. The server makes those of all commands of one moment at once. */
const BACKLOG = 4096

/**
 * Accepts data connections. Each begins with a line that names its stream (`spawner-protocol.ts`).
 * Only processes of the same user can connect: the directory of the socket is private.
 */
export async function listenForStreams(
  path: string,
  onStream: (id: number, stream: StreamName, socket: Socket) => void,
): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const abandon = () => socket.destroy()
    socket.once('error', abandon)
    const greet = () => {
      const chunk: Buffer | null = socket.read()
      if (chunk === null) return
      const end = chunk.indexOf('\n')
      if (end < 0 || end > GREETING_BYTES) {
        abandon()
        return
      }
      socket.off('readable', greet)
      socket.off('error', abandon)
      const [id = '', stream = ''] = chunk.toString('latin1', 0, end).split(' ')
      onStream(Number(id), stream as StreamName, socket)
    }
    socket.on('readable', greet)
  })
  server.listen({ path, backlog: BACKLOG })
  await once(server, 'listening')
  return server
}
