import type { Logger } from 'pino'
import {
  anyOf,
  type BodyLimits,
  createApi,
  createDocs,
  type Operation,
  onlyBelow,
  type ServedRoute,
  type Service,
  unavailableWhile,
} from './api/index.ts'
import { type Config, externalUrlOf, requestFolder } from './config.ts'
import { createConsole, pages } from './console/index.ts'
import { gate } from './gate.ts'
import { type Clock, systemClock } from './infra/clock/index.ts'
import type { EndedJob } from './infra/jobs/index.ts'
import { listenForSsh, type SshListener } from './infra/ssh/index.ts'
import type { Siblings } from './infra/workers/index.ts'
import { type Address, drainMs, type Listener, listenForHttp } from './listeners.ts'
import { type Mounted, mountModules, startWork, type Work } from './mount.ts'
import {
  authenticatorOf,
  clearObjects,
  clearStorages,
  countApiRequest,
  type FirstBoot,
  openPlatform,
  type Platform,
  type Reactions,
  type RootPassword,
} from './platform/index.ts'
import { expectOwnHostKeys } from './platform/instance/index.ts'
import {
  createMetrics,
  createMonitoring,
  createReadiness,
  type Failing,
  type Load,
  type Metrics,
  type Monitored,
  monitorProcess,
  monitorSiblings,
  openLoad,
  openTraces,
  type Traces,
} from './platform/monitoring/index.ts'
import { recoverAtStart, requireEmptyStorages, watchProcesses } from './platform/repositories/index.ts'
import { ports, rootAccount } from './ports.ts'
import { reactions as allReactions } from './reactions.ts'
import { hostKeyFolder, isSecondary, openStores, type Stores } from './stores.ts'

export type AppOptions = {
  config: Config
  log: Logger
  clock?: Clock
  /** Whether what is written survives a power cut. Only throw-away servers say no. */
  durable?: boolean
  /** What follows events, in place of all that does, for a server that does a part of it later. */
  reactions?: Reactions
  /** Awaited when the server listens and is not ready yet. */
  onListening?(url: string): Promise<void>
  /** Set when this process is one of several that serve the same addresses. */
  worker?: {
    siblings: Siblings
    /** Where the first of them listens; undefined for that one. */
    addresses: Addresses | undefined
  }
}

/** Where a server listens, with the actual ports. */
export type Addresses = Pick<App, 'http' | 'ssh' | 'registry' | 'pages'>

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
  /** Where sites of projects are served besides; undefined when only the server itself has them. */
  pages: Address | undefined
  /** Empties everything, and makes root anew; for tests. @param whenEmpty called before root is made */
  reset(whenEmpty?: () => void): Promise<void>
  /** Takes no more requests, lets those under way finish, and closes everything in order. */
  stop(): Promise<void>
}

/** What the listener of the container registry serves: the distribution API and the tokens for it. */
const registryPaths = ['/v2', '/jwt']

/** What the start of a secondary creates: nothing. */
const noBoot: Promise<FirstBoot> = Promise.resolve({ isFirst: false, token: undefined, password: undefined })

const megabyte = 1024 * 1024

function apiOf(platform: Platform, { operations }: Mounted): Service {
  const { externalUrl, settings } = platform
  return createApi({
    platform,
    operations,
    externalUrl,
    authenticator: authenticatorOf(platform),
    throttle: (identify, ip, own) => countApiRequest(platform, identify, ip, own),
    throttleText: async () => (await settings.current()).rate_limiting_response_text,
    bodyLimits: bodyLimitsOf(platform),
  })
}

function bodyLimitsOf({ config, clock }: Platform): BodyLimits {
  const multipart = { fileBytes: 100 * megabyte, fieldBytes: 10 * megabyte, folder: requestFolder(config) }
  return { clock, bodyBytes: 10 * megabyte, multipart }
}

function consoleOf(platform: Platform, { operations }: Mounted): Service {
  return createConsole({
    platform,
    operations,
    pages,
    bodyLimits: bodyLimitsOf(platform),
    throttle: (actor, ip) => countApiRequest(platform, async () => actor, ip),
  })
}

/** A start that is under way: its options, and what it has opened, which is closed again when it fails. */
type Start = AppOptions & { clock: Clock; opened: AsyncDisposableStack; traces: Traces | undefined }

