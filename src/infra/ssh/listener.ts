/** The port, and who may come in. */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createAdmission } from './admission.ts'
import { type OpenConnection, serveConnection } from './connection.ts'
import { openHostKeys } from './host-keys.ts'
import { loadSsh2 } from './library.ts'
import { defaultSshLimits } from './limits.ts'
import type { SshServing } from './types.ts'

export type SshListener = {
  /** Where it listens, with the port that it really got. */
  readonly address: { host: string; port: number }
  /**
   * Begins to serve. Whoever connects before is turned away.
   * @throws HostKeyError
   */
  serve<Identity>(serving: SshServing<Identity>): Promise<void>
  /** Takes nobody in any more, lets commands under way finish, and cuts off those that take longer than this. */
  close(options?: { drainMs?: number }): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** How much a connection's socket holds in each direction, in bytes. */
const socketBytes = 256 * 1024

/**
 * Takes the port for an SSH server.
 * @throws Error that says which port cannot be had, and why
 */
export async function listenForSsh(at: { host: string; port: number }): Promise<SshListener> {
  const connections = new Set<OpenConnection>()
  let take: (socket: Socket) => void = (socket) => socket.destroy()
  let onQuiet: () => void = () => {}
  const server = createServer({ noDelay: true, keepAlive: true, highWaterMark: socketBytes }, (socket) => take(socket))
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${cause.message})`
      reject(new Error(`port ${at.port} for SSH ${why}`, { cause }))
    }
    server.once('error', fail)
    server.listen(at.port, at.host, () => {
      server.off('error', fail)
      resolve()
    })
  })
  const { port } = server.address() as AddressInfo
  const whenClosed = new Promise<void>((resolve) => server.once('close', resolve))

  async function close({ drainMs = 0 }: { drainMs?: number } = {}): Promise<void> {
    server.close()
    const endQuiet = () => {
      for (const connection of connections) if (!connection.isBusy()) connection.end()
    }
    onQuiet = endQuiet
    endQuiet()
    // A timer of the system: a clock that a test drives would keep the server from stopping.
    const forced = setTimeout(() => {
      for (const connection of connections) connection.destroy()
    }, drainMs)
    await whenClosed
    clearTimeout(forced)
  }

  return {
    address: { host: at.host, port },
    async serve(serving) {
      const ssh2 = await loadSsh2()
      const limits = { ...defaultSshLimits, ...serving.limits }
      const hostKeys = await openHostKeys(ssh2, serving.hostKeyFolder, serving.log)
      const admission = createAdmission(limits)
      server.on('error', (error) => serving.log('error', 'the SSH port failed', { err: error }))
      take = (socket) => {
        const place = admission.enter(socket.remoteAddress ?? '')
        if (!place) return void socket.destroy()
        const keys = hostKeys.keys()
        const connection = serveConnection(socket, {
          ssh2,
          hostKeys: keys,
          serving,
          limits,
          place,
          onQuiet: () => onQuiet(),
        })
        connections.add(connection)
        socket.once('close', () => connections.delete(connection))
      }
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  }
}
