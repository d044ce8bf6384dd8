import { sql } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import { columnsOf, type IssuableRef, type IssuableType } from '../issuable.ts'
import { refersTo, refersToAny } from '../store.ts'

/** The ids of the assignees of each of these issuables, in the order of assignment; in one query. */
export async function assigneesOf(
  db: Reader,
  type: IssuableType,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('issuable_assignees')
    .select(['issuable_id', 'user_id'])
    .where(refersToAny(db, type, ids))
    .orderBy('issuable_id')
    .orderBy('position')
    .execute()
  const grouped = Map.groupBy(rows, ({ issuable_id }) => issuable_id)
  return new Map([...grouped].map(([id, assigned]) => [id, assigned.map(({ user_id }) => user_id)]))
}

/** Stores the assignees of an issuable in place of the present ones. */
export async function replaceAssignees(tx: Tx, target: IssuableRef, userIds: readonly number[]): Promise<void> {
  await tx.deleteFrom('issuable_assignees').where(refersTo(target)).execute()
  if (userIds.length === 0) return
  const rows = userIds.map((user_id, position) => ({ ...columnsOf(target), user_id, position }))
  await tx.insertInto('issuable_assignees').values(rows).execute()
}

/** Which of these issuables a user is assigned to. */
export async function assignedTo(
  db: Reader,
  userId: number,
  type: IssuableType,
  ids: readonly number[],
): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const query = db.selectFrom('issuable_assignees').select('issuable_id').where('user_id', '=', userId)
  const rows = await query
    .where('issuable_type', '=', type)
    .where(within(db, 'issuable_id', ids))
    .execute()
  return new Set(rows.map(({ issuable_id }) => issuable_id))
}

/** Removes a user from the assignees of all issues and merge requests of a project, or of the projects in and below a group. */
export async function removeAssignments(
  tx: Tx,
  userId: number,
  { kind, id }: { kind: 'project' | 'group'; id: number },
): Promise<void> {
  const isBelow =
    kind === 'project'
      ? sql<boolean>`project_id = ${id}`
      : sql<boolean>`project_id in (
          select projects.id from projects
          join namespace_ancestors on namespace_ancestors.namespace_id = projects.namespace_id
          where namespace_ancestors.ancestor_id = ${id})`
  await tx.deleteFrom('issuable_assignees').where('user_id', '=', userId).where(isBelow).execute()
}
