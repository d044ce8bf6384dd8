import { defineCommand } from 'citty'
import type { Addresses } from '../../app.ts'
import type { Config } from '../../config.ts'
import { systemClock } from '../../infra/clock/index.ts'
import { joinWorkers, startWorkers, WorkerNotStarted } from '../../infra/workers/index.ts'
import { fail } from '../configured.ts'
import { commandLogger } from './logger.ts'
import { stopOnSignal } from './stopping.ts'

/** What the first worker reports. */
type Found = { addresses: Addresses; greeting: string }

/** A server alone takes this long to stop at the most: it waits for requests, then for jobs, and closes what it has opened. */
const stopWithinMs = 75_000

/** Serves by several processes, and starts those again that end. */
export async function serveByWorkers(config: Config): Promise<void> {
  const logger = await commandLogger(config)
  const { found, stop } = await startWorkers<Found>({
    count: config.workers,
    parameters: ['worker'],
    given: config,
    stopWithinMs,
    log: (text, detail) => logger.warn(detail, text),
  }).catch((error: Error) => {
    if (error instanceof WorkerNotStarted && error.saidWhy) process.exit(1)
    fail(error.message)
  })
  stopOnSignal(stop)
  process.stdout.write(found.greeting)
}

/** `fennec worker`, which `fennec serve` starts. */
export const worker = defineCommand({
  meta: { name: 'worker', description: 'Serve as one of several processes', hidden: true },
  async run() {
    if (!process.connected) fail('worker is started by serve, with FENNEC_WORKERS')
    const loading = import('./serving.ts')
    const place = await joinWorkers<Config, Found>(systemClock)
    const { greeting, startServing } = await loading
    const { given: config, found } = place
    const app = await startServing(config, { worker: { siblings: place, addresses: found?.addresses } })
    const end = stopOnSignal(async () => {
      place.leave()
      await app.stop()
    })
    place.onAbandoned(end)
    const { http, ssh, registry, pages } = app
    place.ready({ addresses: { http, ssh, registry, pages }, greeting: greeting(app, config) })
  },
})
