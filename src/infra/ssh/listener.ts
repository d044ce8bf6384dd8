/** Listens on the port, and admits connections. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createAdmission } from './connection/admission.ts'
import { type OpenConnection, serveConnection } from './connection/connection.ts'
import { openHostKeys } from './keys/host-keys.ts'
import { defaultSshLimits } from './limits.ts'
import type { SshServing } from './types.ts'

type Address = { host: string; port: number }

export type SshListener = {
  /** The address, with the actual port. */
  readonly address: Address
  /**
   * Starts serving. Earlier connections are refused.
   * @throws HostKeyError
   */
  serve<Identity>(serving: SshServing<Identity>): Promise<void>
  /** Refuses new connections, waits for running commands, and destroys connections after `drainMs`. */
  close(options?: { drainMs?: number }): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The buffer size of a connection in each direction, in bytes. */
const socketBytes = 256 * 1024

/** @throws Error with the port and the reason */
async function listen(server: Server, at: Address): Promise<void> {
  server.listen(at.port, at.host)
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${cause.message})`
    throw new Error(`port ${at.port} for SSH ${why}`, { cause })
  })
}

/**
 * Opens the port of an SSH server.
 * @param elsewhere where another process serves it already: then this one listens when it serves
 * @throws Error with the port and the reason
 */
export async function listenForSsh(at: Address, elsewhere?: Address): Promise<SshListener> {
  const connections = new Set<OpenConnection>()
  let take: (socket: Socket) => void = (socket) => socket.destroy()
  let onQuiet: () => void = () => {}
  const server = createServer({ noDelay: true, keepAlive: true, highWaterMark: socketBytes }, (socket) => take(socket))
  if (!elsewhere) await listen(server, at)
  const { port } = elsewhere ?? (server.address() as AddressInfo)
  const whenClosed = new Promise<void>((resolve) => server.once('close', resolve))

  async function close({ drainMs = 0 }: { drainMs?: number } = {}): Promise<void> {
    server.close()
    const endQuiet = () => {
      for (const connection of connections) if (!connection.isBusy()) connection.end()
    }
    onQuiet = endQuiet
    endQuiet()
    // A system timer: with a test clock, the server would not stop.
    const forced = setTimeout(() => {
      for (const connection of connections) connection.destroy()
    }, drainMs)
    await whenClosed
    clearTimeout(forced)
  }

  return {
    address: { host: at.host, port },
    async serve(serving) {
      const { default: ssh2 } = await import('ssh2')
      const limits = { ...defaultSshLimits, ...serving.limits }
      const hostKeys = await openHostKeys(ssh2, serving.hostKeyFolder, serving.log)
      const admit = createAdmission(limits)
      server.on('error', (error) => serving.log('error', 'the SSH port failed', { err: error }))
      take = (socket) => {
        const slot = admit(socket.remoteAddress ?? '')
        if (!slot) return void socket.destroy()
        const parts = { ssh2, hostKeys: hostKeys.keys(), serving, limits, slot, onQuiet: () => onQuiet() }
        const connection = serveConnection(socket, parts)
        connections.add(connection)
        socket.once('close', () => connections.delete(connection))
      }
      if (elsewhere) await listen(server, at)
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  }
}
