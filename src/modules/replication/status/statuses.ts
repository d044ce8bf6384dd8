import { failure, notFound, type Page, type PageRequest } from '../../../api/index.ts'
import { now, type Reader } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { type NamespaceRow, namespaceAvatarUrl, namespaceWebUrl } from '../../namespaces/index.ts'
import { countChecksums, newestEvent } from '../feed/store.ts'
import { makeCredentials } from '../nodes/credentials.ts'
import { primaryUrlOf, requireNodeRow } from '../nodes/nodes.ts'
import { ownNode } from '../nodes/own-node.ts'
import { type Naming, recordUrl } from '../nodes/present.ts'
import * as nodes from '../nodes/store.ts'
import { countReplicables, everything } from '../replicables/store.ts'
import type { NodeRow, StatusRow } from '../tables.ts'
import { replicableTypes } from '../types.ts'
import { type Counts, countMembers, percentage } from './counts.ts'
import { linksOf, memberNames } from './fields.ts'
import { conditions, healthMembers, problemsIn, storageProblems } from './health.ts'
import { softwareMembers, unixSeconds } from './software.ts'
import { countSecondaries, namespacesOf, statusesOf } from './store.ts'

/** A status without links. */
export type Status = Record<string, unknown>

const silentMs = 600_000
/** The counts of this server's own items and their checksums. */
async function ownCounts(db: Reader): Promise<Counts> {
  const totals = await countReplicables(db, everything)
  const checksums = await countChecksums(db)
  const entries = replicableTypes.map((type) => {
    const { succeeded = 0, failed = 0 } = checksums.get(type) ?? {}
    const [count, total] = [totals[type], totals[type]]
    return [type, { count, checksum_total_count: total, checksummed_count: succeeded, checksum_failed_count: failed }]
  })
  return Object.fromEntries(entries)
}

/** The status of this server as it is now, by its own rows. */
async function currentStatus(platform: Platform): Promise<Status> {
  const { database, clock, config } = platform
  const db = database.read
  const counts = await ownCounts(db)
  const event = await newestEvent(db)
  const since = new Date(clock.now().getTime() - silentMs).toISOString()
  const slots = await countSecondaries(db, since)
  return {
    ...softwareMembers(platform),
    container_repositories_replication_enabled: null,
    projects_count: counts.project_repositories?.count ?? 0,
    ...countMembers(counts, 'primary'),
    replication_slots_count: slots.all,
    replication_slots_used_count: slots.seen,
    replication_slots_used_in_percentage: percentage(slots.seen, slots.all),
    replication_slots_max_retained_wal_bytes: 0,
    last_event_id: event?.id ?? null,
    last_event_timestamp: event && unixSeconds(event.created_at),
    last_successful_status_check_timestamp: unixSeconds(now(clock)),
    storage_shards_match: true,
    updated_at: now(clock),
    ...healthMembers(await storageProblems(config)),
  }
}

/** The status of a node that has never reported (contract 3.44). */
function unknownStatus(platform: Platform, node: NodeRow): Status {
  return {
    ...softwareMembers(platform),
    ...countMembers({}, 'unknown'),
    ...{ version: '', revision: '', container_repositories_replication_enabled: null },
    replication_slots_used_in_percentage: percentage(null, null),
    storage_shards_match: false,
    updated_at: node.updated_at,
    ...{ healthy: false, health: '', health_status: 'Unhealthy' },
  }
}

/** The last report of a node, with what has become wrong since. */
function reportedStatus({ clock }: Platform, { status, reported_at: at }: StatusRow): Status {
  const isSilent = clock.now().getTime() - Date.parse(at) > silentMs
  const problems = problemsIn(status.health)
  return { ...status, ...healthMembers(isSilent ? [...problems, conditions.silent] : problems), updated_at: at }
}

