import { type Actor, failure, invalid } from '../../../api/index.ts'
import { acquireLock, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type Group, mayInGroup } from '../../groups/index.ts'
import { readableEpics } from './readable.ts'
import { depthBelow, epicsByIds, lineage, rootGroupOf } from './store.ts'

/** Epics above and below each other, at most. */
const mostLevels = 7

const refused = (reason: string) => invalid({ parent: [reason] })

/**
 * Lets all changes of trees of epics wait for each other, so that several of them together make no circle. A tree spans any number of
 * groups, so there is one lock for all.
 */
export const holdTrees = (tx: Tx): Promise<void> => acquireLock(tx, 'epic trees')

/** What is against putting an epic below another one, which is held: a circle, or too many levels. @param id null for a new epic */
async function placeProblem(tx: Tx, id: number | null, parentId: number): Promise<'circle' | 'depth' | null> {
  const above = await lineage(tx, parentId)
  if (id !== null && above.includes(id)) return 'circle'
  const below = id === null ? 0 : await depthBelow(tx, id)
  return above.length + 1 + below > mostLevels ? 'depth' : null
}

const sentences = {
  circle: 'This epic cannot be added. It is an ancestor of the parent epic.',
  depth: `This epic cannot be added. One or more epics would exceed the maximum depth (${mostLevels}) from its most distant parent.`,
} as const

/**
 * Requires that an epic may become a child of another one, of any group (contract 26, x.epic_child_add). The trees have to be held.
 * @param id of the child; null for a new one
 * @throws ApiError 422
 */
export async function requireChild(tx: Tx, id: number | null, parentId: number): Promise<void> {
  const problem = await placeProblem(tx, id, parentId)
  if (problem) throw failure(422, sentences[problem])
}

/**
 * Requires that an epic may be put below another one (contract 17, x.epic_create). An epic that the caller cannot read is as one that does not exist; in the
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
  await holdTrees(tx)
  const [parent] = await readableEpics(platform, tx, [...(await epicsByIds(tx, [parentId])).values()], actor)
  if (
    !parent ||
    !mayInGroup(actor, parent.group, 'assign_epic_issues') ||
    (await rootGroupOf(tx, parent.group_id)) !== (await rootGroupOf(tx, group.id))
  ) {
    throw refused('must be an epic in the same tree of groups')
  }
  const problem = await placeProblem(tx, id, parentId)
  if (problem === 'circle') throw refused('cannot be the epic itself or one below it')
  if (problem === 'depth') throw refused(`hierarchy is too deep (maximum is ${mostLevels} levels)`)
}
