import type { Ports } from '../../../platform/index.ts'
import { countByLabel } from '../../issuables/index.ts'
import { may } from '../../projects/index.ts'
import { contextOf, seenIn } from '../lists/lists.ts'

/** The open and closed issues with each label that the caller can see (contract 17, Label). */
export const issueCountsOfLabels: Ports['labels.issue_counts'] = async (platform, parent, labelIds, actor) => {
  const place = parent.project ? { project: parent.project } : { group: parent.group }
  if (parent.project && !may(actor, parent.project, 'read_issues')) return new Map()
  const context = await contextOf(platform, actor, place)
  const counts = await countByLabel(context, seenIn(context, place, { nonArchived: true }), labelIds)
  const found = new Map<number, { opened: number; closed: number }>()
  for (const { label_id: id, state, count } of counts) {
    found.set(id, { ...(found.get(id) ?? { opened: 0, closed: 0 }), [state]: count })
  }
  return found
}
