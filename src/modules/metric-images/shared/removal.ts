import { sweep } from '../../../infra/objects/index.ts'
import { type Events, enqueue, type Job, type Reaction, type Stored } from '../../../platform/index.ts'
import { type ImageKind, type ImageRow, keyOfImage, prefixOfKind, prefixOfProject } from './kind.ts'

const daySeconds = 86_400
const batchSize = 500

const secretOf = (key: string): string => key.split('/').at(-1) ?? ''

/** Removes the bytes of images whose records are gone. @param names of the jobs @param offsetSeconds when the sweep runs each day */
export function imageRemoval<Row extends ImageRow>(
  kind: ImageKind<Row>,
  { names, offsetSeconds }: { names: { remove: string; sweep: string }; offsetSeconds: number },
) {
  const ofProject: Job<{ projectId: number }> = {
    kind: names.remove,
    queue: 'maintenance',
    async run({ objects }, { projectId }, { signal }) {
      for await (const { key } of objects.list(prefixOfProject(kind, projectId))) {
        signal.throwIfAborted()
        await objects.delete(key)
      }
    },
  }

  const strays: Job<null> = {
    kind: names.sweep,
    queue: 'maintenance',
    every: { seconds: daySeconds, offsetSeconds },
    async run({ objects, database, clock }, _, { signal }) {
      await sweep(objects, prefixOfKind(kind), {
        signal,
        before: new Date(clock.now().getTime() - daySeconds * 1000),
        async recorded(keys) {
          const known = await kind.knownSecrets(database.read, keys.map(secretOf))
          return new Set<string>(known.map((row) => keyOfImage(kind, row)))
        },
      })
    },
  }

  const afterProject: Reaction<Events['project.removed']> = async (platform, tx, { projectId }) => {
    await enqueue(platform, tx, ofProject, { projectId })
  }

  async function* problems({ database, objects }: Stored): AsyncGenerator<string> {
    for await (const rows of kind.portions(database.read, {}, batchSize)) {
      for (const row of rows) {
        const stored = (await objects.head(keyOfImage(kind, row)))?.sizeBytes
        if (stored === undefined) yield `metric image ${row.id}: its file is missing`
        else if (stored !== row.size_bytes)
          yield `metric image ${row.id}: its file has ${stored} bytes instead of ${row.size_bytes}`
      }
    }
  }

  return {
    /** Removes the images of a deleted project, whose records are gone. */
    ofProject,
    /** Removes images without a record: of uploads whose process ended before they had one. Daily, when load is low. */
    strays,
    /** Removes the images of a project that is deleted. */
    afterProject,
    /** Finds images whose bytes are missing or have another size. */
    problems,
  }
}
