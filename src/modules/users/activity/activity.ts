import { dayOf, type PageRequest } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { pageOfActivities } from './store.ts'

/** The day half a year before a moment. */
function halfYearBefore(moment: Date): string {
  const before = new Date(moment)
  before.setUTCMonth(before.getUTCMonth() - 6)
  return dayOf(before)
}

/**
 * A page of the last days of activity, the earliest first (contract 20, x.user_activities).
 * @param from ISO text of the first moment that counts; its day
 */
export async function listActivities({ database, clock }: Platform, from: string | undefined, page: PageRequest) {
  const day = from === undefined ? halfYearBefore(clock.now()) : dayOf(new Date(from))
  const found = await pageOfActivities(database.read, day, page)
  const items = found.items.map(({ username, last_activity_on: last }) => {
    return { username, last_activity_on: last, last_activity_at: last }
  })
  return { ...found, items }
}
