import { portions } from '../../infra/database/index.ts'
import { sweep } from '../../infra/objects/index.ts'
import { type Events, enqueue, type Job, type Reaction, type Stored } from '../../platform/index.ts'
import { keyOfDocument, prefixOfProject, secretOf, statesPrefix } from './keys.ts'
import { knownSecrets, versionsAfter } from './store.ts'

/** Removes documents of a deleted state, or all of a deleted project, whose records are gone. */
export const removeDocumentsJob: Job<{ projectId: number; secrets?: readonly string[] }> = {
  kind: 'terraform_states.remove',
  queue: 'maintenance',
  async run({ objects }, { projectId, secrets }, { signal }) {
    for (const secret of secrets ?? []) {
      signal.throwIfAborted()
      await objects.delete(keyOfDocument({ project_id: projectId, secret }))
    }
    if (secrets) return
    for await (const { key } of objects.list(prefixOfProject(projectId))) {
      signal.throwIfAborted()
      await objects.delete(key)
    }
  },
}

/** Removes the documents of a project that is deleted. */
export const removeTerraformStates: Reaction<Events['project.removed']> = async (platform, tx, { projectId }) => {
  await enqueue(platform, tx, removeDocumentsJob, { projectId })
}

const daySeconds = 86_400

/** Removes documents without a record: of uploads whose process ended before they had one. Daily, when load is low. */
export const sweepDocumentsJob: Job<null> = {
  kind: 'terraform_states.sweep',
  queue: 'maintenance',
  every: { seconds: daySeconds, offsetSeconds: 5.5 * 3600 },
  async run({ objects, database, clock }, _, { signal }) {
    await sweep(objects, statesPrefix, {
      signal,
      before: new Date(clock.now().getTime() - daySeconds * 1000),
      async recorded(keys) {
        const known = await knownSecrets(database.read, keys.map(secretOf))
        return new Set<string>(known.map(keyOfDocument))
      },
    })
  },
}

const batchSize = 500

/** Finds versions whose documents are missing or have another size. */
export async function* stateProblems({ database, objects }: Stored): AsyncGenerator<string> {
  for await (const rows of portions((afterId) => versionsAfter(database.read, afterId, batchSize))) {
    for (const row of rows) {
      const stored = (await objects.head(keyOfDocument(row)))?.sizeBytes
      if (stored === undefined) yield `version ${row.id} of a Terraform state: its document is missing`
      else if (stored !== row.sealed_bytes)
        yield `version ${row.id} of a Terraform state: its document has ${stored} bytes instead of ${row.sealed_bytes}`
    }
  }
}
