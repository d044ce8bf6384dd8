import { type Actor, dayOf, failure, forbidden, notFound } from '../../../api/index.ts'
import { isUniqueViolation, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import {
  capVisibility,
  holdTree,
  isPathTaken,
  moveNamespace,
  type NamespaceRow,
  namespaceById,
  refreshMarks,
  refusesWritesIn,
} from '../../namespaces/index.ts'
import { type Group, mayCreateSubgroup, mayCreateTopLevel, visibleGroup } from '../access.ts'
import { groupDetailOf } from '../core/detail.ts'
import { depthOf, isBelow, isNameTaken } from '../core/store.ts'
import { maximumDepth } from '../core/validation.ts'

const failed = (reason: string) => failure(400, `Transfer failed: ${reason}`)
const samePath = () => failed('The parent group already has a subgroup or a project with the same path.')

/** @throws ApiError 400 when the caller may not create groups at the top level; 404 when the caller may not see the group */
async function destination(platform: Platform, actor: Actor, parentId: number | undefined): Promise<Group | null> {
  const { database, clock } = platform
  if (parentId !== undefined) return visibleGroup(database.read, parentId, actor, dayOf(clock.now()))
  if (!(await mayCreateTopLevel(database.read, actor))) throw failed("You don't have enough permissions.")
  return null
}

/** Locks both trees, in the order of the ids so that two transfers do not deadlock. */
async function locked(tx: Tx, id: number, parentId: number | null): Promise<[NamespaceRow, NamespaceRow | null]> {
  const ids = parentId === null ? [id] : [id, parentId].sort((a, b) => a - b)
  for (const one of ids) await holdTree(tx, one)
  const row = await namespaceById(tx, id)
  const parent = parentId === null ? null : await namespaceById(tx, parentId)
  if (!row || row.pending_delete || (parentId !== null && (!parent || parent.pending_delete))) throw notFound('Group')
  if (refusesWritesIn(row) || parent?.archived) throw forbidden()
  return [row, parent]
}

/** @throws ApiError 400 when path or name are taken, or the tree would be too deep */
async function requireRoom(tx: Tx, row: NamespaceRow, parent: NamespaceRow | null): Promise<void> {
  if (await isPathTaken(tx, parent ? `${parent.full_path}/${row.path}` : row.path)) throw samePath()
  if (!parent) return
  if (await isNameTaken(tx, parent.id, row.name)) throw failed('Name has already been taken.')
  const depth = (await depthOf(tx, parent.id)) + 1 + (await depthOf(tx, row.id, 'below'))
  if (depth > maximumDepth) throw failed('Parent has too deep level of nesting.')
}

const rootOf = (path: string) => path.split('/', 1)[0] ?? ''

/** npm packages name the path of their top-level group (contract 23 R11). @throws ApiError 400 when it would be another */
async function requireFreeScope(platform: Platform, tx: Tx, row: NamespaceRow, parent: NamespaceRow | null) {
  const root = rootOf(row.full_path)
  if (root === rootOf(parent?.full_path ?? row.path)) return
  if (await platform.ports['groups.scoped_packages'](platform, tx, { groupId: row.id }, root)) {
    throw failed('Group contains projects with NPM packages scoped to the current root level group.')
  }
}

async function move(platform: Platform, tx: Tx, row: NamespaceRow, parent: NamespaceRow | null): Promise<NamespaceRow> {
  const { name, path } = row
  await moveNamespace(platform, tx, row, { name, path, parent })
  if (parent) await capVisibility(tx, row.id, parent.visibility)
  await refreshMarks(platform, tx, row.id)
  await react(platform, tx, 'group.moved', { groupId: row.id })
  return (await namespaceById(tx, row.id)) as NamespaceRow
}

/**
 * Moves a group below another one, or to the top level (contract 21, x.groups_transfer): old paths redirect, visibility is
 * lowered to the new parent's.
 * @param parentId undefined for the top level
 * @throws ApiError 400 `Transfer failed: …`, 404 Group
 */
export async function transferGroup(platform: Platform, actor: Actor, group: Group, parentId: number | undefined) {
  if (parentId === undefined && group.parent_id === null) throw failed('Group is already a root group.')
  const target = await destination(platform, actor, parentId)
  if (target && target.id === group.parent_id) throw failed('Group is already associated to the parent group.')
  if (target && !mayCreateSubgroup(actor, target)) throw failed("You don't have enough permissions.")
  const row = await platform.database
    .write(async (tx) => {
      const [current, parent] = await locked(tx, group.id, target?.id ?? null)
      if (parent && (await isBelow(tx, parent.id, current.id))) {
        throw failed('Cannot transfer group to one of its subgroup.')
      }
      await requireRoom(tx, current, parent)
      await requireFreeScope(platform, tx, current, parent)
      return move(platform, tx, current, parent)
    })
    .catch((error) => {
      throw isUniqueViolation(error) ? samePath() : error
    })
  return groupDetailOf(platform, actor, row)
}
