import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { type App, startApp } from './app.ts'
import { memoryConfig, readConfig, temporaryFolder } from './config.ts'
import type { Clock } from './infra/clock/index.ts'
import { randomToken } from './infra/secrets/index.ts'

export { type Clock, type ManualClock, manualClock } from './infra/clock/index.ts'

export type FennecOptions = {
  /** Port to listen on; a free one unless told. */
  port?: number
  /** Port for git over SSH, 0 for a free one; it is not served unless told. */
  sshPort?: number
  /** Token of root; made up unless told. At least 20 characters. */
  rootToken?: string
  rootPassword?: string
  /** `postgres://…` to use that database instead of one that goes with the server. */
  databaseUrl?: string
  /** `s3://bucket/prefix?…` to store large objects there instead of in files that go with the server. */
  objectsUrl?: string
  /** Where the log goes; nowhere unless told. */
  logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Further settings by the names of their environment variables, such as `FENNEC_REGISTRY`. */
  settings?: Record<string, string>
  /** Time as the server sees it, for tests that drive it. */
  clock?: Clock
}

/** A server in this process that keeps nothing. */
export type Fennec = AsyncDisposable & {
  /** `http://127.0.0.1:…` */
  url: string
  /** A token with which one is `root`, with all scopes. */
  rootToken: string
  /** The composed server, for what a test must reach without HTTP. */
  app: App
  /** Empties everything, in milliseconds; the server, its address and its root token stay. */
  reset(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a whole server inside this process, on a free port, with nothing in it but `root`:
 *
 * ```ts
 * await using fennec = await startFennec()
 * await fetch(`${fennec.url}/api/v4/user`, { headers: { 'PRIVATE-TOKEN': fennec.rootToken } })
 * ```
 */
export async function startFennec(options: FennecOptions = {}): Promise<Fennec> {
  const folder = await mkdtemp(join(temporaryFolder, 'fennec-'))
  const rootToken = options.rootToken ?? randomToken('glpat-')
  const config = {
    ...memoryConfig(readConfig(options.settings ?? {}), folder),
    listen: { host: '127.0.0.1', port: options.port ?? 0 },
    sshListen: options.sshPort === undefined ? undefined : { host: '127.0.0.1', port: options.sshPort },
    rootToken,
    rootPassword: options.rootPassword,
    ...(options.databaseUrl ? { databaseUrl: options.databaseUrl } : {}),
    ...(options.objectsUrl ? { objectsUrl: options.objectsUrl } : {}),
  }
  const log = pino({ level: options.logLevel ?? 'silent' })
  const app = await startApp({ config, log, clock: options.clock, durable: false })
  const stop = async () => {
    await app.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  return { url: app.url, rootToken, app, reset: app.reset, stop, [Symbol.asyncDispose]: stop }
}
