import type { Tx } from '../../../infra/database/index.ts'
import { insertIteration, numberSequence, updateIteration } from '../core/store.ts'
import type { CadenceRow } from '../tables.ts'
import { lastDayOf, upcomingOf } from './store.ts'
import { nextStart, windowsFrom } from './windows.ts'

/** The schedule of a cadence; null when it is manual. */
function scheduleOf({ automatic, start_date, duration_in_weeks, iterations_in_advance }: CadenceRow) {
  if (!automatic || start_date === null || duration_in_weeks === null || iterations_in_advance === null) return null
  return { firstDay: start_date, weeks: duration_in_weeks, inAdvance: iterations_in_advance }
}

/**
 * Creates the iterations that an active automatic cadence lacks: the current one, and upcoming ones in advance (contract 17,
 * "Rules"). The caller holds the lock of the group's iterations.
 */
export async function extend(tx: Tx, cadence: CadenceRow, today: string, at: string): Promise<void> {
  const schedule = scheduleOf(cadence)
  if (!schedule || !cadence.active) return
  let missing = schedule.inAdvance - (await upcomingOf(tx, cadence.id, today)).length
  if (missing <= 0) return
  const lastDay = await lastDayOf(tx, cadence.id)
  const belonging = { namespace_id: cadence.namespace_id, cadence_id: cadence.id }
  const times = { closed: false, created_at: at, updated_at: at }
  for (const window of windowsFrom(nextStart(schedule.firstDay, schedule.weeks, lastDay, today), schedule.weeks)) {
    await insertIteration(tx, { ...belonging, ...window, title: null, description: null, ...times })
    if (window.start_date > today) missing -= 1
    if (missing === 0) break
  }
  await numberSequence(tx, cadence.id)
}

/** Gives the upcoming iterations of an automatic cadence the dates of its schedule, after those that have begun. */
export async function reschedule(tx: Tx, cadence: CadenceRow, today: string, at: string): Promise<void> {
  const schedule = scheduleOf(cadence)
  if (!schedule) return
  const lastDay = await lastDayOf(tx, cadence.id, today)
  const windows = windowsFrom(nextStart(schedule.firstDay, schedule.weeks, lastDay, today), schedule.weeks)
  for (const id of await upcomingOf(tx, cadence.id, today)) {
    const { value } = windows.next()
    if (value) await updateIteration(tx, id, { ...value, updated_at: at })
  }
  await numberSequence(tx, cadence.id)
}
