import { failure } from '../../../api/index.ts'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { Events, Reaction } from '../../../platform/index.ts'
import { keepMilestones, unusableMilestones, usableMilestones, usableMilestonesTitled } from '../../milestones/index.ts'
import type { Project, ProjectRow } from '../../projects/index.ts'
import * as store from './store.ts'

/** The milestones that a request names, by title and by id. */
type Named = { milestones?: readonly string[]; milestone_ids?: readonly number[] }

const refOf = ({ id, namespace_id }: Pick<ProjectRow, 'id' | 'namespace_id'>) =>
  ({ kind: 'project', id, namespaceId: namespace_id }) as const

/**
 * The ids of the milestones that a request names, which the project or a group above it has; undefined when it names none
 * (contract 22, x.releases_create).
 * @throws ApiError 400
 */
export async function namedMilestones(
  db: Reader,
  project: Project,
  { milestones: titles, milestone_ids: ids }: Named,
): Promise<number[] | undefined> {
  if (titles === undefined && ids === undefined) return undefined
  const parent = refOf(project)
  const titled = await usableMilestonesTitled(db, parent, titles ?? [])
  const identified = await usableMilestones(db, parent, ids ?? [])
  const missing = [
    ...new Set((titles ?? []).filter((title) => !titled.has(title))),
    ...new Set((ids ?? []).filter((id) => !identified.has(id))),
  ]
  if (missing.length > 0) throw failure(400, `Milestone(s) not found: ${missing.join(', ')}`)
  return [...new Set([...titled.values(), ...identified.values()].map(({ id }) => id))]
}

/**
 * As `namedMilestones`, which are kept until the transaction ends: they are about to be stored with a release.
 * @throws ApiError 400 also when one was deleted meanwhile
 */
export async function keepNamedMilestones(tx: Tx, project: Project, named: Named): Promise<number[] | undefined> {
  const ids = await namedMilestones(tx, project, named)
  const kept = await keepMilestones(tx, ids ?? [])
  return ids?.every((id) => kept.has(id)) === false ? namedMilestones(tx, project, named) : ids
}

/** Releases have the milestone that replaces others. */
export const mergeReleaseMilestones: Reaction<Events['milestones.merged']> = (_platform, tx, merged) =>
  store.mergeMilestones(tx, merged)

async function dropUnusable(tx: Tx, project: Pick<ProjectRow, 'id' | 'namespace_id'>): Promise<void> {
  const lost = await unusableMilestones(tx, refOf(project), await store.milestonesInUse(tx, project.id))
  if (lost.length > 0) await store.removeMilestones(tx, project.id, lost)
}

/** Removes milestones that the projects below a moved group no longer inherit from their releases (contract 17, "Rules"). */
export const dropMilestonesBelow: Reaction<Events['group.moved']> = async (_platform, tx, { groupId }) => {
  for (const project of await store.projectsWithMilestones(tx, groupId)) await dropUnusable(tx, project)
}
