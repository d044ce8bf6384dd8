import { now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { dropReplica } from '../copies/copies.ts'
import * as memory from '../memory/store.ts'
import type { EventAction } from '../tables.ts'
import { isReplicableType, type ReplicableType } from '../types.ts'
import type { Secondary } from './state.ts'
import * as store from './store.ts'

/** A place in the log: the id of an event, and when it happened. */
export type Cursor = { id: number; at: string | null }

export const cursorName = 'cursor'
/** The newest event that the primary has named. */
export const newestName = 'newest'

type Event = {
  id: number
  created_at: string
  type: string | null
  replicable_id: number
  action: EventAction
  checksum: string | null
}

export type EventsAnswer = { last_event_id: number; events: Event[] }

type ItemEvent = Event & { type: ReplicableType }

const isOfItem = (event: Event): event is ItemEvent => event.type !== null && isReplicableType(event.type)

/** The item as the primary lists it; null when it is not among those that this node copies. */
async function lookUp({ client, signal }: Secondary, type: ReplicableType, id: number) {
  const query = `type=${type}&after_id=${id - 1}&per_page=1`
  const [found] = await client.get<store.ListedItem[]>(`/geo/replicables?${query}`, { signal })
  return found?.id === id ? found : null
}

/** The items of events that are not known yet, as the primary lists them, by type and id. */
async function unknownItems(platform: Platform, secondary: Secondary, events: readonly ItemEvent[]) {
  const found = new Map<string, store.ListedItem>()
  for (const { type, replicable_id: id, action } of events) {
    if (action !== 'created' && action !== 'updated') continue
    const key = `${type} ${id}`
    if (found.has(key) || (await store.replicaOf(platform.database.read, type, id))) continue
    const item = await lookUp(secondary, type, id)
    if (item) found.set(key, item)
  }
  return found
}

async function apply(tx: Tx, event: ItemEvent, item: store.ListedItem | undefined, moment: string): Promise<void> {
  const { type, replicable_id: id, action, checksum } = event
  if (action === 'checksummed') {
    if (checksum !== null) await store.storePrimaryChecksum(tx, type, id, checksum)
    return
  }
  if (action === 'deleted') return
  if (item) await store.upsertReplica(tx, type, item, moment)
  else await store.markChanged(tx, type, id, moment)
}

/** Applies events in their order, and moves the cursor in the same transaction; an event may be applied twice. */
export async function applyEvents(
  platform: Platform,
  secondary: Secondary,
  { last_event_id: newest, events }: EventsAnswer,
): Promise<void> {
  const { database, clock } = platform
  const ofItems = events.filter(isOfItem)
  const items = await unknownItems(platform, secondary, ofItems)
  for (const { type, replicable_id: id, action } of ofItems) {
    const replica = action === 'deleted' ? await store.replicaOf(database.read, type, id) : null
    if (!replica) continue
    await dropReplica(platform, replica, (rowId) => database.write((tx) => store.deleteReplica(tx, rowId)))
  }
  const last = events.at(-1)
  const deleted = new Set(ofItems.filter(({ action }) => action === 'deleted').map((event) => keyOf(event)))
  await database.write(async (tx) => {
    const moment = now(clock)
    for (const event of ofItems) {
      if (deleted.has(keyOf(event))) continue
      const key = keyOf(event)
      await apply(tx, event, items.get(key), moment)
      // Later events of this portion change what the first one has added.
      items.delete(key)
    }
    if (last) await memory.remember(tx, cursorName, { id: last.id, at: last.created_at } satisfies Cursor)
    await memory.remember(tx, newestName, {
      id: newest,
      at: last?.id === newest ? last.created_at : null,
    } satisfies Cursor)
  })
  const own = secondary.configuration?.node.id
  if (events.some(({ action, replicable_id: id }) => action === 'node_updated' && id === own)) secondary.wakePoll()
}

const keyOf = ({ type, replicable_id: id }: ItemEvent) => `${type} ${id}`
