import { failure, invalid, type PageRequest, pageOfList, recordNotFound, type Unmodified } from '../../../api/index.ts'
import { claim, isUniqueViolation, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { keepIteration, usableIteration } from '../../iterations/index.ts'
import { labelsByIds, unusableLabels } from '../../labels/index.ts'
import { keepMilestones, usableMilestone } from '../../milestones/index.ts'
import type { ProjectOrGroup } from '../../projects/index.ts'
import { presentingUsers } from '../../users/index.ts'
import { requireBoard, requireMember, targetNotFound } from '../core/boards.ts'
import type { Parent } from '../core/store.ts'
import type { NewList } from '../params.ts'
import { BoardList, type PlacedList } from '../present.ts'
import { type ListKind, listKinds } from '../tables.ts'
import { placedLists } from './facts.ts'
import * as store from './store/lists.ts'

/** Lists of one board (contract 25, limits). */
export const mostLists = 100

/** A list as the path of a request names it. */
type ListKey = { board_id: number; list_id: number }

async function present(platform: Platform, lists: readonly PlacedList[]) {
  const { externalUrl, clock } = platform
  const view = { externalUrl, clock, users: await presentingUsers(platform) }
  return lists.map((list) => BoardList.present(list, view))
}

/** All lists of a board, which has at most `mostLists`, by position. @throws ApiError 404 */
async function listsOf(db: Reader, parent: Parent, boardId: number): Promise<readonly PlacedList[]> {
  const { id } = await requireBoard(db, parent, boardId)
  return (await placedLists(db, [id])).get(id) ?? []
}

/** A page of the lists of a board, by position (contract 25, x.board_list_list). @throws ApiError 404 */
export async function listLists(platform: Platform, parent: Parent, boardId: number, page: PageRequest) {
  const found = pageOfList([...(await listsOf(platform.database.read, parent, boardId))], page)
  return { ...found, items: await present(platform, found.items) }
}

/** Presents a list as it is stored now. @throws ApiError 404 */
async function presentOne(platform: Platform, parent: Parent, { board_id, list_id }: ListKey) {
  const lists = await listsOf(platform.database.read, parent, board_id)
  const [list] = await present(
    platform,
    lists.filter(({ id }) => id === list_id),
  )
  if (!list) throw recordNotFound()
  return list
}

/** One list (contract 25, x.board_list_get). @throws ApiError 404 */
export function getList(platform: Platform, parent: Parent, key: ListKey) {
  return presentOne(platform, parent, key)
}

/** Whether a project or group can have lists for what an id names, which is kept until the transaction ends. */
const isUsable: Readonly<Record<Exclude<ListKind, 'assignee'>, Usable>> = {
  label: async (tx, parent, id) =>
    (await labelsByIds(tx, [id])).has(id) && (await unusableLabels(tx, parent, [id])).length === 0,
  milestone: async (tx, parent, id) =>
    (await usableMilestone(tx, parent, id)) !== null && (await keepMilestones(tx, [id])).has(id),
  iteration: async (tx, { namespaceId }, id) =>
    (await usableIteration(tx, namespaceId, id)) !== null && (await keepIteration(tx, id)),
}
type Usable = (tx: Tx, parent: ProjectOrGroup, id: number) => Promise<boolean>

const titleOf = (kind: ListKind) => `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`

/** The column of a new list. @throws ApiError 400 when the project or group cannot use what it names */
async function targetOf(platform: Platform, tx: Tx, parent: ProjectOrGroup, kind: ListKind, id: number) {
  if (kind === 'assignee') await requireMember(platform, tx, parent, id)
  else if (!(await isUsable[kind](tx, parent, id))) throw targetNotFound(titleOf(kind))
  return { [`${kind}_id`]: id }
}

/** The one kind of list that a request names, with its id. */
function namedIn(given: NewList): readonly [ListKind, number] {
  const [found] = listKinds.flatMap((kind) => {
    const id = given[`${kind}_id`]
    return id === undefined ? [] : [[kind, id] as const]
  })
  if (!found) throw new Error('a list is created for nothing')
  return found
}

/** Locks a board, so that its lists change by one caller at a time. @throws ApiError 404 */
async function heldLists(tx: Tx, parent: Parent, boardId: number) {
  const board = await claim(tx, 'boards', () => requireBoard(tx, parent, boardId))
  return store.listsOfBoards(tx, [board.id])
}

/** Appends a list to a board (contract 25, x.board_list_create). @throws ApiError 400, 404 */
export async function createList(platform: Platform, parent: ProjectOrGroup, board_id: number, given: NewList) {
  const [kind, id] = namedIn(given)
  const at = now(platform.clock)
  const insertion = platform.database.write(async (tx) => {
    const lists = await heldLists(tx, parent, board_id)
    const target = await targetOf(platform, tx, parent, kind, id)
    if (lists.length >= mostLists) throw invalid({ base: [`Maximum number of lists (limit ${mostLists}) exceeded`] })
    const rank = (lists.at(-1)?.rank ?? -1) + 1
    return store.insertList(tx, { board_id, ...target, rank, created_at: at, updated_at: at })
  })
  const { id: list_id } = await insertion.catch((error: unknown) => {
    throw isUniqueViolation(error) ? failure(400, { error: `${titleOf(kind)} has already been taken` }) : error
  })
  return presentOne(platform, parent, { board_id, list_id })
}

/** Moves a list to a position, counted without it (contract 25, x.board_list_move). @throws ApiError 400, 404 */
export async function moveList(platform: Platform, parent: Parent, key: ListKey, position: number) {
  const at = now(platform.clock)
  await platform.database.write(async (tx) => {
    const lists = await heldLists(tx, parent, key.board_id)
    const list = lists.find(({ id }) => id === key.list_id)
    if (!list) throw recordNotFound()
    if (position < 0 || position >= lists.length) throw failure(400, { error: 'List could not be moved!' })
    const ordered = lists.filter(({ id }) => id !== list.id)
    await store.rankLists(tx, ordered.toSpliced(position, 0, list), { id: list.id, at })
  })
  return presentOne(platform, parent, key)
}

/** Deletes a list (contract 25, x.board_list_delete). @throws ApiError 404; 412 by `unmodified` */
export async function deleteList(
  { database }: Platform,
  parent: Parent,
  { board_id, list_id }: ListKey,
  unmodified: Unmodified,
): Promise<void> {
  await database.write(async (tx) => {
    const list = (await heldLists(tx, parent, board_id)).find(({ id }) => id === list_id)
    if (!list) throw recordNotFound()
    unmodified(list.updated_at)
    await store.removeList(tx, list_id)
  })
}
