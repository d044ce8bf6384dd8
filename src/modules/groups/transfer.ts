import { type Actor, dayOf, failure, forbidden, notFound } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, isUniqueViolation, now, type Tx } from '../../infra/database/index.ts'
import {
  holdTree,
  isPathTaken,
  moveNamespace,
  type NamespaceRow,
  namespaceById,
  refreshMarks,
} from '../namespaces/index.ts'
import { type Group, mayCreateSubgroup, visibleGroup } from './access.ts'
import type { GroupPresenting } from './presenting.ts'
import { mayCreateTopLevel } from './rights.ts'
import { capVisibility, depthOf, heightOf, isBelow, isNameTaken } from './store/groups.ts'
import { maximumDepth } from './validation.ts'

export type TransferNeeds = { database: Database; clock: Clock; presenting: GroupPresenting }

/** Moving groups (contract 21, x.groups_transfer). */
export type GroupTransfer = ReturnType<typeof createGroupTransfer>

const failed = (reason: string) => failure(400, `Transfer failed: ${reason}`)
const samePath = () => failed('The parent group already has a subgroup or a project with the same path.')

export function createGroupTransfer({ database, clock, presenting }: TransferNeeds) {
  const db = database.read

  /** @throws ApiError 400 when the actor may not put groups there; 404 when the actor does not see the place */
  async function destination(actor: Actor, parentId: number | undefined): Promise<Group | null> {
    if (parentId === undefined) {
      if (!(await mayCreateTopLevel(db, actor))) throw failed("You don't have enough permissions.")
      return null
    }
    return visibleGroup(db, parentId, actor, dayOf(clock.now()))
  }

  /** Both trees under their locks, always in the same order, so that two transfers never wait for each other. */
  async function held(tx: Tx, id: number, parentId: number | null): Promise<[NamespaceRow, NamespaceRow | null]> {
    const ids = parentId === null ? [id] : [id, parentId].sort((a, b) => a - b)
    for (const one of ids) await holdTree(tx, one)
    const row = await namespaceById(tx, id)
    const parent = parentId === null ? null : await namespaceById(tx, parentId)
    if (!row || row.pending_delete || (parentId !== null && (!parent || parent.pending_delete))) throw notFound('Group')
    if (row.marked_for_deletion_on !== null) throw forbidden()
    return [row, parent]
  }

  async function requireRoom(tx: Tx, row: NamespaceRow, parent: NamespaceRow | null): Promise<void> {
    if (await isPathTaken(tx, parent ? `${parent.full_path}/${row.path}` : row.path)) throw samePath()
    if (!parent) return
    if (await isNameTaken(tx, parent.id, row.name)) throw failed('Name has already been taken.')
    const depth = (await depthOf(tx, parent.id)) + 1 + (await heightOf(tx, row.id))
    if (depth > maximumDepth) throw failed('Parent has too deep level of nesting.')
  }

  async function move(tx: Tx, row: NamespaceRow, parent: NamespaceRow | null): Promise<NamespaceRow> {
    const { name, path } = row
    await moveNamespace(tx, row, { name, path, parent }, now(clock))
    if (parent) await capVisibility(tx, row.id, parent.visibility)
    await refreshMarks(tx, row.id)
    return (await namespaceById(tx, row.id)) as NamespaceRow
  }

  return {
    /**
     * Moves a group below another one, or to the top: paths redirect, visibility is lowered to the new parent's.
     * @param parentId undefined for the top
     * @throws ApiError 400 `Transfer failed: …`, 404 Group
     */
    async transfer(actor: Actor, group: Group, parentId: number | undefined) {
      if (parentId === undefined && group.parent_id === null) throw failed('Group is already a root group.')
      const target = await destination(actor, parentId)
      if (target && target.id === group.parent_id) throw failed('Group is already associated to the parent group.')
      if (target && !mayCreateSubgroup(actor, target)) throw failed("You don't have enough permissions.")
      const row = await database
        .write(async (tx) => {
          const [current, parent] = await held(tx, group.id, target?.id ?? null)
          if (parent && (await isBelow(tx, parent.id, current.id))) {
            throw failed('Cannot transfer group to one of its subgroup.')
          }
          await requireRoom(tx, current, parent)
          return move(tx, current, parent)
        })
        .catch((error) => {
          throw isUniqueViolation(error) ? samePath() : error
        })
      return presenting.detailOf(actor, row)
    },
  }
}
