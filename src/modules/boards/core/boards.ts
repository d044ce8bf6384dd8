import {
  type Actor,
  dayOf,
  failure,
  invalid,
  type PageRequest,
  recordNotFound,
  refuse,
  textProblems,
  type Unmodified,
} from '../../../api/index.ts'
import { acquireLock, type ChangesOf, claim, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { usersWithRole } from '../../access/index.ts'
import { usableLabels } from '../../labels/index.ts'
import { keepMilestones, usableMilestone } from '../../milestones/index.ts'
import { type ProjectOrGroup, presentBasicProject } from '../../projects/index.ts'
import { presentingUsers } from '../../users/index.ts'
import type { BoardChanges } from '../params.ts'
import { Board, type BoardsView, milestoneScopeOf, type PresentedBoard } from '../present.ts'
import type { BoardRow, boards } from '../tables.ts'
import { wholeBoards } from './facts.ts'
import * as store from './store.ts'

/** Boards of one project or group (contract 25, limits). */
export const mostBoards = 100

/** A board of the project or group itself. @throws ApiError 404 */
export async function requireBoard(db: Reader, parent: store.Parent, id: number): Promise<BoardRow> {
  const row = await store.ownBoard(db, parent, id)
  if (!row) throw recordNotFound()
  return row
}

/** What the boards of a project or group have in common. */
async function viewOf(platform: Platform, parent: ProjectOrGroup, actor: Actor): Promise<BoardsView> {
  const { externalUrl, clock } = platform
  const { project, group } = parent
  return {
    ...{ externalUrl, clock, users: await presentingUsers(platform) },
    project: project ? await presentBasicProject(platform, project, actor) : null,
    group: group ? { id: group.id, web_url: `${externalUrl}/groups/${group.full_path}`, name: group.name } : null,
  }
}

async function present(
  platform: Platform,
  parent: ProjectOrGroup,
  actor: Actor,
  rows: readonly BoardRow[],
): Promise<PresentedBoard[]> {
  if (rows.length === 0) return []
  const view = await viewOf(platform, parent, actor)
  return (await wholeBoards(platform.database.read, rows)).map((board) => Board.present(board, view))
}

async function presentOne(platform: Platform, parent: ProjectOrGroup, actor: Actor, row: BoardRow) {
  const [board] = await present(platform, parent, actor, [row])
  if (!board) throw recordNotFound()
  return board
}

/** A page of the boards of a project or group (contract 25, x.board_list). */
export async function listBoards(platform: Platform, parent: ProjectOrGroup, actor: Actor, page: PageRequest) {
  const found = await store.pageOfBoards(platform.database.read, parent, page)
  return { ...found, items: await present(platform, parent, actor, found.items) }
}

/** One board (contract 25, x.board_get). @throws ApiError 404 */
export async function getBoard(platform: Platform, parent: ProjectOrGroup, actor: Actor, id: number) {
  return presentOne(platform, parent, actor, await requireBoard(platform.database.read, parent, id))
}

const longestName = 255

/** @throws ApiError 400 */
function requireName(name: string): string {
  refuse({ name: textProblems(name, longestName) })
  return name.trim()
}

/** Creates a board without lists (contract 25, x.board_create). @throws ApiError 400 */
export async function createBoard(platform: Platform, parent: ProjectOrGroup, actor: Actor, given: string) {
  const name = requireName(given)
  const at = now(platform.clock)
  const row = await platform.database.write(async (tx) => {
    await acquireLock(tx, `boards:${parent.kind}:${parent.id}`)
    if ((await store.countBoards(tx, parent)) >= mostBoards) {
      throw invalid({ base: [`Maximum number of boards (limit ${mostBoards}) exceeded`] })
    }
    return store.insertBoard(tx, { ...store.parentColumns(parent), name, created_at: at, updated_at: at })
  })
  return presentOne(platform, parent, actor, row)
}

/** 400 for a label, milestone, iteration or user that the project or group cannot use (contract 25, Boards). */
export const targetNotFound = (name: string) => failure(400, { error: `${name} not found!` })

/** The columns of the milestone of a scope. @throws ApiError 400 */
async function milestoneColumns(tx: Tx, parent: ProjectOrGroup, id: number | null) {
  const scope = id === null ? undefined : milestoneScopeOf(id)
  if (id === null || scope) return { milestone_id: null, milestone_scope: scope ?? null }
  const found = await usableMilestone(tx, parent, id)
  if (!found || !(await keepMilestones(tx, [id])).has(id)) throw targetNotFound('Milestone')
  return { milestone_id: id, milestone_scope: null }
}

/** @throws ApiError 400 for a user without a role in the project or group */
export async function requireMember(
  { clock }: Pick<Platform, 'clock'>,
  db: Reader,
  parent: ProjectOrGroup,
  userId: number,
): Promise<number> {
  const members = await usersWithRole(db, parent, { userIds: [userId], today: dayOf(clock.now()) })
  if (!members.has(userId)) throw targetNotFound('User')
  return userId
}

/** The labels with these names. @throws ApiError 400 when one is of no label */
async function requireLabels(db: Reader, parent: ProjectOrGroup, names: readonly string[]): Promise<number[]> {
  const wanted = [...new Set(names)]
  const found = await usableLabels(db, parent, wanted)
  if (found.size < wanted.length) throw targetNotFound('Label')
  return [...found.values()].map(({ id }) => id)
}

/** The columns of a board that a request changes. @throws ApiError 400 */
async function columnsOf(platform: Platform, tx: Tx, parent: ProjectOrGroup, given: BoardChanges) {
  const { name, hide_backlog_list, hide_closed_list, assignee_id, milestone_id, weight } = given
  const columns: ChangesOf<typeof boards> = {}
  if (name !== undefined) columns.name = requireName(name)
  if (hide_backlog_list !== undefined) columns.hide_backlog_list = hide_backlog_list
  if (hide_closed_list !== undefined) columns.hide_closed_list = hide_closed_list
  if (weight !== undefined) columns.weight = weight
  if (milestone_id !== undefined) Object.assign(columns, await milestoneColumns(tx, parent, milestone_id))
  if (assignee_id !== undefined) {
    columns.assignee_id = assignee_id ? await requireMember(platform, tx, parent, assignee_id) : null
  }
  return columns
}

/** Changes a board (contract 25, x.board_update). @throws ApiError 400, 404 */
export async function updateBoard(
  platform: Platform,
  parent: ProjectOrGroup,
  actor: Actor,
  { id, changes }: { id: number; changes: BoardChanges },
) {
  const row = await platform.database.write(async (tx) => {
    await claim(tx, 'boards', () => requireBoard(tx, parent, id))
    const columns = await columnsOf(platform, tx, parent, changes)
    if (changes.labels) await store.setScopeLabels(tx, id, await requireLabels(tx, parent, changes.labels))
    return store.updateBoardRow(tx, id, { ...columns, updated_at: now(platform.clock) })
  })
  if (!row) throw recordNotFound()
  return presentOne(platform, parent, actor, row)
}

/** Deletes a board with its lists (contract 25, x.board_delete). @throws ApiError 404; 412 by `unmodified` */
export async function deleteBoard(
  { database }: Platform,
  parent: ProjectOrGroup,
  id: number,
  unmodified: Unmodified,
): Promise<void> {
  await database.write(async (tx) => {
    const row = await claim(tx, 'boards', () => requireBoard(tx, parent, id))
    unmodified(row.updated_at)
    await store.removeBoard(tx, id)
  })
}
