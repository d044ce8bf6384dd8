import { type Actor, failure, recordNotFound } from '../../api/index.ts'
import { now, type Tx } from '../../infra/database/index.ts'
import { type Platform, react } from '../../platform/index.ts'
import { nextInternalId } from '../../platform/internal-ids/index.ts'
import { fromProject, groupOfProject, type Project } from '../projects/index.ts'
import { heldTreeOf, requireMilestone } from './milestones.ts'
import { Milestone } from './present.ts'
import * as store from './store/milestones.ts'
import type { MilestoneRow } from './tables.ts'

/** Makes a milestone one of the group, unless the group has one with its title. @returns its id, and those it replaces */
async function raise(tx: Tx, groupId: number, row: MilestoneRow, at: string): Promise<[number, number[]]> {
  const found = await store.sameTitledBelow(tx, groupId, row.title)
  const id = found.find(({ namespace_id }) => namespace_id !== null)?.id ?? row.id
  if (id === row.id) {
    const iid = await nextInternalId(tx, { namespaceId: groupId }, 'milestones')
    await store.updateMilestone(tx, id, { project_id: null, namespace_id: groupId, iid, updated_at: at })
  }
  return [id, found.map((one) => one.id).filter((one) => one !== id)]
}

/**
 * Turns a milestone of a project into one of its group. The milestones with that title of all projects below the group are
 * merged into it (contract 17, x.milestone_promote).
 * @throws ApiError 400 when the project has no group, 403, 404
 */
export async function promoteMilestone(platform: Platform, project: Project, actor: Actor, id: number) {
  const own = fromProject(project)
  const group = await groupOfProject(platform, project, actor, 'admin_milestones')
  return platform.database.write(async (tx) => {
    await heldTreeOf(tx, own)
    const row = await requireMilestone(tx, own, id)
    if (!group) throw failure(400, 'Project does not belong to a group.')
    const sameTitled = await store.sameTitledBelow(tx, group.id, row.title)
    const held = await store.holdMilestones(
      tx,
      sameTitled.map((one) => one.id),
    )
    if (!held.includes(row.id)) throw recordNotFound()
    // Another promotion may have made it one of the group before it was held.
    await requireMilestone(tx, own, id)
    const [intoId, replaced] = await raise(tx, group.id, row, now(platform.clock))
    if (replaced.length > 0) {
      await react(platform, tx, 'milestones.merged', { milestoneIds: replaced, intoId })
      await store.deleteMilestones(tx, replaced)
    }
    return Milestone.present(await requireMilestone(tx, group, intoId), platform)
  })
}
