import type { WebHookRow } from '../tables.ts'

/** Failures in a row after which a hook is disabled: for some time, and for good (contract 21 R7). */
const temporarilyAfter = 4
export const foreverAfter = 40

const firstPauseMs = 60_000
export const longestPauseMs = 24 * 60 * 60_000

/** Until when a hook with so many failures in a row is not called; null: it is called, or never again. */
export function pausedUntil(failures: number, moment: Date): string | null {
  if (failures < temporarilyAfter || failures >= foreverAfter) return null
  const pauseMs = Math.min(firstPauseMs * 2 ** (failures - temporarilyAfter), longestPauseMs)
  return new Date(moment.getTime() + pauseMs).toISOString()
}

type Failing = Pick<WebHookRow, 'recent_failures' | 'disabled_until'>

/** Whether a hook is called. */
export function isExecutable({ recent_failures, disabled_until }: Failing, moment: Date): boolean {
  if (recent_failures >= foreverAfter) return false
  return disabled_until === null || Date.parse(disabled_until) <= moment.getTime()
}

/** What the API shows of it. */
export function disabledFromFailures(hook: Failing, moment: Date) {
  if (hook.recent_failures >= foreverAfter) return { alert_status: 'disabled', disabled_until: null } as const
  if (isExecutable(hook, moment)) return { alert_status: 'executable', disabled_until: null } as const
  return { alert_status: 'temporarily_disabled', disabled_until: hook.disabled_until } as const
}
