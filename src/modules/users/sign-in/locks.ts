import type { UserRow } from '../tables.ts'

export const lockMs = 600_000

/** No right clock locks an account for longer; another one may differ by a minute. */
const longestLockMs = lockMs + 60_000

/** Whether an account is locked. @param moment ISO text */
export function isLocked({ locked_until: until }: Pick<UserRow, 'locked_until'>, moment: string): boolean {
  return until !== null && until > moment && Date.parse(until) - Date.parse(moment) <= longestLockMs
}
