import { sweep } from '../../../infra/objects/index.ts'
import type { Job } from '../../../platform/index.ts'
import { filesPrefix, jobIdOf } from './keys.ts'
import { knownKeys } from './store.ts'

const daySeconds = 86_400
/** 05:00 UTC, when load is low. */
const offsetSeconds = 5 * 3600
/** Removes files without a row: of uploads whose process ended before, and of jobs that were deleted. */
export const sweepFilesJob: Job<null> = {
  kind: 'pipelines.sweep_files',
  queue: 'maintenance',
  every: { seconds: daySeconds, offsetSeconds },
  async run({ objects, database, clock }, _, { signal }) {
    await sweep(objects, filesPrefix, {
      signal,
      before: new Date(clock.now().getTime() - daySeconds * 1000),
      recorded: (keys) => knownKeys(database.read, [...new Set(keys.flatMap((key) => jobIdOf(key) ?? []))]),
    })
  },
}
