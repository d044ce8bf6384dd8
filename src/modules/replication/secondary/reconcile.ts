import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { dropReplica } from '../copies/copies.ts'
import { type ReplicableType, replicableTypes } from '../types.ts'
import type { Configuration, Secondary } from './state.ts'
import * as store from './store.ts'

const pageSize = 1000

/** What the index of the primary depends on besides its items. */
export function scopeKey({ node }: Configuration): string {
  const { selective_sync_type: type, selective_sync_shards: shards, selective_sync_namespace_ids: ids } = node
  return JSON.stringify([
    type,
    type === 'shards' ? shards : [],
    type === 'namespaces' ? ids : [],
    node.sync_object_storage,
  ])
}

type Listed = store.ListedItem

/** Brings the rows of a range of ids to what the primary has listed of it. */
async function match(
  platform: Platform,
  type: ReplicableType,
  listed: readonly Listed[],
  { first, last }: { first: number; last: number },
): Promise<void> {
  const { database, clock } = platform
  const known = await store.replicasBetween(database.read, type, first, last)
  const wanted = new Set(listed.map(({ id }) => id))
  for (const replica of known) {
    if (wanted.has(replica.replicable_id)) continue
    await dropReplica(platform, replica, (id) => database.write((tx) => store.deleteReplica(tx, id)))
  }
  const before = new Map(known.map((replica) => [replica.replicable_id, replica]))
  const news = listed.filter((item) => {
    const replica = before.get(item.id)
    const isSame = replica && replica.project_id === item.project_id && replica.group_id === item.group_id
    return !isSame || replica.storage !== item.storage || (item.checksum && item.checksum !== replica.primary_checksum)
  })
  if (news.length === 0) return
  await database.write(async (tx) => {
    for (const item of news) {
      await store.upsertReplica(tx, type, item, now(clock))
      if (item.checksum) await store.storePrimaryChecksum(tx, type, item.id, item.checksum)
    }
  })
}

/**
 * Compares the copies with everything that the primary has for this node: adds what is missing, and drops what is deleted
 * or no more selected (contract 15, "Loop of the secondary", step 2).
 */
export async function reconcile(platform: Platform, { client, signal }: Secondary): Promise<void> {
  for (const type of replicableTypes) {
    for (let after = 0; ; ) {
      const query = `type=${type}&after_id=${after}&per_page=${pageSize}`
      const listed = await client.get<Listed[]>(`/geo/replicables?${query}`, { signal })
      const isLast = listed.length < pageSize
      const last = isLast ? Number.MAX_SAFE_INTEGER : (listed.at(-1)?.id ?? 0)
      await match(platform, type, listed, { first: after + 1, last })
      if (isLast) break
      after = last
    }
  }
}
