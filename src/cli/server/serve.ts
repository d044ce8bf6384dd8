import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCommand } from 'citty'
import { type Config, memoryConfig, temporaryFolder } from '../../config.ts'
import { configured, fail } from '../configured.ts'
import { stopOnSignal } from './stopping.ts'

/** Serves in this process. @param memory whether all data are deleted when the server stops */
async function serveAlone(base: Config, memory: boolean): Promise<void> {
  const { greeting, startServing } = await import('./serving.ts')
  const folder = memory ? await mkdtemp(join(temporaryFolder, 'fennec-')) : undefined
  const config = folder ? memoryConfig(base, folder) : base
  const app = await startServing(config, { durable: !memory })
  stopOnSignal(async () => {
    await app.stop()
    if (folder) await rm(folder, { recursive: true, force: true })
  })
  process.stdout.write(greeting(app, config))
}

/** `fennec serve` */
export const serve = defineCommand({
  meta: { name: 'serve', description: 'Start the server' },
  args: {
    memory: { type: 'boolean', description: 'Delete all data when the server stops', default: false },
  },
  async run({ args }) {
    const config = configured()
    if (config.workers === 1) return serveAlone(config, args.memory)
    if (args.memory) fail('FENNEC_WORKERS must be 1 with --memory')
    // This process serves nothing, so it does not load the server.
    const { serveByWorkers } = await import('./workers.ts')
    return serveByWorkers(config)
  },
})
