import { invalid } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import type { Issuable } from '../issuable.ts'
import { lockIssuable } from '../store.ts'
import { parseWorkingTime } from './duration.ts'
import { type PresentedTimes, presentTimes } from './present.ts'
import { setEstimate, setSpent, timesOf } from './store.ts'

/** Reads an estimate. @throws ApiError 400 */
export function requireEstimate(text: string): number {
  const seconds = parseWorkingTime(text)
  if (seconds !== null && seconds >= 0) return seconds
  throw invalid({ time_estimate: ['must have a valid format and be greater than or equal to zero.'] })
}

/** Reads spent time, which may be negative. @throws ApiError 400 */
export function requireSpent(text: string): number {
  const seconds = parseWorkingTime(text)
  if (seconds) return seconds
  throw invalid({ time_spent: ['must have a valid format'] })
}

/** The time tracking of an issuable. */
export async function timeStatsOf({ database }: Platform, { type, id }: Issuable): Promise<PresentedTimes> {
  return presentTimes((await timesOf(database.read, type, [id])).get(id))
}

/** A change of the spent time: seconds to add, or a reset to 0. */
export type SpentChange = { add: number; summary?: string } | 'reset'

/** Sets the estimate of an issuable, in seconds. */
export async function changeEstimate(platform: Platform, issuable: Issuable, userId: number, seconds: number) {
  const at = now(platform.clock)
  await platform.database.write(async (tx) => {
    await lockIssuable(tx, issuable)
    const { type, id } = issuable
    if (((await timesOf(tx, type, [id])).get(id)?.time_estimate ?? 0) === seconds) return
    await setEstimate(tx, issuable, seconds)
    await react(platform, tx, 'issuable.changed', { type, id, userId, at })
  })
  return timeStatsOf(platform, issuable)
}

/** Adds spent time to an issuable, or resets it. @throws ApiError 400 when more is subtracted than was spent */
export async function changeSpent(platform: Platform, issuable: Issuable, userId: number, change: SpentChange) {
  const at = now(platform.clock)
  await platform.database.write(async (tx) => {
    await lockIssuable(tx, issuable)
    const { type, id } = issuable
    const before = (await timesOf(tx, type, [id])).get(id)?.total_time_spent ?? 0
    const seconds = change === 'reset' ? -before : change.add
    if (before + seconds < 0) throw invalid({ base: ['Time to subtract exceeds the total time spent'] })
    if (seconds === 0) return
    const summary = (change !== 'reset' && change.summary) || null
    await setSpent(tx, issuable, before + seconds, { userId, at, seconds, summary })
    await react(platform, tx, 'issuable.changed', { type, id, userId, at })
  })
  return timeStatsOf(platform, issuable)
}
