import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { App } from '../../app.ts'
import { type Config, memoryConfig, temporaryFolder } from '../../config.ts'
import { stopOnSignal } from './stopping.ts'

type Options = {
  /** Whether all data are deleted when the server stops. */
  memory: boolean
  /** What is done with the data before the server starts. @returns where it listens */
  before?: (config: Config) => Promise<Config['listen']>
}

/** So long a stop waits for the end of a start: one that hangs has nothing to lose. */
const startGraceMs = 5_000

/** Serves in this process until a signal comes. */
export async function serveAlone(base: Config, { memory, before }: Options): Promise<void> {
  const { greeting, startServing } = await import('./serving.ts')
  const folder = memory ? await mkdtemp(join(temporaryFolder, 'fennec-')) : undefined
  const config = folder ? memoryConfig(base, folder) : base
  let starting: Promise<App> | undefined
  const stop = async () => {
    // A server answers before its start has ended.
    const app = await Promise.race([starting, setTimeout(startGraceMs, undefined, { ref: false })])
    await app?.stop()
    if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  stopOnSignal(stop)
  const listen = await before?.(config).catch(async (error) => {
    await stop()
    throw error
  })
  starting = startServing(listen ? { ...config, listen } : config, { durable: !memory })
  process.stdout.write(greeting(await starting, config))
}
