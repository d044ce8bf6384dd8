import type { Platform } from '../../../platform/index.ts'
import type { MergeRequestRow } from '../tables.ts'

/** References to the issues that a merge closes. */
export async function closedByMerge(_platform: Platform, _row: MergeRequestRow): Promise<string[]> {
  return []
}
