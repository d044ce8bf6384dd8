/** The Unix socket that git's standard input and output are connected to. */
import { createServer, type Server, type Socket } from 'node:net'
import { GREETING_BYTES, type StreamName } from './spawner-protocol.ts'

/**
 * Accepts data connections. Each begins with a line that says whose it is (`spawner-protocol.ts`); what follows is git's.
 * Only this user's processes can reach the socket: its directory is private.
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
      // What follows in the same chunk is git's already.
      if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1))
      onStream(Number(id), stream as StreamName, socket)
    }
    socket.on('readable', greet)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return server
}
