import { type Actor, invalid } from '../../../api/index.ts'
import { acquireLock, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type Group, mayInGroup } from '../../groups/index.ts'
import { readableEpics } from './readable.ts'
import { depthBelow, epicsByIds, lineage, rootGroupOf } from './store.ts'

/** Epics above and below each other, at most. */
const mostLevels = 7

const refused = (reason: string) => invalid({ parent: [reason] })

/**
 * Requires that an epic may be put below another one (contract 17, x.epic_create). Changes of one tree of groups wait for
 * each other, so that two of them make no circle. An epic that the caller cannot read is as one that does not exist; in the
 * group of one that they can read, they need the role that adds issues to it.
 * @param id of the epic; null for a new one
 * @throws ApiError 400
 */
export async function requireParent(
  platform: Platform,
  tx: Tx,
  group: Group,
  actor: Actor,
  id: number | null,
  parentId: number,
): Promise<void> {
  const root = await rootGroupOf(tx, group.id)
  await acquireLock(tx, `epics:${root}`)
  const [parent] = await readableEpics(platform, tx, [...(await epicsByIds(tx, [parentId])).values()], actor)
  if (
    !parent ||
    !mayInGroup(actor, parent.group, 'assign_epic_issues') ||
    (await rootGroupOf(tx, parent.group_id)) !== root
  ) {
    throw refused('must be an epic in the same tree of groups')
  }
  const above = await lineage(tx, parentId)
  if (id !== null && above.includes(id)) throw refused('cannot be the epic itself or one below it')
  const below = id === null ? 0 : await depthBelow(tx, id)
  if (above.length + 1 + below > mostLevels) throw refused(`hierarchy is too deep (maximum is ${mostLevels} levels)`)
}
