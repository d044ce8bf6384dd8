import type { Job } from '../../../platform/index.ts'
import { deleteIdleUploads } from './store.ts'

const batchSize = 200
const hourMs = 3_600_000

/**
 * Removes uploads that were idle for `FENNEC_REGISTRY_UPLOAD_TTL`, with their bytes (contract 02 R10), and writers of the
 * object store that no upload has: their process ended before it could write a row.
 */
export const removeIdleUploadsJob: Job<null> = {
  kind: 'container_registry.remove_idle_uploads',
  queue: 'maintenance',
  every: { seconds: 3600 },
  async run({ database, objects, clock, config }, _, { signal }) {
    const usedBefore = new Date(clock.now().getTime() - config.registryUploadTtlMs).toISOString()
    for (;;) {
      signal.throwIfAborted()
      // Rows go first, so that no request finds an upload without its bytes.
      const writers = await database.write((tx) => deleteIdleUploads(tx, usedBefore, batchSize))
      if (!writers) break
      for (const id of writers) await objects.cancel(id)
    }
    await objects.removeAbandoned(config.registryUploadTtlMs + hourMs)
  },
}
