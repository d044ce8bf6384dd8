import { failure, notFound } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { eventsAfter, newestEvent, oldestEventId } from '../feed/store.ts'
import { forEvents } from '../feed/waiting.ts'
import { replicablesAfter, scopeOf } from '../replicables/store.ts'
import type { NodeRow } from '../tables.ts'
import { classOf, isReplicableType, type ReplicableType } from '../types.ts'
import { presentEvents, presentReplicable } from './present.ts'

const mostEvents = 500

/** @throws ApiError 404 */
export function requireType(text: string): ReplicableType {
  if (!isReplicableType(text)) throw notFound('Replicable type')
  return text
}

/** The items of a type that a node has copies of, by id (x.geo_int.replicables). */
export async function listReplicables(
  platform: Platform,
  node: NodeRow,
  { type, afterId, limit }: { type: string; afterId: number; limit: number },
) {
  const { config, database } = platform
  const known = requireType(type)
  const rows = await replicablesAfter(database.read, known, scopeOf(platform, node), afterId, limit)
  const inObjectStore = config.objectsUrl.startsWith('s3:') && classOf(known) !== 'repositories'
  return rows.map((row) => presentReplicable(row, known, inObjectStore))
}

/**
 * Events after one, oldest first; waits until there is one (x.geo_int.events).
 * @throws ApiError 410 when events after it have been deleted
 */
export async function listEvents(
  platform: Platform,
  { after, waitMs, signal }: { after: number; waitMs: number; signal: AbortSignal },
) {
  const { database, clock } = platform
  const until = clock.now().getTime() + waitMs
  for (;;) {
    const oldest = await oldestEventId(database.read)
    const newest = (await newestEvent(database.read))?.id ?? 0
    // A reader ahead of the log has read another one, such as that before a restored backup.
    if (after > newest || (oldest !== null && after < oldest - 1)) throw failure(410, '410 Gone')
    const events = after < newest ? await eventsAfter(database.read, after, mostEvents) : []
    const leftMs = until - clock.now().getTime()
    if (events.length > 0 || leftMs <= 0 || signal.aborted) return presentEvents(events, newest)
    await forEvents(platform, leftMs, signal)
  }
}
