import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import {
  type Connections,
  createApi,
  createDocs,
  createHomePage,
  createServer,
  type Operation,
  onlyBelow,
  removeAbandonedFiles,
  type ServedRoute,
  type Service,
  unavailableWhile,
  watchConnections,
} from './api/index.ts'
import { type Config, externalUrlOf, requestFolder } from './config.ts'
import { gate } from './gate.ts'
import { type Clock, systemClock } from './infra/clock/index.ts'
import { openDatabase } from './infra/database/index.ts'
import { type GitLog, limitsOfOneOf, openGit } from './infra/git/index.ts'
import { listenForSsh } from './infra/ssh/index.ts'
import type { Siblings } from './infra/workers/index.ts'
import { migrations } from './migrations/index.ts'
import { type Mounted, mountModules, startWork } from './mount.ts'
import {
  authenticatorOf,
  clearObjects,
  clearStorages,
  countApiRequest,
  type FirstBoot,
  openPlaces,
  openPlatform,
  openPresence,
  openServerObjects,
  type Platform,
} from './platform/index.ts'
import { expectOwnHostKeys, expectOwnPlaces } from './platform/instance/index.ts'
import {
  createMetrics,
  createMonitoring,
  createReadiness,
  type Failing,
  monitorProcess,
  monitorSiblings,
} from './platform/monitoring/index.ts'
import { recoverAtStart, requireEmptyStorages, watchProcesses } from './platform/repositories/index.ts'
import { ports, rootAccount } from './ports.ts'
import { reactions } from './reactions.ts'

export type AppOptions = {
  config: Config
  log: Logger
  clock?: Clock
  /** Whether what is written survives a power cut. Only throw-away servers say no. */
  durable?: boolean
  /** Awaited when the server listens and is not ready yet. */
  onListening?(url: string): Promise<void>
  /** Set when this process is one of several that serve the same addresses. */
  worker?: {
    siblings: Siblings
    /** Where the first of them listens; undefined for that one. */
    addresses: Addresses | undefined
  }
}

type Address = Config['listen']

/** Where a server listens, with the actual ports. */
export type Addresses = Pick<App, 'http' | 'ssh' | 'registry'>

/** A running server. */
export type App = {
  /** Where it can be reached. */
  url: string
  boot: FirstBoot
  operations: readonly Operation[]
  /** What is served beside them. */
  routes: readonly ServedRoute[]
  /** What the modules work on, for tests that must reach it without HTTP. */
  platform: Platform
  /** Where the HTTP server listens. */
  http: Address
  /** Where git over SSH listens; undefined when it is off. */
  ssh: Address | undefined
  /** Where the container registry listens besides; undefined when only the server itself has it. */
  registry: Address | undefined
  /** Empties everything, and makes root anew; for tests. */
  reset(): Promise<void>
  /** Takes no more requests, lets those under way finish, and closes everything in order. */
  stop(): Promise<void>
}

/** An HTTP server that listens, or will when it opens: where others listen already. */
type Listener = { address: Address; open(): Promise<unknown>; close(): Promise<void> }

/** What the listener of the container registry serves: the distribution API and the tokens for it. */
const registryPaths = ['/v2', '/jwt']

/** What the start of a secondary creates: nothing. */
const noBoot: Promise<FirstBoot> = Promise.resolve({ isFirst: false, token: undefined, password: undefined })

/** How long running requests may take after the server was asked to stop. */
const drainMs = 30_000
const megabyte = 1024 * 1024

const hostKeyFolder = ({ data }: Config) => join(data, 'ssh')

/** Takes no more requests, and waits for those under way; those that take too long are cut off. */
async function closeGently(server: FastifyInstance, connections: Connections, clock: Clock): Promise<void> {
  const forced = clock.setTimer(() => server.server.closeAllConnections(), drainMs)
  const closed = server.close()
  connections.closeUnused()
  await closed
  forced.cancel()
}

function apiOf(platform: Platform, { operations }: Mounted): Service {
  const { externalUrl, settings, config, clock } = platform
  return createApi({
    platform,
    operations,
    externalUrl,
    authenticator: authenticatorOf(platform),
    throttle: (identify, ip) => countApiRequest(platform, identify, ip),
    throttleText: async () => (await settings.current()).rate_limiting_response_text,
    bodyLimits: {
      clock,
      bodyBytes: 10 * megabyte,
      multipart: { fileBytes: 100 * megabyte, fieldBytes: 10 * megabyte, folder: requestFolder(config) },
    },
  })
}