/** What the pages for monitoring show of a running server. */
type Status = {
  phase: 'starting' | 'ready' | 'stopping'
  /** What of the modules does not work now. */
  failing(): Failing[]
}

type Listeners = {
  http: Listener
  registry: Listener | undefined
  pages: Listener | undefined
  ssh: SshListener | undefined
}

/**
 * Opens everything in order, and serves. While it opens, the server is there and says that it is not ready; when something
 * cannot be opened, what was opened before is closed again.
 */
export async function startApp(options: AppOptions): Promise<App> {
  const { config } = options
  await using opened = new AsyncDisposableStack()
  const clock = options.clock ?? systemClock
  const traces = config.tracesUrl === undefined ? undefined : await openTraces(clock, config.tracesUrl)
  // First, so that it is closed last: what ends meanwhile is sent as well.
  if (traces) opened.defer(traces.close)
  const start: Start = { ...options, clock, opened, traces }
  // The others run the release that was installed when they started.
  const stores = await openStores({ ...start, mayMigrate: !options.worker?.addresses })
  const status: Status = { phase: 'starting', failing: () => [] }
  const metrics = createMetrics(start.clock, options.worker?.siblings.number)
  const load = openLoad(start.clock)
  opened.defer(load.stop)
  const monitored = monitoredOf(start, stores, { metrics, load, status })
  const starting = unavailableWhile(() => status.phase === 'starting')
  const services: Service[] = [createMonitoring(monitored, config), starting]
  const sites: Service[] = []
  const { http, registry, pages } = await listen(start, { services, sites, starting }, (request, reply, seconds) => {
    load.observe(reply.statusCode)
    metrics.observe(request, reply, seconds)
    traces?.request(request, reply, seconds)
  })
  const externalUrl = externalUrlOf(config, http.address.port)
  await options.onListening?.(externalUrl)
  const git = await stores.git
  if (!(await stores.root.anyUserExists()))
    await requireEmptyStorages(stores.database, git, Object.keys(config.storages))
  const listeners = { http, registry, pages, ssh: await openSsh(start) }
  const onJobEnded = (job: EndedJob) => {
    load.observeJob(job)
    traces?.job(job)
  }
  const platform = platformOf(start, { ...stores, git, monitored, onJobEnded }, listeners, externalUrl)
  // Waits for the hash while the modules are composed.
  const booting = isSecondary(config) ? noBoot : rootAccount.firstBoot(platform, stores.root.password)
  booting.catch(() => {})
  const mounted = mountModules(platform)
  metrics.add(mounted.measures)
  status.failing = mounted.failing
  const boot = await booting
  const working = await beginWork(start, platform, mounted)
  services.push(...servicesOf(platform, mounted))
  services.unshift(...mounted.hosts)
  sites.push(...mounted.hosts)
  await openToRequests(start, { platform, mounted, listeners, status })
  const resources = opened.move()
  return {
    url: externalUrl,
    boot,
    operations: mounted.operations,
    routes: mounted.routes,
    platform,
    http: http.address,
    ssh: listeners.ssh?.address,
    registry: registry?.address,
    pages: pages?.address,
    reset: (whenEmpty) => reset(platform, stores.root.password, whenEmpty),
    async stop() {
      status.phase = 'stopping'
      await Promise.all([http.close(), registry?.close(), pages?.close(), listeners.ssh?.close({ drainMs })])
      await working.stop()
      await platform.jobs.stop({ timeoutMs: drainMs })
      await resources.disposeAsync()
    },
  }
}

type Measured = { metrics: Metrics; load: Load; status: Status }

/** The state of this process, or of all workers. */
function monitoredOf({ log, worker }: Start, stores: Stores, { metrics, load, status }: Measured): Monitored {
  const { git, storages, objects, root } = stores
  const failing = createReadiness({
    state: () => status.phase,
    anyUserExists: root.anyUserExists,
    git,
    storages,
    objects,
    others: () => status.failing(),
    log,
  })
  const own = monitorProcess(metrics, failing, load)
  return worker ? monitorSiblings(worker.siblings, own) : own
}

/** What the listeners serve: everything, and sites alone, of which there are none before the modules are composed. */
type Served = { services: Service[]; sites: Service[]; starting: Service }

