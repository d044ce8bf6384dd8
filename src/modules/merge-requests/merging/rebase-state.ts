import type { Platform } from '../../../platform/index.ts'
import type { MergeRequestRow } from '../tables.ts'

/** A rebase that takes longer has failed (contract 19, "Background"). */
export const longestRebaseMs = 5 * 60_000

/** Whether a rebase of the source branch is under way. */
export function isRebasing(
  { clock }: Pick<Platform, 'clock'>,
  row: Pick<MergeRequestRow, 'rebase_started_at'>,
): boolean {
  const { rebase_started_at: start } = row
  return start !== null && Date.parse(start) + longestRebaseMs > clock.now().getTime()
}