/**
 * Opens everything in order, and serves. While it opens, the server is there and says that it is not ready; when something
 * cannot be opened, what was opened before is closed again.
 */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, log, clock = systemClock, worker } = options
  const others = worker?.addresses
  await using opened = new AsyncDisposableStack()
  const storages = await openPlaces(config, log)
  const database = opened.adopt(
    await openDatabase({
      url: config.databaseUrl,
      migrations,
      durable: options.durable,
      exclusive: true,
      // The others run the release that was installed when they started.
      mayMigrate: !others,
    }),
    (one) => one.close(),
  )
  const presence = opened.adopt(await openPresence(database, { clock, log }), (one) => one.close())
  const isSecondary = config.geo.role === 'secondary'
  // The users of a secondary are at its primary.
  const anyUserExists = isSecondary ? async () => true : rootAccount.anyUserExists
  const password = rootAccount.rootPassword(config.rootPassword)
  // Hashing is slow on purpose, so it overlaps with opening. `firstBoot` reports a failure.
  if (!(await anyUserExists(database.read))) password.hash().catch(() => {})
  // So does git: the port and the objects do not wait for it.
  const limits = {
    ...limitsOfOneOf(config.workers),
    processMemoryBytes: config.gitMemoryMib * megabyte,
    unpackSeconds: config.pushUnpackSeconds,
    unpackedBytes: config.pushUnpackedMib * megabyte,
  }
  const gitLog: GitLog = (level, text, detail) => log[level](detail, text)
  const openingGit = openGit({ storages: config.storages, requireStorage: storages.require, limits, log: gitLog })
  openingGit.catch(() => {})
  opened.defer(async () => (await openingGit.catch(() => null))?.[Symbol.asyncDispose]())
  const objects = await openServerObjects(config, { clock, database })
  await expectOwnPlaces(database, config)
  if (config.sshListen) await expectOwnHostKeys(database, hostKeyFolder(config))
  await removeAbandonedFiles(requestFolder(config), clock)
  let state: 'starting' | 'ready' | 'stopping' = 'starting'
  let ofModules: () => Failing[] = () => []
  const failing = createReadiness({
    state: () => state,
    anyUserExists: () => anyUserExists(database.read),
    git: openingGit,
    storages,
    objects,
    others: () => ofModules(),
    log,
  })
  const metrics = createMetrics(clock, worker?.siblings.number)
  const own = monitorProcess(metrics, failing)
  const monitoring = createMonitoring(worker ? monitorSiblings(worker.siblings, own) : own)
  const services: Service[] = [monitoring, unavailableWhile(() => state === 'starting')]
  const listen = async (address: Address, served: Service[], elsewhere?: Address): Promise<Listener> => {
    const { url, trustedProxies } = config
    const onResponse = metrics.observe
    const server = createServer({ externalUrl: url ?? '', trustedProxies, clock, log, services: served, onResponse })
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
  const http = await listen(config.listen, services, others?.http)
  const registryServices = [onlyBelow(registryPaths, services)]
  const registry = config.registryListen && (await listen(config.registryListen, registryServices, others?.registry))
  const externalUrl = externalUrlOf(config, http.address.port)
  await options.onListening?.(externalUrl)
  const git = await openingGit
  if (!(await anyUserExists(database.read))) await requireEmptyStorages(database, git, Object.keys(config.storages))
  const ssh = isSecondary
    ? undefined
    : config.sshListen && opened.use(await listenForSsh(config.sshListen, others?.ssh))
  const platform = openPlatform({
    config: { ...config, sshListen: ssh?.address, registryListen: registry?.address },
    log,
    clock,
    database,
    git,
    storages,
    objects,
    presence,
    externalUrl,
    // Copies: a test may add a rule to its server.
    gate: { rules: [...gate.rules], listeners: [...gate.listeners] },
    reactions,
    ports,
  })
  // Waits for the hash while the modules are composed.
  const booting = isSecondary ? noBoot : rootAccount.firstBoot(platform, password)
  booting.catch(() => {})
  const mounted = mountModules(platform)
  metrics.add(mounted.measures)
  ofModules = mounted.failing
  const boot = await booting
  await recoverAtStart(platform)
  // A secondary has its own work; everything else is done by the primary (contract 15, "Roles and configuration").
  if (!isSecondary) {
    await mounted.recover()
    watchProcesses(platform)
  }
  const working = await startWork(platform)
  opened.defer(working.stop)
  // Most requests are for the API; its paths and those of the others are distinct, since namespaces cannot have them.
  services.push(
    ...mounted.fronts,
    apiOf(platform, mounted),
    createHomePage(externalUrl),
    createDocs(undefined, mounted.pages),
    ...mounted.services,
  )
  // What is read before delays the start alone.
  database.readInThreads()
  state = 'ready'
  // In the order of the first worker: ports that the system chooses go by it.
  await http.open()
  await registry?.open()
  await ssh?.serve({
    ...mounted.ssh,
    hostKeyFolder: hostKeyFolder(config),
    clock,
    log: (level, text, detail) => log[level](detail, text),
  })
  if (ssh) await expectOwnHostKeys(database, hostKeyFolder(config))
  // Jobs that became due meanwhile delay no request.
  if (!isSecondary) await platform.jobs.start()
  const resources = opened.move()
  return {
    url: externalUrl,
    boot,
    operations: mounted.operations,
    routes: mounted.routes,
    platform,
    http: http.address,
    ssh: ssh?.address,
    registry: registry?.address,
    async reset() {
      await platform.jobs.drain()
      await database.clear(['repositories'])
      await clearStorages(config.storages, String(performance.now()))
      await clearObjects(objects)
      await platform.jobs.schedule()
      await rootAccount.firstBoot(platform, password)
    },
    async stop() {
      state = 'stopping'
      await Promise.all([http.close(), registry?.close(), ssh?.close({ drainMs })])
      await working.stop()
      await platform.jobs.stop({ timeoutMs: drainMs })
      await resources.disposeAsync()
    },
  }
}
