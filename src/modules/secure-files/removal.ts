import { portions } from '../../infra/database/index.ts'
import { sweep } from '../../infra/objects/index.ts'
import { type Events, enqueue, type Job, type Reaction, type Stored } from '../../platform/index.ts'
import { filesPrefix, keyOfFile, prefixOfProject, secretOf } from './keys.ts'
import { filesAfter, knownSecrets } from './store.ts'

/** Removes the files of a deleted project, whose records are gone. */
export const removeFilesJob: Job<{ projectId: number }> = {
  kind: 'secure_files.remove',
  queue: 'maintenance',
  async run({ objects }, { projectId }, { signal }) {
    for await (const { key } of objects.list(prefixOfProject(projectId))) {
      signal.throwIfAborted()
      await objects.delete(key)
    }
  },
}

/** Removes the secure files of a project that is deleted. */
export const removeSecureFiles: Reaction<Events['project.removed']> = async (platform, tx, { projectId }) => {
  await enqueue(platform, tx, removeFilesJob, { projectId })
}

const daySeconds = 86_400

/** Removes contents without a record: of uploads whose process ended before they had one. Daily, when load is low. */
export const sweepFilesJob: Job<null> = {
  kind: 'secure_files.sweep',
  queue: 'maintenance',
  every: { seconds: daySeconds, offsetSeconds: 5.25 * 3600 },
  async run({ objects, database, clock }, _, { signal }) {
    await sweep(objects, filesPrefix, {
      signal,
      before: new Date(clock.now().getTime() - daySeconds * 1000),
      async recorded(keys) {
        const known = await knownSecrets(database.read, keys.map(secretOf))
        return new Set<string>(known.map(keyOfFile))
      },
    })
  },
}

const batchSize = 500

/** Finds files whose contents are missing or have another size. */
export async function* secureFileProblems({ database, objects }: Stored): AsyncGenerator<string> {
  for await (const rows of portions((afterId) => filesAfter(database.read, afterId, batchSize))) {
    for (const row of rows) {
      const stored = (await objects.head(keyOfFile(row)))?.sizeBytes
      if (stored === undefined) yield `secure file ${row.id}: its content is missing`
      else if (stored !== row.sealed_bytes)
        yield `secure file ${row.id}: its content has ${stored} bytes instead of ${row.sealed_bytes}`
    }
  }
}
