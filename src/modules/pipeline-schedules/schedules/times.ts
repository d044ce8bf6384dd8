import { nextInstant, parseCron, timeZoneOf } from '../../../infra/cron/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ScheduleRow } from '../tables.ts'

/** The first instant after another at which an expression matches; null when it or the time zone are invalid. */
function nextMatch(cron: string, timeZone: string, afterMs: number): number | null {
  const [parsed, zone] = [parseCron(cron), timeZoneOf(timeZone)]
  return parsed && zone ? nextInstant(parsed, zone, afterMs) : null
}

/**
 * When a schedule runs next: at the first tick of the worker at or after the next time that its expression matches (contract
 * 04, Scheduling).
 * @returns null when expression or time zone are invalid
 */
export function nextRunAt(
  { clock, config }: Pick<Platform, 'clock' | 'config'>,
  { cron, cron_timezone }: Pick<ScheduleRow, 'cron' | 'cron_timezone'>,
): string | null {
  const ideal = nextMatch(cron, cron_timezone, clock.now().getTime())
  const tick = ideal === null ? null : nextMatch(config.ciScheduleWorkerCron, 'UTC', ideal - 1)
  return tick === null ? null : new Date(tick).toISOString()
}

/** What is wrong with expression and time zone, by field; the texts begin with a space (contract 04, 2.14). */
export function timeProblems(cron: string, timeZone: string): Record<string, string[]> {
  const invalid = [' is invalid syntax']
  const zone = timeZone.trim() === '' ? ["can't be blank"] : timeZoneOf(timeZone) === null ? invalid : null
  return { ...(parseCron(cron) ? {} : { cron: invalid }), ...(zone ? { cron_timezone: zone } : {}) }
}
