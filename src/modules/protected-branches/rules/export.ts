import { rows as rowsOf } from '../../../infra/database/index.ts'
import type { ExportedLine, ExportedLines } from '../../../platform/index.ts'
import { branchLists, type Entry, entriesOf } from '../store/entries.ts'
import { protectedBranches } from '../tables.ts'

/**
 * The entries of a list as exports embed them. Entries have no times of their own; their rule's stand for them. Those that name
 * a deploy key are left out: it exists on this server only.
 */
export function exportedAccessLevels(
  entries: readonly Entry[],
  { created_at, updated_at }: { created_at: string; updated_at: string },
): ExportedLine[] {
  return entries
    .filter(({ deploy_key_id }) => deploy_key_id === null)
    .map(({ access_level, user_id, group_id }) => ({ access_level, user_id, group_id, created_at, updated_at }))
}

/** The own rules of a project that protect branches (contract 14). */
export const exportedProtectedBranches: ExportedLines = async function* (_platform, db, { id: projectId }) {
  for await (const rows of rowsOf(protectedBranches).portions(db, { project_id: projectId }, 100)) {
    const ids = rows.map(({ id }) => id)
    const lists = await entriesOf(db, branchLists, ids)
    yield rows.map((row) => {
      const { project_id, name, created_at, updated_at, code_owner_approval_required, allow_force_push } = row
      const { push = [], merge = [], unprotect = [] } = lists.get(row.id) ?? {}
      return {
        ...{ project_id, name, created_at, updated_at, code_owner_approval_required, allow_force_push },
        merge_access_levels: exportedAccessLevels(merge, row),
        push_access_levels: exportedAccessLevels(push, row),
        unprotect_access_levels: exportedAccessLevels(unprotect, row),
      }
    })
  }
}
