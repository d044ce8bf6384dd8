import { notFound } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import * as memory from '../memory/store.ts'
import { type Naming, recordUrl } from '../nodes/present.ts'
import { type Counts, countMembers, percentage } from '../status/counts.ts'
import { linksOf, memberNames } from '../status/fields.ts'
import { conditions, healthMembers, storageProblems } from '../status/health.ts'
import { softwareMembers, unixSeconds } from '../status/software.ts'
import { primaryUrl } from './client.ts'
import { type Cursor, cursorName, newestName } from './events.ts'
import { weeklyRequests } from './requests.ts'
import type { Configuration, Secondary } from './state.ts'
import * as store from './store.ts'

const reportedName = 'reported_at'
const longestLagMs = 3_600_000

async function ownCounts({ database }: Platform): Promise<Counts> {
  const rows = await store.countReplicas(database.read)
  const entries = rows.map((row) => [
    row.type,
    {
      ...{ count: row.registry, registry_count: row.registry, synced_count: row.synced, failed_count: row.failed },
      ...{ verification_total_count: row.synced, verified_count: row.verified },
      ...{ verification_failed_count: row.verification_failed, synced_missing_on_primary_count: row.missing },
      ...{ checksum_mismatch_count: row.mismatch, retrying_verification_count: row.retrying },
    },
  ])
  return Object.fromEntries(entries)
}

/** How old the oldest event is that is not applied: at least as old as that after the cursor; 0 when there is none. */
function lagOf({ clock }: Platform, cursor: Cursor | null, newest: Cursor | null, secondary: Secondary): number {
  const known = Math.max(newest?.id ?? 0, secondary.configuration?.last_event_id ?? 0)
  if (!cursor?.at || cursor.id >= known) return 0
  return Math.max(0, clock.now().getTime() - Date.parse(cursor.at))
}

async function problemsOf(platform: Platform, secondary: Secondary, lagMs: number): Promise<string[]> {
  const { unreachable, isUnregistered, configuration } = secondary
  return [
    ...(unreachable === null ? [] : [conditions.unreachable(unreachable)]),
    ...(isUnregistered ? [conditions.unregistered] : []),
    ...(await storageProblems(platform.config)),
    ...(configuration?.node.enabled && lagMs > longestLagMs ? [conditions.lag] : []),
  ]
}

const sameNames = (a: readonly string[], b: readonly string[]) => [...a].sort().join() === [...b].sort().join()

/** The status of this server as it is now (contract 15, Status). */
export async function secondaryStatus(platform: Platform, secondary: Secondary): Promise<Record<string, unknown>> {
  const { database, clock, config } = platform
  const { configuration } = secondary
  const counts = await ownCounts(platform)
  const [cursor, newest] = await Promise.all([
    memory.remembered<Cursor>(database.read, cursorName),
    memory.remembered<Cursor>(database.read, newestName),
  ])
  const lagMs = lagOf(platform, cursor, newest, secondary)
  const newestId = Math.max(newest?.id ?? 0, configuration?.last_event_id ?? 0, cursor?.id ?? 0)
  const newestAt = newest?.id === newestId ? newest.at : cursor?.id === newestId ? cursor.at : null
  const reported = await memory.remembered<string>(database.read, reportedName)
  return {
    ...Object.fromEntries(memberNames.map((name) => [name, null])),
    ...softwareMembers(platform),
    ...countMembers(counts, 'secondary'),
    ...(await weeklyRequests(platform)),
    geo_node_id: configuration?.node.id ?? 0,
    projects_count: counts.project_repositories?.count ?? 0,
    replication_slots_used_in_percentage: percentage(null, null),
    missing_oauth_application: secondary.isUnregistered,
    db_replication_lag_seconds: Math.floor(lagMs / 1000),
    last_event_id: newestId || null,
    last_event_timestamp: newestAt && unixSeconds(newestAt),
    cursor_last_event_id: cursor?.id ?? null,
    cursor_last_event_timestamp: cursor?.at ? unixSeconds(cursor.at) : null,
    last_successful_status_check_timestamp: reported && unixSeconds(reported),
    selective_sync_type: configuration?.node.selective_sync_type ?? null,
    namespaces: [],
    storage_shards_match: sameNames(Object.keys(config.storages), configuration?.storage_shards ?? []),
    updated_at: now(clock),
    ...healthMembers(await problemsOf(platform, secondary, lagMs)),
  }
}

/** Reports the status to the primary (x.geo_int.status). */
export async function reportStatus(platform: Platform, secondary: Secondary): Promise<void> {
  const { database, clock } = platform
  const { namespaces: _, ...status } = await secondaryStatus(platform, secondary)
  await secondary.client.post('/geo/status', status, { signal: secondary.signal })
  await database.write((tx) => memory.remember(tx, reportedName, now(clock)))
}

/** The status of the secondary that is asked (x.geo_current_status). @throws ApiError 404 before it knows its record */
export async function ownStatus(platform: Platform, secondary: Secondary, naming: Naming) {
  const configuration: Configuration | null = secondary.configuration
  if (!configuration) throw notFound('Geo node not found')
  const record = recordUrl({ naming, primaryUrl: `${primaryUrl(platform)}/` }, configuration.node.id)
  return { ...(await secondaryStatus(platform, secondary)), _links: linksOf(naming, record) }
}
