import { defineCommand } from 'citty'
import { configured, fail } from '../configured.ts'
import { serveAlone } from './serve-alone.ts'

/** `fennec serve` */
export const serve = defineCommand({
  meta: { name: 'serve', description: 'Start the server; what fennec does without a command' },
  args: {
    memory: { type: 'boolean', description: 'Delete all data when the server stops', default: false },
  },
  async run({ args }) {
    const config = configured()
    if (config.workers === 1) return serveAlone(config, { memory: args.memory })
    if (args.memory) fail('FENNEC_WORKERS must be 1 with --memory')
    // This process serves nothing, so it does not load the server.
    const { serveByWorkers } = await import('./workers.ts')
    return serveByWorkers(config)
  },
})
