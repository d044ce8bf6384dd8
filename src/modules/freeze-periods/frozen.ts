import { setImmediate } from 'node:timers/promises'
import { latestInstant, parseCron, timeZoneOf } from '../../infra/cron/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import { freezePeriodsOf } from './store.ts'
import type { FreezePeriodRow } from './tables.ts'

type Times = Pick<FreezePeriodRow, 'freeze_start' | 'freeze_end' | 'cron_timezone'>

/** Whether a period is open: it began after it has ended (contract 24, Secure files and freezes). @param nowMs of UTC */
export function isOpen({ freeze_start, freeze_end, cron_timezone }: Times, nowMs: number): boolean {
  const [start, end, zone] = [parseCron(freeze_start), parseCron(freeze_end), timeZoneOf(cron_timezone)]
  if (!start || !end || !zone) return false
  const [begun, ended] = [latestInstant(start, zone, nowMs), latestInstant(end, zone, nowMs)]
  return begun !== null && (ended === null || begun > ended)
}

/** Whether a project is frozen (contract 24, Secure files and freezes). @param nowMs of UTC */
export async function isFrozen(db: Reader, projectId: number, nowMs: number): Promise<boolean> {
  for (const period of await freezePeriodsOf(db, projectId)) {
    if (isOpen(period, nowMs)) return true
    // Other requests are served between two periods, of which rare ones take milliseconds.
    await setImmediate()
  }
  return false
}
