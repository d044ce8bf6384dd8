import { sql } from 'kysely'
import {
  insertSearched,
  type Reader,
  rows,
  type Tx,
  updateSearched,
  within,
  withinPairs,
} from '../../../infra/database/index.ts'
import { manualOrder } from '../positions/store.ts'
import { type EpicRow, type EpicRowChanges, epics, type NewEpicRow } from '../tables.ts'

export const { remove: deleteEpic } = rows(epics)

/** The order of the child epics of an epic. */
export const childOrder = manualOrder('epics', 'parent_id')

/** Epics with the full paths of their groups. */
const allEpics = (db: Reader) =>
  db
    .selectFrom('epics')
    .innerJoin('namespaces', 'namespaces.id', 'epics.group_id')
    .selectAll('epics')
    .select('namespaces.full_path as group_path')

/** These epics, by id. */
export async function epicsByIds(db: Reader, ids: readonly number[]): Promise<Map<number, EpicRow>> {
  if (ids.length === 0) return new Map()
  const rows = await allEpics(db)
    .where(within(db, 'epics.id', [...new Set(ids)]))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The epic with this iid in a group. */
export async function epicByIid(db: Reader, groupId: number, iid: number): Promise<EpicRow | null> {
  const query = allEpics(db).where('epics.group_id', '=', groupId).where('epics.iid', '=', iid)
  return (await query.executeTakeFirst()) ?? null
}

/** The epics with these numbers in their groups. */
export async function epicsAt(db: Reader, places: readonly { groupId: number; iid: number }[]): Promise<EpicRow[]> {
  if (places.length === 0) return []
  const pairs = places.map(({ groupId, iid }) => [groupId, iid] as const)
  return allEpics(db)
    .where(withinPairs(db, ['epics.group_id', 'epics.iid'], pairs))
    .execute()
}

/** The epic of a group or of a group above it with an iid and a title, that of the nearest group; null when there is none. */
export async function epicAtOrAbove(
  db: Reader,
  groupId: number,
  { iid, title }: { iid: number; title: string },
): Promise<number | null> {
  const found = await db
    .selectFrom('epics')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'epics.group_id')
    .select('epics.id')
    .where('namespace_ancestors.namespace_id', '=', groupId)
    .where('epics.iid', '=', iid)
    .where('epics.title', '=', title)
    .orderBy('namespace_ancestors.depth')
    .executeTakeFirst()
  return found?.id ?? null
}

export async function insertEpic(tx: Tx, epic: NewEpicRow): Promise<number> {
  const { id } = await tx.insertInto('epics').values(epic).returning('id').executeTakeFirstOrThrow()
  await insertSearched(tx, 'epics', { id, title: epic.title, description: epic.description ?? null })
  return id
}

export async function updateEpic(tx: Tx, id: number, changes: EpicRowChanges): Promise<void> {
  const query = tx.updateTable('epics').set(changes).where('id', '=', id).returning(['title', 'description'])
  const row = await query.executeTakeFirstOrThrow()
  if (changes.title !== undefined || changes.description !== undefined) await updateSearched(tx, 'epics', id, row)
}

/** The child epics of an epic in their manual order. */
export async function childrenOf(db: Reader, parentId: number): Promise<EpicRow[]> {
  const children = allEpics(db).where('epics.parent_id', '=', parentId)
  return children.orderBy('epics.relative_position').orderBy('epics.id').execute()
}

