import { type ImportLine, requiredText, textOf, timeOf, timesOf } from '../../platform/index.ts'
import { insertSchedule } from './schedules/store.ts'

/** Imports a schedule, which does not run until someone activates it; the importer owns it (contract 25, What an import makes). */
export const importSchedule: ImportLine = async (_platform, into, line) => {
  const times = timesOf(line)
  const row = {
    ...{ project_id: into.id, owner_id: into.importer.userId, description: textOf(line, 'description', 255) ?? '' },
    ...{ ref: requiredText(line, 'ref', 1024), cron: requiredText(line, 'cron') },
    ...{ cron_timezone: textOf(line, 'cron_timezone', 255) ?? 'UTC', active: false },
    ...{ next_run_at: timeOf(line, 'next_run_at') ?? times.updated_at, ...times },
  }
  return async (tx) => {
    await insertSchedule(tx, row)
  }
}
