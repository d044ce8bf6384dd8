import { type Actor, failure } from '../../../api/index.ts'
import { isUniqueViolation, now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { fromProject, groupOfProject, type Project, type ProjectOrGroup } from '../../projects/index.ts'
import { type LabelKey, requireOwnLabel } from '../core/find.ts'
import { GroupLabel } from '../core/present.ts'
import { deleteLabels, ownLabel, updateLabel } from '../core/store.ts'
import type { LabelRow } from '../tables.ts'
import { lockPromotions, moveTo, sameTitledBelow } from './store.ts'

const noGroup = () => failure(400, 'Failed to promote project label to group label')

/** Makes a label one of the group; if the group has one with its title, that one stays. @returns it, and those it replaces */
async function raise(tx: Tx, group: ProjectOrGroup, label: LabelRow, at: string): Promise<[LabelRow, number[]]> {
  const others = await sameTitledBelow(tx, group.id, label)
  const existing = await ownLabel(tx, group, { title: label.title })
  if (existing) return [existing, [label.id, ...others]]
  const columns = { project_id: null, namespace_id: group.id, updated_at: at }
  return [(await updateLabel(tx, label.id, columns)) ?? label, others]
}

async function promote(
  platform: Platform,
  project: ProjectOrGroup,
  group: ProjectOrGroup,
  key: LabelKey,
  actor: Actor,
) {
  return platform.database.write(async (tx) => {
    await lockPromotions(tx, group.id)
    const label = await requireOwnLabel(tx, project, key)
    const [promoted, replaced] = await raise(tx, group, label, now(platform.clock))
    if (replaced.length > 0) {
      await moveTo(tx, promoted.id, replaced)
      await react(platform, tx, 'labels.merged', { labelIds: replaced, intoId: promoted.id })
      await deleteLabels(tx, replaced)
    }
    return GroupLabel.presentOne(promoted, { platform, db: tx, parent: group, actor })
  })
}

/**
 * Turns a label of a project into one of its group. The labels with that title of all projects below the group are merged
 * into it (contract 17, x.label_promote).
 * @throws ApiError 400 when the project has no group, 403, 404
 */
export async function promoteLabel(platform: Platform, project: Project, actor: Actor, key: LabelKey) {
  const own = fromProject(project)
  const group = await groupOfProject(platform, project, actor, 'admin_labels')
  if (!group) {
    await requireOwnLabel(platform.database.read, own, key)
    throw noGroup()
  }
  return promote(platform, own, group, key, actor).catch((error) => {
    // The group has received a label with the title meanwhile, into which this one is merged now.
    if (isUniqueViolation(error)) return promote(platform, own, group, key, actor)
    throw error
  })
}
