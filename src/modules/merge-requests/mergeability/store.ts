import type { Tx } from '../../../infra/database/index.ts'
import type { MergeRequestRow } from '../tables.ts'

/** What git says of a merge of two commits. */
export type GitFacts = { hasConflicts: boolean; isAhead: boolean; isBehind: boolean }

/** Stores the result of a check, with the heads that it is about. */
export async function storeCheck(
  tx: Tx,
  { id, sha, target_sha }: Pick<MergeRequestRow, 'id' | 'sha' | 'target_sha'>,
  { hasConflicts, isAhead, isBehind }: GitFacts,
): Promise<void> {
  await tx
    .updateTable('merge_requests')
    .set({
      checked_sha: sha,
      checked_target_sha: target_sha,
      has_conflicts: hasConflicts,
      is_ahead: isAhead,
      is_behind: isBehind,
    })
    .where('id', '=', id)
    .execute()
}
