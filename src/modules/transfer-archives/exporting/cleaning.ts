import { portions } from '../../../infra/database/index.ts'
import { sweep } from '../../../infra/objects/index.ts'
import type { Job, Stored } from '../../../platform/index.ts'
import { secretsOfImports } from '../importing/store.ts'
import { archivesPrefix, keyOfArchive, secretOf } from '../owner.ts'
import { removeArchivesLater } from '../removal.ts'
import { expiredBefore } from './exports.ts'
import * as store from './store.ts'

const daySeconds = 86_400
const atOnce = 500

const withoutArchive = { secret: null, file_name: null, size_bytes: null, sha256: null, finished_at: null }

/** Removes archives a day after they were finished (contract 25, States). */
export const expireArchivesJob: Job<null> = {
  kind: 'transfer_archives.expire',
  queue: 'maintenance',
  every: { seconds: 600 },
  async run(platform, _, { signal }) {
    for (;;) {
      signal.throwIfAborted()
      const rows = await store.expiredExports(platform.database.read, expiredBefore(platform), atOnce)
      await platform.database.write(async (tx) => {
        for (const { id, secret } of rows) {
          const row = await store.exportById(tx, id)
          // A newer archive may have taken its place.
          if (!row || row.secret !== secret) continue
          await store.updateExport(tx, id, withoutArchive)
          if (secret !== null) await removeArchivesLater(platform, tx, [secret])
        }
      })
      if (rows.length < atOnce) return
    }
  },
}

/** Removes archives without a row: of exports and requests whose process ended before they had one. */
export const sweepArchivesJob: Job<null> = {
  kind: 'transfer_archives.sweep',
  queue: 'maintenance',
  every: { seconds: daySeconds, offsetSeconds: 6 * 3600 },
  async run({ objects, database, clock }, _, { signal }) {
    await sweep(objects, archivesPrefix, {
      signal,
      before: new Date(clock.now().getTime() - daySeconds * 1000),
      async recorded(keys) {
        const secrets = keys.map(secretOf)
        const exported = await store.secretsOfExports(database.read, secrets)
        const imported = await secretsOfImports(database.read, secrets)
        return new Set<string>([...exported, ...imported].map(keyOfArchive))
      },
    })
  },
}

/** Finds exports whose archives are missing or have another size. */
export async function* archiveProblems({ database, objects }: Stored): AsyncGenerator<string> {
  for await (const rows of portions((afterId) => store.storedExports(database.read, afterId, atOnce))) {
    for (const { id, secret, size_bytes } of rows) {
      const stored = (await objects.head(keyOfArchive(secret ?? '')))?.sizeBytes
      if (stored === undefined) yield `export ${id}: its archive is missing`
      else if (stored !== size_bytes) yield `export ${id}: its archive has ${stored} bytes instead of ${size_bytes}`
    }
  }
}
