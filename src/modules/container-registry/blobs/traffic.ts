import type { Database } from '../../../infra/database/index.ts'
import type { Measure, Platform } from '../../../platform/index.ts'
import { totalSizes } from './store.ts'

type Sizes = { stored: number; linked: number }

/** What was counted since the start, and the sizes that were read last. */
type Traffic = { pulledBytes: number; pushedBytes: number; sizes?: Promise<Sizes>; readAtMs: number }

const known = new WeakMap<Database, Traffic>()

/** How long sizes are shown before they are added up again, which takes time with millions of images. */
const sizesMs = 3_600_000

function trafficOf({ database }: Platform): Traffic {
  const found = known.get(database) ?? { pulledBytes: 0, pushedBytes: 0, readAtMs: 0 }
  known.set(database, found)
  return found
}

/** Counts bytes of blobs that are sent. */
export function countPulled(platform: Platform, sizeBytes: number): void {
  trafficOf(platform).pulledBytes += sizeBytes
}

/** Counts bytes of a blob that was uploaded. */
export function countPushed(platform: Platform, sizeBytes: number): void {
  trafficOf(platform).pushedBytes += sizeBytes
}

async function sizesOf(platform: Platform): Promise<Sizes> {
  const traffic = trafficOf(platform)
  const nowMs = platform.clock.now().getTime()
  if (!traffic.sizes || nowMs - traffic.readAtMs >= sizesMs) {
    traffic.readAtMs = nowMs
    traffic.sizes = totalSizes(platform.database.read).catch((error) => {
      traffic.sizes = undefined
      throw error
    })
  }
  return traffic.sizes
}

/** Numbers about blobs. Pushes and pulls are requests, which are counted by operation. */
export const blobMeasures: readonly Measure[] = [
  {
    name: 'fennec_registry_pulled_bytes_total',
    help: 'Bytes of image blobs that this process has sent.',
    type: 'counter',
    value: async (platform) => trafficOf(platform).pulledBytes,
  },
  {
    name: 'fennec_registry_pushed_bytes_total',
    help: 'Bytes of image blobs that were uploaded to this process.',
    type: 'counter',
    value: async (platform) => trafficOf(platform).pushedBytes,
  },
  {
    name: 'fennec_registry_stored_bytes',
    help: 'Bytes of all image blobs, each counted once. Read hourly.',
    type: 'gauge',
    value: async (platform) => (await sizesOf(platform)).stored,
  },
  {
    name: 'fennec_registry_linked_bytes',
    help: 'Bytes of all image blobs, counted for each repository. Divided by the stored bytes it is the deduplication ratio.',
    type: 'gauge',
    value: async (platform) => (await sizesOf(platform)).linked,
  },
]
