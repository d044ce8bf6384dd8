import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type Connections, createServer, type Service, watchConnections } from './api/index.ts'
import type { Config } from './config.ts'
import type { Clock } from './infra/clock/index.ts'
import type { Metrics } from './platform/monitoring/index.ts'

export type Address = Config['listen']

/** An HTTP server that listens, or will when it opens: where others listen already. */
export type Listener = { address: Address; open(): Promise<unknown>; close(): Promise<void> }

/** What the HTTP servers of a process share. */
type ListenerParts = {
  config: Pick<Config, 'url' | 'trustedProxies'>
  log: Logger
  clock: Clock
  /** Called for each answered request. */
  onResponse: Metrics['observe']
  /** Takes what closes the server. */
  opened: AsyncDisposableStack
}

/** How long running requests may take after the server was asked to stop. */
export const drainMs = 30_000

/** Takes no more requests, and waits for those under way; those that take too long are cut off. */
async function closeGently(server: FastifyInstance, connections: Connections, clock: Clock): Promise<void> {
  const forced = clock.setTimer(() => server.server.closeAllConnections(), drainMs)
  const closed = server.close()
  connections.closeUnused()
  await closed
  forced.cancel()
}

/**
 * Serves HTTP at an address.
 * @param services are asked in order, as they are when a request arrives
 * @param elsewhere where another process serves them already: then this one listens when it opens
 */
export async function listenForHttp(
  address: Address,
  services: Service[],
  { config, log, clock, onResponse, opened }: ListenerParts,
  elsewhere?: Address,
): Promise<Listener> {
  const { url, trustedProxies } = config
  const server = createServer({ externalUrl: url ?? '', trustedProxies, clock, log, services, onResponse })
  const connections = watchConnections(server.server)
  const close = () => closeGently(server, connections, clock)
  opened.defer(close)
  // A copy: the library adds members.
  const open = () => server.listen({ ...address })
  if (elsewhere) return { address: elsewhere, open, close }
  await open()
  const { port } = server.server.address() as AddressInfo
  return { address: { ...address, port }, open: async () => {}, close }
}
