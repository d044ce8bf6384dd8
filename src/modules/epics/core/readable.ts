import type { Actor } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { inheritedLevels, noPermissions } from '../../access/index.ts'
import { canSeeGroup, groupsByIds, viewerOf } from '../../groups/index.ts'
import type { EpicRow } from '../tables.ts'
import { type Epic, maySeeConfidential } from './access.ts'

/** Those of these epics that the caller can read, with their groups; in a constant number of queries. */
export async function readableEpics(
  platform: Platform,
  db: Reader,
  rows: readonly EpicRow[],
  actor: Actor,
): Promise<Epic[]> {
  const groupIds = [...new Set(rows.map(({ group_id }) => group_id))]
  if (groupIds.length === 0) return []
  const [groups, viewer] = await Promise.all([groupsByIds(db, groupIds), viewerOf(platform, actor)])
  const levels = await inheritedLevels(db, viewer.roles, groupIds)
  return rows.flatMap((row) => {
    const found = groups.get(row.group_id)
    const group = found && { ...found, level: levels.get(row.group_id) ?? 0, permissions: noPermissions }
    if (!group || !canSeeGroup(actor, group)) return []
    return !row.confidential || maySeeConfidential(actor, group) ? [{ ...row, group }] : []
  })
}
