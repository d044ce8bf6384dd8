import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { type App, startApp } from './app.ts'
import { memoryConfig, readConfig, temporaryFolder } from './config.ts'
import type { Fennec, FennecOptions } from './fennec.ts'
import { systemClock } from './infra/clock/index.ts'
import { randomToken } from './infra/secrets/index.ts'

/** A server in this process, and what is in it. */
export type Embedded = Fennec & {
  /** The composed server, for what a test must reach without HTTP. */
  app: App
}

/** Starts a server in this process that keeps nothing. */
export async function startEmbedded(options: FennecOptions = {}): Promise<Embedded> {
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
  if (options.demo) {
    const { fillDemo } = await import('./demo/index.ts')
    const { listen } = await fillDemo({ config, log, start: (options.clock ?? systemClock).now(), durable: false })
    config.listen = listen
  }
  const app = await startApp({ config, log, clock: options.clock, durable: false })
  const stop = async () => {
    await app.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  return { url: app.url, rootToken, app, reset: () => app.reset(), stop, [Symbol.asyncDispose]: stop }
}
