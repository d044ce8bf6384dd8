const hourMs = 3_600_000
/** A runner is online until this time after a contact. */
export const onlineMs = 2 * hourMs
/** A runner is stale from this time after its last contact, or after its creation. */
export const staleMs = 7 * 24 * hourMs

export const runnerStatuses = ['online', 'offline', 'stale', 'never_contacted'] as const
export type RunnerStatus = (typeof runnerStatuses)[number]

type Contact = { contacted_at: string | null; created_at: string }

/** The status of a runner or manager at a time (contract 04, Runner). */
export function statusAt({ contacted_at: contacted, created_at: created }: Contact, now: Date): RunnerStatus {
  const ageMs = now.getTime() - Date.parse(contacted ?? created)
  if (ageMs > staleMs) return 'stale'
  if (contacted === null) return 'never_contacted'
  return ageMs <= onlineMs ? 'online' : 'offline'
}

/** Whether a runner is online; null when it has never contacted the server. */
export function isOnline({ contacted_at: contacted }: Contact, now: Date): boolean | null {
  return contacted === null ? null : now.getTime() - Date.parse(contacted) <= onlineMs
}
