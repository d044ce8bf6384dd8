/** The Unix socket to which standard input and output of git processes are connected. */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { GREETING_BYTES, type StreamName } from './spawner-protocol.ts'

/**
 * Accepts data connections. Each begins with a line that names its stream (`spawner-protocol.ts`), followed by git's data.
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
      // The rest of the chunk is git's data.
      if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1))
      onStream(Number(id), stream as StreamName, socket)
    }
    socket.on('readable', greet)
  })
  // `exclusive`: in one of several workers, it would otherwise be the parent that listens, and passes each connection on.
  server.listen({ path, exclusive: true })
  await once(server, 'listening')
  return server
}
