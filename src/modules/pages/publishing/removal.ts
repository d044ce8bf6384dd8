import { now, portions, type Tx } from '../../../infra/database/index.ts'
import { sweep } from '../../../infra/objects/index.ts'
import {
  type Events,
  enqueue,
  type Job,
  type Platform,
  type Reaction,
  react,
  type Stored,
} from '../../../platform/index.ts'
import { keyOfDeployment, prefixOfProject, secretOf, sitesPrefix } from '../keys.ts'
import { deleteDeployment, deploymentsAfter, expiredDeployments, knownSecrets, type PlacedDeployment } from './store.ts'

declare module '../../../platform/platform.ts' {
  interface Events {
    'site.published': { deploymentId: number }
    'sites.removed': { deploymentIds: readonly number[] }
  }
}

/** How long the object of a former deployment stays: for requests under way, and for visitors who go on in the site that they see. */
const graceMs = 10 * 60_000

type Place = { project_id: number; secret: string }

/** Removes an object that no deployment has any more. */
export const removeObjectJob: Job<Place> = {
  kind: 'pages.remove_object',
  queue: 'maintenance',
  async run({ objects }, place) {
    await objects.delete(keyOfDeployment(place))
  },
}

/** Says that deployments were replaced or deleted, and has their objects removed. */
export async function removeLater(platform: Platform, tx: Tx, rows: readonly PlacedDeployment[]): Promise<void> {
  if (rows.length === 0) return
  const runAt = new Date(platform.clock.now().getTime() + graceMs)
  for (const { project_id, secret } of rows)
    await enqueue(platform, tx, removeObjectJob, { project_id, secret }, { runAt })
  await react(platform, tx, 'sites.removed', { deploymentIds: rows.map(({ id }) => id) })
}

/** Removes everything that was published of a deleted project, whose records are gone. */
export const removeSitesJob: Job<{ projectId: number }> = {
  kind: 'pages.remove_project',
  queue: 'maintenance',
  async run({ objects }, { projectId }, { signal }) {
    for await (const { key } of objects.list(prefixOfProject(projectId))) {
      signal.throwIfAborted()
      await objects.delete(key)
    }
  },
}

/** Removes the sites of a project that is deleted. */
export const removeSites: Reaction<Events['project.removed']> = async (platform, tx, { projectId }) => {
  await enqueue(platform, tx, removeSitesJob, { projectId })
}

const batchSize = 500

/** Deletes sites whose time is over. They are not served any more before it. */
export const expireSitesJob: Job<null> = {
  kind: 'pages.expire',
  queue: 'maintenance',
  every: { seconds: 3600 },
  async run(platform, _, { signal }) {
    const { database, clock } = platform
    for (;;) {
      signal.throwIfAborted()
      const rows = await expiredDeployments(database.read, now(clock), batchSize)
      await database.write(async (tx) => {
        for (const row of rows) if ((await deleteDeployment(tx, row.id)) > 0) await removeLater(platform, tx, [row])
      })
      if (rows.length < batchSize) return
    }
  },
}

const daySeconds = 86_400

/** Removes objects without a record: of publications whose process ended before they had one. Daily, when load is low. */
export const sweepSitesJob: Job<null> = {
  kind: 'pages.sweep',
  queue: 'maintenance',
  every: { seconds: daySeconds, offsetSeconds: 5.5 * 3600 },
  async run({ objects, database, clock }, _, { signal }) {
    await sweep(objects, sitesPrefix, {
      signal,
      before: new Date(clock.now().getTime() - daySeconds * 1000),
      async recorded(keys) {
        const known = await knownSecrets(database.read, keys.map(secretOf))
        return new Set<string>(known.map(keyOfDeployment))
      },
    })
  },
}

/** Finds sites whose objects are missing or have another size. */
export async function* siteProblems({ database, objects }: Stored): AsyncGenerator<string> {
  for await (const rows of portions((afterId) => deploymentsAfter(database.read, afterId, batchSize))) {
    for (const row of rows) {
      const stored = (await objects.head(keyOfDeployment(row)))?.sizeBytes
      if (stored === undefined) yield `site ${row.id}: its content is missing`
      else if (stored !== row.object_bytes)
        yield `site ${row.id}: its content has ${stored} bytes instead of ${row.object_bytes}`
    }
  }
}
