import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { type Cron, latestInstant, nextInstant, parseCron, timeZoneOf } from '../../infra/cron/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { freezePeriodsOf } from './store.ts'
import type { FreezePeriodRow } from './tables.ts'

type Times = Pick<FreezePeriodRow, 'freeze_start' | 'freeze_end' | 'cron_timezone'>

/** The latest match of an expression up to a moment. */
type Ticks = { cron: Cron; untilMs: number; latest: number | null }

/** By time zone and expression. A search through many years takes milliseconds; one that goes on from the last answer does not. */
const known = new LRUCache<string, Ticks>({ max: 10_000 })

/** The latest match of an expression up to a moment; null: none. @returns undefined for an invalid expression */
function latestTick(text: string, zone: string, nowMs: number): number | null | undefined {
  const key = `${zone} ${text}`
  const before = known.get(key)
  const cron = before?.cron ?? parseCron(text)
  if (!cron) return undefined
  const since = before && before.untilMs <= nowMs ? nextInstant(cron, zone, before.untilMs, nowMs) : nowMs
  const isSame = since === null || since > nowMs
  const latest = before && isSame ? before.latest : latestInstant(cron, zone, nowMs)
  known.set(key, { cron, untilMs: nowMs, latest })
  return latest
}

/** Whether a period is open: it began after it has ended (contract 24, Secure files and freezes). @param nowMs of UTC */
export function isOpen({ freeze_start, freeze_end, cron_timezone }: Times, nowMs: number): boolean {
  const zone = timeZoneOf(cron_timezone)
  if (!zone) return false
  const [begun, ended] = [latestTick(freeze_start, zone, nowMs), latestTick(freeze_end, zone, nowMs)]
  if (begun === undefined || begun === null || ended === undefined) return false
  return ended === null || begun > ended
}

/** Whether a project is frozen now (contract 24, Secure files and freezes). To be asked before a transaction where possible. */
export async function isFrozen({ clock }: Pick<Platform, 'clock'>, db: Reader, projectId: number): Promise<boolean> {
  const nowMs = clock.now().getTime()
  for (const period of await freezePeriodsOf(db, projectId)) {
    if (isOpen(period, nowMs)) return true
    // Other requests are served between two periods, of which rare ones take milliseconds.
    await setImmediate()
  }
  return false
}
