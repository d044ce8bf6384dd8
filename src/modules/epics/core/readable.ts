import { type Actor, failure } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { inheritedLevels, noPermissions } from '../../access/index.ts'
import { canSeeGroup, groupsByIds, viewerOf } from '../../groups/index.ts'
import type { EpicRow } from '../tables.ts'
import { type Epic, mayAssign, maySeeConfidential } from './access.ts'
import { epicsAt } from './store.ts'

/** What is answered for an epic that cannot be joined with another one (contract 26.19). */
export const noMatchingEpic = () =>
  failure(404, 'No matching epic found. Make sure that you are adding a valid epic URL.')

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

/**
 * The epic of a row that the caller names to join it with another one: one they can read, in a group in which they have a role.
 * @param row undefined or null when there is none
 * @throws ApiError 404 (contract 26.19)
 */
export async function joinableEpic(
  platform: Platform,
  db: Reader,
  row: EpicRow | null | undefined,
  actor: Actor,
): Promise<Epic> {
  const [found] = await readableEpics(platform, db, row ? [row] : [], actor)
  if (found && mayAssign(actor, found.group)) return found
  throw noMatchingEpic()
}

/** Those of the epics with these numbers in their groups that the caller can read. */
export async function readableEpicsAt(
  platform: Platform,
  actor: Actor,
  places: readonly { groupId: number; iid: number }[],
): Promise<Epic[]> {
  const { read } = platform.database
  return readableEpics(platform, read, await epicsAt(read, places), actor)
}
