import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { countReplicables, scopeOf } from '../replicables/store.ts'
import { countMembers, countsOf } from '../status/counts.ts'
import { memberNames } from '../status/fields.ts'
import { healthMembers, problemsIn } from '../status/health.ts'
import { storeStatus } from '../status/store.ts'
import type { NodeRow } from '../tables.ts'
import { replicableTypes } from '../types.ts'

const longestText = 1000

/** The members of a report that a status has; counts are whole numbers, texts are short. */
function knownMembers(report: Record<string, unknown>): Record<string, unknown> {
  const known = memberNames.flatMap((name) => {
    const value = report[name]
    if (typeof value === 'string') return [[name, value.slice(0, longestText)]]
    const isPlain = typeof value === 'boolean' || Number.isSafeInteger(value)
    return [[name, isPlain ? value : null]]
  })
  return Object.fromEntries(known)
}

/**
 * Stores the report of a secondary (x.geo_int.status). Totals and percentages are those of the primary, which knows what there
 * is to copy; what was copied is the node's.
 */
export async function storeReport(
  platform: Platform,
  node: NodeRow,
  report: Record<string, unknown>,
): Promise<{ message: string }> {
  const { database, clock } = platform
  const totals = await countReplicables(database.read, scopeOf(platform, node))
  const counts = countsOf(report)
  for (const type of replicableTypes) counts[type] = { ...counts[type], count: totals[type] }
  const moment = now(clock)
  const status = {
    ...knownMembers(report),
    ...countMembers(counts, 'secondary'),
    ...healthMembers(problemsIn(report.health)),
    projects_count: totals.project_repositories,
    last_successful_status_check_timestamp: Math.floor(clock.now().getTime() / 1000),
    updated_at: moment,
  }
  await database.write((tx) => storeStatus(tx, node.id, status, moment))
  return { message: '201 Created' }
}
