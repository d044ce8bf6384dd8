import { manualClock } from '../../../src/infra/clock/index.ts'
import type { Database } from '../../../src/infra/database/index.ts'
import { type openObjects, storageKey } from '../../../src/infra/objects/index.ts'
import { collectGarbage, sweepContents } from '../../../src/modules/container-registry/index.ts'

type Stored = { database: Database; objects: Awaited<ReturnType<typeof openObjects>> }

const dayMs = 86_400_000

/** What nothing refers to is removed as if days had passed. @returns how many rows and contents are left */
export async function remainsAfterGrace({ database, objects }: Stored, now: Date): Promise<Record<string, number>> {
  const clock = manualClock({ start: now })
  const { signal } = new AbortController()
  for (let day = 0; day < 4; day += 1) {
    clock.advance(2 * dayMs)
    await collectGarbage({ database, objects, clock }, dayMs, signal)
  }
  await sweepContents({ database, objects, clock }, signal)
  const tables = ['registry_manifests', 'registry_blob_links', 'registry_blobs'] as const
  const left: Record<string, number> = { contents: 0 }
  for (const table of tables) {
    const count = database.read.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('count'))
    left[table] = Number((await count.executeTakeFirstOrThrow()).count)
  }
  for await (const _ of objects.list(storageKey('blobs'))) left.contents = (left.contents ?? 0) + 1
  return left
}
