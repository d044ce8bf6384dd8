import { defineCommand } from 'citty'
import type { Progress } from '../backup/index.ts'
import type { Config } from '../config.ts'
import { systemClock } from '../infra/clock/index.ts'
import { openDatabase } from '../infra/database/index.ts'
import { openObjects } from '../infra/objects/index.ts'
import { migrations } from '../migrations/index.ts'
import { collectGarbage, dueForCollection, sweepContents } from '../modules/container-registry/index.ts'
import { retainedDuringBackup } from '../platform/index.ts'
import { configured, fail } from './configured.ts'
import { showProgress } from './progress.ts'

const counted = ({ manifests, links, blobs, sizeBytes }: Awaited<ReturnType<typeof collectGarbage>>) =>
  `${manifests} manifests, ${links} links and ${blobs} blobs (${sizeBytes} bytes)`

/** @returns one line for the user */
async function collect(config: Config, isDryRun: boolean, progress: Progress): Promise<string> {
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
  const looked = (count: number) => progress.advance(count)
  const { manifests, links, blobs } = await dueForCollection(platform, graceMs)
  await progress.step('manifests, links and blobs', manifests + links + blobs, 'items')
  const collected = await collectGarbage(platform, graceMs, signal, looked)
  await progress.step('contents without a row', undefined, 'items')
  const strays = await sweepContents(platform, signal, looked)
  return `Removed ${counted(collected)}, and the contents of ${strays} blobs that have no row.`
}

const gc = defineCommand({
  meta: {
    name: 'gc',
    description:
      'Remove what no container image has needed for the grace period; the server does so every ten minutes, and may run meanwhile',
  },
  args: {
    'dry-run': { type: 'boolean', description: 'Only count what would be removed' },
    quiet: { type: 'boolean', description: 'Show no progress', default: false },
  },
  async run({ args }) {
    const progress = showProgress(process.stderr, { quiet: args.quiet })
    const work = collect(configured(), args['dry-run'] === true, progress)
    const line = await work.catch((error) => fail(error.message))
    progress.end()
    process.stdout.write(`${line}\n`)
  },
})

/** `fennec registry` */
export const registry = defineCommand({
  meta: { name: 'registry', description: 'The container registry' },
  subCommands: { gc },
})