/** Listens for HTTP, and for the container registry and sites where they have ports of their own. */
async function listen(
  start: Start,
  { services, sites, starting }: Served,
  onResponse: Metrics['observe'],
): Promise<Omit<Listeners, 'ssh'>> {
  const { config, worker } = start
  const others = worker?.addresses
  const parts = { ...start, onResponse }
  const http = await listenForHttp(config.listen, services, parts, others?.http)
  const ofRegistry = [onlyBelow(registryPaths, services)]
  const registry =
    config.registryListen && (await listenForHttp(config.registryListen, ofRegistry, parts, others?.registry))
  const ofPages = [starting, anyOf(sites)]
  const pages = config.pagesListen && (await listenForHttp(config.pagesListen, ofPages, parts, others?.pages))
  return { http, registry, pages }
}

/** Opens the port for SSH, which refuses connections until it serves. */
async function openSsh({ config, worker, opened }: Start): Promise<SshListener | undefined> {
  if (isSecondary(config) || !config.sshListen) return undefined
  return opened.use(await listenForSsh(config.sshListen, worker?.addresses?.ssh))
}

/** What a platform is made of, and what learns of its work. */
type Opened = Omit<Stores, 'git'> & Pick<Platform, 'git' | 'monitored'> & { onJobEnded(job: EndedJob): void }

function platformOf(
  { config, log, clock, reactions = allReactions }: Start,
  { database, git, storages, objects, presence, monitored, onJobEnded }: Opened,
  { ssh, registry, pages }: Listeners,
  externalUrl: string,
): Platform {
  return openPlatform(
    {
      config: { ...config, sshListen: ssh?.address, registryListen: registry?.address, pagesListen: pages?.address },
      log,
      clock,
      database,
      git,
      storages,
      objects,
      presence,
      monitored,
      externalUrl,
      // Copies: a test may add a rule to its server.
      gate: { rules: [...gate.rules], listeners: [...gate.listeners] },
      reactions,
      ports,
    },
    { onJobEnded },
  )
}

/** Settles what killed processes have left, and begins the work that lasts as long as the server. */
async function beginWork({ config, opened }: Start, platform: Platform, mounted: Mounted): Promise<Work> {
  await recoverAtStart(platform)
  // A secondary has its own work; everything else is done by the primary (contract 15, "Roles and configuration").
  if (!isSecondary(config)) {
    await mounted.recover()
    watchProcesses(platform)
  }
  const working = await startWork(platform)
  opened.defer(working.stop)
  return working
}

const below = 'docs/'
/** Pages for people beside the reference pages, by their names. */
const pagesBelowDocs = pages
  .filter(({ at, path }) => at === 'instance' && path.startsWith(below))
  .map(({ path }) => path.slice(below.length))

/** Most requests are for the API; its paths and those of the others are distinct, since namespaces cannot have them. */
function servicesOf(platform: Platform, mounted: Mounted): Service[] {
  return [
    ...mounted.fronts,
    apiOf(platform, mounted),
    createDocs(undefined, pagesBelowDocs),
    ...mounted.services,
    // Last: every path of a namespace may be a page.
    consoleOf(platform, mounted),
  ]
}

/** Serves everything, and runs jobs. */
async function openToRequests(
  { config, log, clock }: Start,
  {
    platform,
    mounted,
    listeners,
    status,
  }: { platform: Platform; mounted: Mounted; listeners: Listeners; status: Status },
): Promise<void> {
  const { http, registry, pages, ssh } = listeners
  const { database, jobs } = platform
  // What is read before delays the start alone.
  database.readInThreads()
  status.phase = 'ready'
  // In the order of the first worker: ports that the system chooses go by it.
  await http.open()
  await registry?.open()
  await pages?.open()
  await ssh?.serve({
    ...mounted.ssh,
    hostKeyFolder: hostKeyFolder(config),
    clock,
    log: (level, text, detail) => log[level](detail, text),
  })
  if (ssh) await expectOwnHostKeys(database, hostKeyFolder(config))
  // Jobs that became due meanwhile delay no request.
  if (!isSecondary(config)) await jobs.start()
}

/** Empties everything, and makes root anew. */
async function reset(platform: Platform, password: RootPassword, whenEmpty?: () => void): Promise<void> {
  const { jobs, database, config, objects } = platform
  await jobs.drain()
  await database.clear(['repositories'])
  await clearStorages(config.storages, String(performance.now()))
  await clearObjects(objects)
  whenEmpty?.()
  await jobs.schedule()
  await rootAccount.firstBoot(platform, password)
}
