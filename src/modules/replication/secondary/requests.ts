import { dayAfter } from '../../../api/index.ts'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import * as memory from '../memory/store.ts'

/** What is counted of the requests to a secondary, by the names of contract 15, Status. */
export const requestKinds = [
  'git_fetch_event_count_weekly',
  'git_push_event_count_weekly',
  'proxy_remote_requests_event_count_weekly',
  'proxy_local_requests_event_count_weekly',
] as const

export type RequestKind = (typeof requestKinds)[number]

const weekDays = 7

const counted = perPlatform(() => new Map<RequestKind, number>())

/** Counts a request; the numbers are stored with the next report. */
export function countRequest(platform: Platform, kind: RequestKind): void {
  const counts = counted(platform)
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
}

/** Stores what was counted since the last time. */
export async function flushRequestCounts(platform: Platform): Promise<void> {
  const { database, clock } = platform
  const counts = counted(platform)
  const taken = [...counts]
  counts.clear()
  if (taken.length === 0) return
  const today = dayAfter(clock.now(), 0)
  await database.write(async (tx) => {
    for (const [kind, count] of taken) await memory.countRequests(tx, today, kind, count)
  })
}

/** The requests of the last seven days, those not stored yet included. */
export async function weeklyRequests(platform: Platform): Promise<Record<RequestKind, number>> {
  const { database, clock } = platform
  const stored = await memory.requestsSince(database.read, dayAfter(clock.now(), -weekDays))
  const fresh = counted(platform)
  const entries = requestKinds.map((kind) => [kind, (stored.get(kind) ?? 0) + (fresh.get(kind) ?? 0)])
  return Object.fromEntries(entries) as Record<RequestKind, number>
}
