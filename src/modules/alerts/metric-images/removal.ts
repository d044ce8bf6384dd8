import { portions } from '../../../infra/database/index.ts'
import { sweep } from '../../../infra/objects/index.ts'
import { type Events, enqueue, type Job, type Reaction, type Stored } from '../../../platform/index.ts'
import { imagesPrefix, keyOfImage, prefixOfProject, secretOf } from './keys.ts'
import { imagesAfter, knownSecrets } from './store.ts'

/** Removes the images of a deleted project, whose records are gone. */
export const removeImagesJob: Job<{ projectId: number }> = {
  kind: 'alerts.remove_images',
  queue: 'maintenance',
  async run({ objects }, { projectId }, { signal }) {
    for await (const { key } of objects.list(prefixOfProject(projectId))) {
      signal.throwIfAborted()
      await objects.delete(key)
    }
  },
}

/** Removes the metric images of a project that is deleted. */
export const removeMetricImages: Reaction<Events['project.removed']> = async (platform, tx, { projectId }) => {
  await enqueue(platform, tx, removeImagesJob, { projectId })
}

const daySeconds = 86_400

/** Removes images without a record: of uploads whose process ended before they had one. Daily, when load is low. */
export const sweepImagesJob: Job<null> = {
  kind: 'alerts.sweep_images',
  queue: 'maintenance',
  every: { seconds: daySeconds, offsetSeconds: 5.75 * 3600 },
  async run({ objects, database, clock }, _, { signal }) {
    await sweep(objects, imagesPrefix, {
      signal,
      before: new Date(clock.now().getTime() - daySeconds * 1000),
      async recorded(keys) {
        const known = await knownSecrets(database.read, keys.map(secretOf))
        return new Set<string>(known.map(keyOfImage))
      },
    })
  },
}

const batchSize = 500

/** Finds images whose bytes are missing or have another size. */
export async function* imageProblems({ database, objects }: Stored): AsyncGenerator<string> {
  for await (const rows of portions((afterId) => imagesAfter(database.read, afterId, batchSize))) {
    for (const row of rows) {
      const stored = (await objects.head(keyOfImage(row)))?.sizeBytes
      if (stored === undefined) yield `metric image ${row.id}: its file is missing`
      else if (stored !== row.size_bytes)
        yield `metric image ${row.id}: its file has ${stored} bytes instead of ${row.size_bytes}`
    }
  }
}
