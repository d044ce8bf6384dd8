import { sql } from 'kysely'
import { locked, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import { belongsToOrAbove, type ProjectOrGroupRef } from '../../projects/index.ts'
import type { MilestoneRow } from '../tables.ts'
import { allMilestones } from './milestones.ts'

/** A milestone of a project or group or of a group above it; null for any other (contract 16, x.issue_create). */
export async function usableMilestone(db: Reader, parent: ProjectOrGroupRef, id: number): Promise<MilestoneRow | null> {
  return (await usableMilestones(db, parent, [id])).get(id) ?? null
}

/** Of these milestones those of a project or group and of the groups above it, by id. */
export async function usableMilestones(
  db: Reader,
  parent: ProjectOrGroupRef,
  ids: readonly number[],
): Promise<Map<number, MilestoneRow>> {
  if (ids.length === 0) return new Map()
  const query = allMilestones(db).where(within(db, 'milestones.id', [...new Set(ids)]))
  const rows = await query
    .where(belongsToOrAbove(db, 'milestones', parent))
    .orderBy('milestones.id')
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The milestones with these titles of a project or group and of the groups above it, by title; of equal ones the nearest. */
export async function usableMilestonesTitled(
  db: Reader,
  parent: ProjectOrGroupRef,
  titles: readonly string[],
): Promise<Map<string, MilestoneRow>> {
  if (titles.length === 0) return new Map()
  const rows = await allMilestones(db)
    .leftJoin('namespace_ancestors', (join) =>
      join
        .onRef('namespace_ancestors.ancestor_id', '=', 'milestones.namespace_id')
        .on('namespace_ancestors.namespace_id', '=', parent.namespaceId),
    )
    .where(belongsToOrAbove(db, 'milestones', parent))
    .where(within(db, 'milestones.title', [...new Set(titles)]))
    .orderBy((eb) => eb.fn.coalesce('namespace_ancestors.depth', eb.lit(-1)), 'desc')
    .execute()
  return new Map(rows.map((row) => [row.title, row]))
}

/** Of these milestones those that neither belong to a project or group nor to a group above it. */
export async function unusableMilestones(
  db: Reader,
  parent: ProjectOrGroupRef,
  ids: readonly number[],
): Promise<number[]> {
  if (ids.length === 0) return []
  const query = db
    .selectFrom('milestones')
    .select('milestones.id')
    .where(within(db, 'milestones.id', [...new Set(ids)]))
    .where(sql<boolean>`${belongsToOrAbove(db, 'milestones', parent)} is not true`)
  return (await query.orderBy('milestones.id').execute()).map(({ id }) => id)
}

/**
 * Keeps these milestones until the transaction ends: they are about to be stored with something.
 * @returns those that were not deleted meanwhile
 */
export async function keepMilestones(tx: Tx, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const query = tx
    .selectFrom('milestones')
    .select('id')
    .where(within(tx, 'id', ids))
    .orderBy('id')
  const rows = await locked(tx, query, 'key share').execute()
  return new Set(rows.map(({ id }) => id))
}
