import { removeAbandonedFiles } from '../../../api/index.ts'
import { requestFolder } from '../../../config.ts'
import { sweep } from '../../../infra/objects/index.ts'
import type { Job } from '../../../platform/index.ts'
import { knownSecrets } from '../core/store.ts'
import { keyOf, partsOfKey, uploadsPrefix } from '../owner.ts'

const daySeconds = 86_400
/** 05:30 UTC, when load is low. */
const offsetSeconds = 5.5 * 3600

/** Removes files without a record: of uploads whose process ended before they had one, and of bodies that it was receiving. */
export const sweepUploadsJob: Job<null> = {
  kind: 'uploads.sweep',
  queue: 'maintenance',
  every: { seconds: daySeconds, offsetSeconds },
  async run({ objects, database, clock, config }, _, { signal }) {
    await removeAbandonedFiles(requestFolder(config), clock)
    await sweep(objects, uploadsPrefix, {
      signal,
      before: new Date(clock.now().getTime() - daySeconds * 1000),
      async recorded(keys) {
        const secrets = keys.flatMap((key) => partsOfKey(key)?.secret ?? [])
        const known = await knownSecrets(database.read, secrets)
        return new Set<string>(known.map(({ owner, secret }) => keyOf(owner, secret)))
      },
    })
  },
}
