import type { Database } from '../../../infra/database/index.ts'
import type { Measure, Platform } from '../../../platform/index.ts'
import { sizeOfSites } from './store.ts'

type LastRead = { atMs: number; bytes: Promise<number> }

const known = new WeakMap<Database, LastRead>()

/** How long a size is shown before it is added up again, which reads every deployment. */
const shownMs = 3_600_000

function storedBytes({ database, clock }: Platform): Promise<number> {
  const nowMs = clock.now().getTime()
  const found = known.get(database)
  if (found && nowMs - found.atMs < shownMs) return found.bytes
  const bytes = sizeOfSites(database.read).catch((error) => {
    known.delete(database)
    throw error
  })
  known.set(database, { atMs: nowMs, bytes })
  return bytes
}

/** Numbers about sites. Visits are requests, which are counted by operation. */
export const siteMeasures: readonly Measure[] = [
  {
    name: 'fennec_pages_stored_bytes',
    help: 'Bytes of all sites that are published. Read hourly.',
    type: 'gauge',
    value: storedBytes,
  },
]