const presentNamespace = ({ externalUrl }: Platform, row: NamespaceRow) => ({
  ...row,
  avatar_url: namespaceAvatarUrl(externalUrl, row, null),
  web_url: namespaceWebUrl(externalUrl, row),
})

const noMembers = Object.fromEntries(memberNames.map((name) => [name, null]))

/** The statuses of nodes as they are shown. @param isOwn whether a node is this server, whose status is computed */
async function present(platform: Platform, rows: readonly NodeRow[], ownId: number | null, naming: Naming) {
  const db = platform.database.read
  const ids = rows.map(({ id }) => id)
  const reports = await statusesOf(db, ids)
  const namespaces = await namespacesOf(db, ids)
  const primaryUrl = await primaryUrlOf(platform, db)
  return Promise.all(
    rows.map(async (node) => {
      const report = reports.get(node.id)
      const isOwn = node.id === ownId
      const status = isOwn ? await currentStatus(platform) : report && reportedStatus(platform, report)
      return {
        ...noMembers,
        ...(status ?? unknownStatus(platform, node)),
        geo_node_id: node.id,
        missing_oauth_application: !node.is_primary && node.access_key === null,
        selective_sync_type: node.selective_sync_type,
        namespaces: (namespaces.get(node.id) ?? []).map((row) => presentNamespace(platform, row)),
        _links: linksOf(naming, recordUrl({ naming, primaryUrl }, node.id)),
      }
    }),
  )
}

const ownIdOf = async (platform: Platform) => (await ownNode(platform, platform.database.read))?.id ?? null

async function presentOne(platform: Platform, node: NodeRow, naming: Naming): Promise<Status> {
  return (await present(platform, [node], await ownIdOf(platform), naming))[0] as Status
}

/** The statuses of the nodes that have one (contract 3.45). */
export async function listStatuses(platform: Platform, page: PageRequest, naming: Naming): Promise<Page<Status>> {
  const ownId = await ownIdOf(platform)
  const found = await nodes.pageOfReporting(platform.database.read, ownId, page)
  return { ...found, items: await present(platform, found.items, ownId, naming) }
}

/** The status of a node (contract 3.46). @throws ApiError 404 also when it has never reported */
export async function getStatus(platform: Platform, id: number, naming: Naming): Promise<Status> {
  const db = platform.database.read
  const node = await requireNodeRow(db, id)
  const hasStatus = node.id === (await ownIdOf(platform)) || (await statusesOf(db, [id])).has(id)
  if (!hasStatus) throw notFound('Status for Geo node not found')
  return presentOne(platform, node, naming)
}

export const noOwnNode = () => notFound('Geo node not found')

/** The status of the server that is asked (x.geo_current_status). @throws ApiError 404 when it has no record */
export async function getCurrentStatus(platform: Platform, naming: Naming): Promise<Status> {
  const own = await ownNode(platform, platform.database.read)
  if (!own) throw noOwnNode()
  return presentOne(platform, own, naming)
}

/** Failures are known to secondaries, which answer themselves (x.geo_failures). @throws ApiError 403; 404 without a record */
export async function refuseFailures(platform: Platform): Promise<never> {
  const own = await ownNode(platform, platform.database.read)
  if (!own) throw noOwnNode()
  throw failure(403, '403 Forbidden - Failures can only be requested from a secondary node')
}

/** Gives a node credentials that has none (contract 3.44). @throws ApiError 404 */
export async function repairNode(platform: Platform, id: number, naming: Naming, act: Act): Promise<Status> {
  const { database, clock } = platform
  const { columns } = await makeCredentials(platform)
  const node = await database.write(async (tx) => {
    const found = await nodes.holdNode(tx, id)
    if (!found || found.is_primary || found.access_key !== null) return found
    await act(tx, id)
    return nodes.updateNode(tx, id, { ...columns, updated_at: now(clock) })
  })
  return presentOne(platform, node ?? (await requireNodeRow(database.read, id)), naming)
}
