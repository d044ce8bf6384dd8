import { sql, type Updateable } from 'kysely'
import { type Condition, locked, type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { subtreeOf } from '../../namespaces/index.ts'
import { belongsTo, belongsToOrAbove, type ProjectOrGroupRef } from '../../projects/index.ts'
import { type MilestoneRow, type MilestonesTable, milestones, type NewMilestoneRow } from '../tables.ts'

export const { remove: deleteMilestones } = rows(milestones)

/** Milestones with the full paths of their projects and groups. */
export const allMilestones = (db: Reader) =>
  db
    .selectFrom('milestones')
    .leftJoin('projects', 'projects.id', 'milestones.project_id')
    .leftJoin('namespaces', 'namespaces.id', 'milestones.namespace_id')
    .selectAll('milestones')
    .select(sql<string>`coalesce(projects.full_path, namespaces.full_path)`.as('parent_path'))

/** These milestones, by id. */
export async function milestonesByIds(db: Reader, ids: readonly number[]): Promise<Map<number, MilestoneRow>> {
  if (ids.length === 0) return new Map()
  const rows = await allMilestones(db)
    .where(within(db, 'milestones.id', [...new Set(ids)]))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** A milestone of the project or group itself. */
export async function ownMilestone(db: Reader, parent: ProjectOrGroupRef, id: number): Promise<MilestoneRow | null> {
  const query = allMilestones(db).where('milestones.id', '=', id).where(belongsTo('milestones', parent))
  return (await query.executeTakeFirst()) ?? null
}

/** The id of the milestone of a project or group itself with a number; null when none has it. */
export async function milestoneWithIid(db: Reader, parent: ProjectOrGroupRef, iid: number): Promise<number | null> {
  const query = db.selectFrom('milestones').select('milestones.id').where('milestones.iid', '=', iid)
  return (await query.where(belongsTo('milestones', parent)).executeTakeFirst())?.id ?? null
}

/**
 * Whether a title is used by another milestone that the same issues could have: of the project or group, of the groups
 * above it, and of the groups and projects below a group.
 */
export async function isTitleUsed(
  db: Reader,
  parent: ProjectOrGroupRef,
  title: string,
  exceptId = 0,
): Promise<boolean> {
  const scopes = [belongsToOrAbove(db, 'milestones', parent)]
  if (parent.kind === 'group') {
    scopes.push(sql<boolean>`milestones.namespace_id in ${subtreeOf(parent.id)}`, isOfProjectBelow(parent.id))
  }
  const query = db
    .selectFrom('milestones')
    .select('milestones.id')
    .where('milestones.title', '=', title)
    .where('milestones.id', '<>', exceptId)
    .where(sql<boolean>`(${sql.join(scopes, sql` or `)})`)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

function isOfProjectBelow(groupId: number): Condition {
  return sql<boolean>`milestones.project_id in (select id from projects where namespace_id in ${subtreeOf(groupId)})`
}

/** The milestones with a title of the projects at any depth below a group, and of the group itself. */
export async function sameTitledBelow(db: Reader, groupId: number, title: string) {
  const own = belongsTo('milestones', { kind: 'group', id: groupId })
  const query = db.selectFrom('milestones').select(['id', 'namespace_id']).where('title', '=', title)
  return query
    .where(sql<boolean>`(${own} or ${isOfProjectBelow(groupId)})`)
    .orderBy('id')
    .execute()
}

/** @throws UniqueViolation when the project or group has a milestone with the title */
export async function insertMilestone(tx: Tx, milestone: NewMilestoneRow): Promise<number> {
  return (await tx.insertInto('milestones').values(milestone).returning('id').executeTakeFirstOrThrow()).id
}

/** @throws UniqueViolation when the project or group has a milestone with the title */
export async function updateMilestone(tx: Tx, id: number, changes: Updateable<MilestonesTable>): Promise<void> {
  await tx.updateTable('milestones').set(changes).where('id', '=', id).execute()
}

/** Locks these milestones until the transaction ends: nothing is stored with them meanwhile. @returns those that are there */
export async function holdMilestones(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const query = tx
    .selectFrom('milestones')
    .select('id')
    .where(within(tx, 'id', ids))
    .orderBy('id')
  const rows = await locked(tx, query).execute()
  return rows.map(({ id }) => id)
}
