import type { Events, Reaction } from '../../platform/index.ts'
import { replaceScopeLabels, replaceScopeMilestone } from './core/store.ts'
import { replaceTargets } from './lists/store/lists.ts'
import { dropUnreachable } from './lists/store/reachable.ts'

/** Lists and scopes follow labels that are merged into one of a group (contract 17, x.label_promote). */
export const mergeLabelsOfBoards: Reaction<Events['labels.merged']> = async (_platform, tx, { labelIds, intoId }) => {
  await replaceTargets(tx, 'label', labelIds, intoId)
  await replaceScopeLabels(tx, labelIds, intoId)
}

/** Lists and scopes follow milestones that are promoted; those of a moved project end (`dropListsOfProject`). */
export const mergeMilestonesOfBoards: Reaction<Events['milestones.merged']> = async (
  _platform,
  tx,
  { milestoneIds, intoId, projectId },
) => {
  if (projectId !== undefined) return
  await replaceTargets(tx, 'milestone', milestoneIds, intoId)
  await replaceScopeMilestone(tx, milestoneIds, intoId)
}

/** A moved project loses the lists whose label, milestone or iteration it no longer reaches (contract 25). */
export const dropListsOfProject: Reaction<Events['project.moved']> = (_platform, tx, { projectId }) =>
  dropUnreachable(tx, { projectId })

/** As `dropListsOfProject`, for a moved group and all below it. */
export const dropListsOfGroup: Reaction<Events['group.moved']> = (_platform, tx, { groupId }) =>
  dropUnreachable(tx, { groupId })
