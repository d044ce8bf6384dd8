import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import type { ReplicableType } from '../types.ts'
import * as store from './store.ts'

/** How long a read that the primary has confirmed goes on while the primary is away (contract 15, "Without the primary"). */
const lastsMs = 24 * 3_600_000
/** A moment that is later than now by more than this was stored while the clock was ahead. */
const skewMs = 60_000
/** The same confirmation is stored again after this time at the earliest. */
const storedAgainMs = 60_000
const mostConfirmations = 100_000
const mostRecent = 10_000

/** What a confirmed read is about; null where no item is named. */
export type ConfirmedItem = { type: ReplicableType | null; id: number | null }

/** Who reads what, in which way. The caller and the resource come from `hashed`: they contain secrets, and are of any length. */
export type Read = { caller: string; action: string; resource: string }

/** Keys of the confirmations that were stored a short while ago, with the time. */
const recent = perPlatform(() => new LRUCache<string, number>({ max: mostRecent }))

/**
 * A text for a value that does not tell the value: credentials are stored in this form only. It changes with the secret of the
 * node, so that what was confirmed for other credentials of the node is forgotten.
 */
export function hashed({ config }: Pick<Platform, 'config'>, value: unknown): string {
  const key = `confirmed reads:${config.geo.secretAccessKey ?? ''}`
  return createHmac('sha256', key).update(JSON.stringify(value)).digest('hex')
}

function period({ clock }: Platform) {
  const nowMs = clock.now().getTime()
  const at = (ms: number) => new Date(ms).toISOString()
  return { since: at(nowMs - lastsMs), until: at(nowMs + skewMs), now: at(nowMs), nowMs }
}

/** Remembers that the primary lets a caller read something. */
export async function confirm(platform: Platform, read: Read, { type, id }: ConfirmedItem): Promise<void> {
  const { now, nowMs } = period(platform)
  const name = JSON.stringify([read, type, id])
  const storedMs = recent(platform).get(name)
  if (storedMs !== undefined && Math.abs(nowMs - storedMs) < storedAgainMs) return
  const { caller, action, resource } = read
  const row = { caller, action, resource, type, replicable_id: id, confirmed_at: now }
  await platform.database.write((tx) => store.confirmRead(tx, row))
  recent(platform).set(name, nowMs)
}

/** What the primary has confirmed of a read within the last day; null when nothing. */
export async function recall(platform: Platform, read: Read): Promise<ConfirmedItem | null> {
  const [row] = await store.confirmedReads(platform.database.read, read, period(platform))
  return row ? { type: row.type, id: row.replicable_id } : null
}

/** The resources of an action of a caller that the primary has confirmed within the last day, the latest first. */
export async function recallResources(platform: Platform, read: Omit<Read, 'resource'>): Promise<string[]> {
  const rows = await store.confirmedReads(platform.database.read, read, period(platform))
  return rows.map(({ resource }) => resource)
}

/** Forgets what was confirmed: the primary has refused it since. Without an action and a resource, everything of the caller. */
export async function forget(platform: Platform, read: Pick<Read, 'caller'> & Partial<Read>): Promise<void> {
  const { database } = platform
  // Most refusals follow no confirmation.
  if (!(await store.hasReads(database.read, read))) return
  await database.write((tx) => store.forgetReads(tx, read))
  recent(platform).clear()
}

/** Deletes confirmations that have ended, and the oldest beyond a number. */
export async function pruneConfirmations(platform: Platform): Promise<void> {
  await platform.database.write((tx) => store.pruneReads(tx, period(platform), mostConfirmations))
}
