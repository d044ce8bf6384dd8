import { defineCommand } from 'citty'
import type { Config } from '../config.ts'
import { systemClock } from '../infra/clock/index.ts'
import { openDatabase } from '../infra/database/index.ts'
import { openObjects } from '../infra/objects/index.ts'
import { migrations } from '../migrations/index.ts'
import { collectGarbage, dueForCollection, sweepContents } from '../modules/container-registry/index.ts'
import { retainedDuringBackup } from '../platform/index.ts'
import { configured, fail } from './configured.ts'

const counted = ({ manifests, links, blobs, sizeBytes }: Awaited<ReturnType<typeof collectGarbage>>) =>
  `${manifests} manifests, ${links} links and ${blobs} blobs (${sizeBytes} bytes)`

/** @returns one line for the user */
async function collect(config: Config, isDryRun: boolean): Promise<string> {
  await using opened = new AsyncDisposableStack()
  const database = opened.adopt(await openDatabase({ url: config.databaseUrl, migrations }), (one) => one.close())
  const stored = await openObjects({ location: config.objectsUrl, clock: systemClock })
  const objects = retainedDuringBackup(stored, database)
  const platform = { database, objects, clock: systemClock }
  const graceMs = config.registryGcGraceMs
  if (isDryRun) {
    return `Would remove ${counted(await dueForCollection(platform, graceMs))}, and what only these need.`
  }
  const { signal } = new AbortController()
  const collected = await collectGarbage(platform, graceMs, signal)
  const strays = await sweepContents(platform, signal)
  return `Removed ${counted(collected)}, and the contents of ${strays} blobs that have no row.`
}

const gc = defineCommand({
  meta: {
    name: 'gc',
    description:
      'Remove what no container image has needed for the grace period; the server does so every ten minutes, and may run meanwhile',
  },
  args: { 'dry-run': { type: 'boolean', description: 'Only count what would be removed' } },
  async run({ args }) {
    const line = await collect(configured(), args['dry-run'] === true).catch((error) => fail(error.message))
    process.stdout.write(`${line}\n`)
  },
})

/** `fennec registry` */
export const registry = defineCommand({
  meta: { name: 'registry', description: 'The container registry' },
  subCommands: { gc },
})
