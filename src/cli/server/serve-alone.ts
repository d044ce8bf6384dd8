import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '../../app.ts'
import { type Config, memoryConfig, temporaryFolder } from '../../config.ts'
import { stopOnSignal } from './stopping.ts'

type Options = {
  /** Whether all data are deleted when the server stops. */
  memory: boolean
  /** What is done with the data before the server starts. @returns where it listens */
  before?: (config: Config) => Promise<Config['listen']>
}

/** Serves in this process until a signal comes. */
export async function serveAlone(base: Config, { memory, before }: Options): Promise<void> {
  const { greeting, startServing } = await import('./serving.ts')
  const folder = memory ? await mkdtemp(join(temporaryFolder, 'fennec-')) : undefined
  const config = folder ? memoryConfig(base, folder) : base
  let app: App | undefined
  const stop = async () => {
    await app?.stop()
    if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  // A signal during the start leaves no folder behind; data that are kept need nothing.
  if (folder) stopOnSignal(stop)
  const listen = await before?.(config).catch(async (error) => {
    await stop()
    throw error
  })
  app = await startServing(listen ? { ...config, listen } : config, { durable: !memory })
  if (!folder) stopOnSignal(stop)
  process.stdout.write(greeting(app, config))
}
