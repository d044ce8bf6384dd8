import {
  forms,
  invalid,
  object,
  of,
  type PageRequest,
  recordNotFound,
  refuse,
  Type,
  type Unmodified,
} from '../../api/index.ts'
import { parseCron, timeZoneOf } from '../../infra/cron/index.ts'
import { acquireLock, claim, now, type Reader } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { Project } from '../projects/index.ts'
import type { FreezePeriodChanges, NewFreezePeriod } from './params.ts'
import * as store from './store.ts'
import type { FreezePeriodRow } from './tables.ts'

const text = Type.String()

/** A freeze period (contract 24, FreezePeriod). */
export const FreezePeriod = object('FreezePeriod', of<FreezePeriodRow>(), {
  id: forms.id,
  freeze_start: text,
  freeze_end: text,
  cron_timezone: text,
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
})

/** Freeze periods of one project (contract 24, Limits). */
const mostPeriods = 100

async function requirePeriod(db: Reader, project: Project, id: number): Promise<FreezePeriodRow> {
  const row = await store.freezePeriodById(db, id)
  if (row?.project_id !== project.id) throw recordNotFound()
  return row
}

type Times = Pick<FreezePeriodRow, 'freeze_start' | 'freeze_end' | 'cron_timezone'>

/** @throws ApiError 400 with the problems of all fields; the texts begin with a space, as those of schedules (contract 04, 2.14) */
function requireValid({ freeze_start, freeze_end, cron_timezone }: Times): void {
  const unless = (isValid: boolean) => (isValid ? [] : [' is invalid syntax'])
  refuse({
    freeze_start: unless(parseCron(freeze_start) !== null),
    freeze_end: unless(parseCron(freeze_end) !== null),
    cron_timezone: unless(timeZoneOf(cron_timezone) !== null),
  })
}

/** A page of the freeze periods of a project (contract 24, x.freeze_periods_list). */
export async function listFreezePeriods({ database }: Platform, project: Project, page: PageRequest) {
  const found = await store.pageOfFreezePeriods(database.read, project.id, page)
  return { ...found, items: found.items.map((row) => FreezePeriod.present(row)) }
}

/** One freeze period (contract 24, x.freeze_periods_get). @throws ApiError 404 */
export async function getFreezePeriod({ database }: Platform, project: Project, id: number) {
  return FreezePeriod.present(await requirePeriod(database.read, project, id))
}

/** Creates a freeze period (contract 24, x.freeze_periods_create). @throws ApiError 400 */
export async function createFreezePeriod({ database, clock }: Platform, project: Project, given: NewFreezePeriod) {
  const times = {
    freeze_start: given.freeze_start.trim(),
    freeze_end: given.freeze_end.trim(),
    cron_timezone: given.cron_timezone ?? 'UTC',
  }
  requireValid(times)
  const moment = now(clock)
  const row = await database.write(async (tx) => {
    await acquireLock(tx, `freeze_periods:${project.id}`)
    if ((await store.countFreezePeriods(tx, project.id)) >= mostPeriods) {
      throw invalid({ base: [`Maximum number of freeze periods (${mostPeriods}) exceeded`] })
    }
    return store.insertFreezePeriod(tx, { project_id: project.id, ...times, created_at: moment, updated_at: moment })
  })
  return FreezePeriod.present(row)
}

/** Changes a freeze period (contract 24, x.freeze_periods_update). @throws ApiError 400, 404 */
export async function updateFreezePeriod(
  { database, clock }: Platform,
  project: Project,
  id: number,
  given: FreezePeriodChanges,
) {
  const changed = await database.write(async (tx) => {
    const row = await claim(tx, 'freeze_periods', () => requirePeriod(tx, project, id))
    const times = {
      freeze_start: given.freeze_start?.trim() ?? row.freeze_start,
      freeze_end: given.freeze_end?.trim() ?? row.freeze_end,
      cron_timezone: given.cron_timezone ?? row.cron_timezone,
    }
    requireValid(times)
    return store.updateFreezePeriodRow(tx, id, { ...times, updated_at: now(clock) })
  })
  if (!changed) throw recordNotFound()
  return FreezePeriod.present(changed)
}

/** Deletes a freeze period (contract 24, x.freeze_periods_delete). @throws ApiError 404; 412 by `unmodified` */
export async function deleteFreezePeriod(
  { database }: Platform,
  project: Project,
  id: number,
  unmodified: Unmodified,
): Promise<void> {
  await database.write(async (tx) => {
    const row = await claim(tx, 'freeze_periods', () => requirePeriod(tx, project, id))
    unmodified(row.updated_at)
    await store.removeFreezePeriod(tx, id)
  })
}
