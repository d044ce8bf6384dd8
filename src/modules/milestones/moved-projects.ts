import { now, type Tx } from '../../infra/database/index.ts'
import { type Events, type Platform, type Reaction, react } from '../../platform/index.ts'
import { nextInternalId } from '../../platform/internal-ids/index.ts'
import { projectById } from '../projects/index.ts'
import * as store from './store/milestones.ts'
import { unusableMilestones, usableMilestonesTitled } from './store/usable.ts'
import type { MilestoneRow } from './tables.ts'

/** Makes a milestone of a project with the title, texts, state and dates of another one. @returns its id */
async function copyTo(
  { clock }: Pick<Platform, 'clock'>,
  tx: Tx,
  projectId: number,
  { title, description, state, start_date, due_date }: MilestoneRow,
): Promise<number> {
  const iid = await nextInternalId(tx, { projectId }, 'milestones')
  const moment = now(clock)
  const columns = { title, description, state, start_date, due_date, created_at: moment, updated_at: moment }
  return store.insertMilestone(tx, { project_id: projectId, namespace_id: null, iid, ...columns })
}

/**
 * Gives a project that has moved milestones of its own in place of those that it used and no longer inherits; a milestone
 * of that title that it has or inherits is used instead (contract 17, "Rules", moved projects).
 */
export const keepMilestonesOfProject: Reaction<Events['project.moved']> = async (platform, tx, moved) => {
  const project = await projectById(tx, moved.projectId)
  if (!project || project.namespace_id === moved.formerNamespaceId) return
  const parent = { kind: 'project' as const, id: project.id, namespaceId: project.namespace_id }
  const lost = await unusableMilestones(tx, parent, await platform.ports['milestones.in_use'](platform, tx, project.id))
  const rows = await store.milestonesByIds(tx, lost)
  for (const row of rows.values()) {
    const found = (await usableMilestonesTitled(tx, parent, [row.title])).get(row.title)
    const intoId = found?.id ?? (await copyTo(platform, tx, project.id, row))
    await react(platform, tx, 'milestones.merged', { milestoneIds: [row.id], intoId, projectId: project.id })
  }
}
