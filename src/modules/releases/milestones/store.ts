import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { Events } from '../../../platform/index.ts'
import { type MilestoneRow, milestonesByIds } from '../../milestones/index.ts'

/** The milestones of each of these releases, by id; in two queries. Releases without milestones are absent. */
export async function milestonesOf(
  db: Reader,
  releaseIds: readonly number[],
): Promise<ReadonlyMap<number, MilestoneRow[]>> {
  if (releaseIds.length === 0) return new Map()
  const links = await db
    .selectFrom('release_milestones')
    .selectAll()
    .where(within(db, 'release_id', releaseIds))
    .orderBy('milestone_id')
    .execute()
  const rows = await milestonesByIds(
    db,
    links.map(({ milestone_id }) => milestone_id),
  )
  const grouped = Map.groupBy(links, ({ release_id }) => release_id)
  return new Map([...grouped].map(([id, own]) => [id, own.flatMap(({ milestone_id }) => rows.get(milestone_id) ?? [])]))
}

/** Replaces the milestones of a release. */
export async function replaceMilestones(tx: Tx, releaseId: number, milestoneIds: readonly number[]): Promise<void> {
  await tx.deleteFrom('release_milestones').where('release_id', '=', releaseId).execute()
  if (milestoneIds.length === 0) return
  const rows = milestoneIds.map((milestone_id) => ({ release_id: releaseId, milestone_id }))
  await tx.insertInto('release_milestones').values(rows).execute()
}

/** Gives the releases with one of these milestones another one instead. @param merged `projectId`: only in this project */
export async function mergeMilestones(
  tx: Tx,
  { milestoneIds, intoId, projectId }: Events['milestones.merged'],
): Promise<void> {
  const ofProject = tx
    .selectFrom('releases')
    .select('id')
    .where('project_id', '=', projectId ?? 0)
  const query = tx
    .deleteFrom('release_milestones')
    .where(within(tx, 'milestone_id', milestoneIds))
    .$if(projectId !== undefined, (all) => all.where('release_id', 'in', ofProject))
  const ids = (await query.returning('release_id').execute()).map(({ release_id }) => release_id)
  if (ids.length === 0) return
  await tx
    .insertInto('release_milestones')
    .values([...new Set(ids)].map((release_id) => ({ release_id, milestone_id: intoId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The ids of the milestones that the releases of a project have. */
export async function milestonesInUse(db: Reader, projectId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('release_milestones')
    .innerJoin('releases', 'releases.id', 'release_milestones.release_id')
    .select('release_milestones.milestone_id as id')
    .distinct()
    .where('releases.project_id', '=', projectId)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Removes milestones from the releases of a project. */
export async function removeMilestones(tx: Tx, projectId: number, milestoneIds: readonly number[]): Promise<void> {
  const ofProject = tx.selectFrom('releases').select('id').where('project_id', '=', projectId)
  await tx
    .deleteFrom('release_milestones')
    .where('release_id', 'in', ofProject)
    .where(within(tx, 'milestone_id', milestoneIds))
    .execute()
}

/** The projects below a group whose releases have milestones. */
export async function projectsWithMilestones(
  db: Reader,
  groupId: number,
): Promise<{ id: number; namespace_id: number }[]> {
  return db
    .selectFrom('namespace_ancestors')
    .innerJoin('projects', 'projects.namespace_id', 'namespace_ancestors.namespace_id')
    .innerJoin('releases', 'releases.project_id', 'projects.id')
    .innerJoin('release_milestones', 'release_milestones.release_id', 'releases.id')
    .select(['projects.id', 'projects.namespace_id'])
    .distinct()
    .where('namespace_ancestors.ancestor_id', '=', groupId)
    .orderBy('projects.id')
    .execute()
}