/** Takes an epic away from its parent. @returns whether it was a child of that one */
export async function takeFromParent(tx: Tx, id: number, parentId: number, at: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('epics')
    .set({ parent_id: null, updated_at: at })
    .where('id', '=', id)
    .where('parent_id', '=', parentId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** What refers to the epics of an author. */
export async function epicsOfAuthor(db: Reader, userId: number): Promise<Pick<EpicRow, 'id' | 'group_id' | 'iid'>[]> {
  return db.selectFrom('epics').select(['id', 'group_id', 'iid']).where('author_id', '=', userId).execute()
}

/** Gives the epics of a user to another one, as their author. */
export async function changeAuthor(tx: Tx, fromUserId: number, toUserId: number): Promise<void> {
  await tx.updateTable('epics').set({ author_id: toUserId }).where('author_id', '=', fromUserId).execute()
}

/** An epic of a tree, for its dates. */
export type TreeNode = Pick<
  EpicRow,
  'id' | 'parent_id' | 'start_date_fixed' | 'start_date_is_fixed' | 'due_date_fixed' | 'due_date_is_fixed'
>

/** These epics and all below them, in one query. */
export async function epicTrees(db: Reader, ids: readonly number[]): Promise<TreeNode[]> {
  if (ids.length === 0) return []
  return db
    .withRecursive('trees(id)', (query) =>
      query
        .selectFrom('epics')
        .select('epics.id')
        .where(within(db, 'epics.id', ids))
        .union(query.selectFrom('epics').innerJoin('trees', 'trees.id', 'epics.parent_id').select('epics.id')),
    )
    .selectFrom('epics')
    .innerJoin('trees', 'trees.id', 'epics.id')
    .select(['epics.id', 'epics.parent_id', 'epics.start_date_fixed', 'epics.start_date_is_fixed'])
    .select(['epics.due_date_fixed', 'epics.due_date_is_fixed'])
    .execute()
}

/** The earliest start and the latest due date of the milestones of an epic's issues; days, null without any. */
export type MilestoneDates = { start: string | null; due: string | null }

/** The dates of the milestones of the issues of each of these epics, in one query; epics without any are absent. */
export async function milestoneDates(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, MilestoneDates>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('epic_issues')
    .innerJoin('issues', 'issues.id', 'epic_issues.issue_id')
    .innerJoin('milestones', 'milestones.id', 'issues.milestone_id')
    .select((eb) => ['epic_issues.epic_id', eb.fn.min('milestones.start_date').as('start')])
    .select((eb) => eb.fn.max('milestones.due_date').as('due'))
    .where(within(db, 'epic_issues.epic_id', ids))
    .groupBy('epic_issues.epic_id')
    .execute()
  return new Map(rows.map(({ epic_id, ...dates }) => [epic_id, dates]))
}

/** Whether an epic has an issue that is not confidential. */
export async function hasPublicIssues(db: Reader, epicId: number): Promise<boolean> {
  const query = db
    .selectFrom('epic_issues')
    .innerJoin('issues', 'issues.id', 'epic_issues.issue_id')
    .select('epic_issues.id')
    .where('epic_issues.epic_id', '=', epicId)
    .where('issues.confidential', '=', false)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/** An epic and those above it, the epic first. */
export async function lineage(db: Reader, id: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive line(id, parent_id, depth) as (
      select id, parent_id, 0 from epics where id = ${id}
      union all
      select e.id, e.parent_id, line.depth + 1 from epics e join line on line.parent_id = e.id where line.depth < 100
    ) select id from line order by depth`.execute(db as never)
  return rows.map((row) => row.id)
}

/** The levels of epics below an epic; 0 without children. */
export async function depthBelow(db: Reader, id: number): Promise<number> {
  const { rows } = await sql<{ depth: number }>`
    with recursive below(id, depth) as (
      select id, 0 from epics where id = ${id}
      union all
      select e.id, below.depth + 1 from epics e join below on e.parent_id = below.id where below.depth < 100
    ) select max(depth) as depth from below`.execute(db as never)
  return Number(rows[0]?.depth ?? 0)
}

/** The highest group above a group, which is the group itself at the top level. */
export async function rootGroupOf(db: Reader, groupId: number): Promise<number> {
  const query = db.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_id', '=', groupId)
  return (await query.orderBy('depth', 'desc').limit(1).executeTakeFirst())?.ancestor_id ?? groupId
}
