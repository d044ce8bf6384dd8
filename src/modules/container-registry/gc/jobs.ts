import type { Job } from '../../../platform/index.ts'
import { isFeatureOn } from '../../features/index.ts'
import { collectGarbage, sweepContents } from './collect.ts'

const daySeconds = 86_400

/** Removes what nothing refers to any more, in batches (contract 02 R10). */
export const collectGarbageJob: Job<null> = {
  kind: 'container_registry.collect_garbage',
  queue: 'maintenance',
  every: { seconds: 600 },
  async run(platform, _, { signal }) {
    const { config, log } = platform
    if (!config.registryEnabled || !(await isFeatureOn(platform, 'container_registry_gc_worker'))) return
    const collected = await collectGarbage(platform, config.registryGcGraceMs, signal)
    if (Object.values(collected).some((count) => count > 0)) log.info(collected, 'container images were collected')
  },
}

/** Removes contents without a row, at 04:30 UTC, when load is low: all contents are listed. */
export const sweepContentsJob: Job<null> = {
  kind: 'container_registry.sweep_contents',
  queue: 'maintenance',
  every: { seconds: daySeconds, offsetSeconds: 4.5 * 3600 },
  async run(platform, _, { signal }) {
    if (!platform.config.registryEnabled) return
    if (await isFeatureOn(platform, 'container_registry_gc_worker')) await sweepContents(platform, signal)
  },
}
