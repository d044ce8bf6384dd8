import type { Ports } from '../../../platform/index.ts'
import { may } from '../../projects/index.ts'
import { contextOf, seenIn } from '../lists/lists.ts'
import { countByLabel } from './store/label-counts.ts'

/** The open and closed issues with each label that the caller can see (contract 17, Label). */
export const issueCountsOfLabels = async (
  platform: Parameters<Ports['labels.counts']>[0],
  parent: Parameters<Ports['labels.counts']>[1],
  labelIds: readonly number[],
  actor: Parameters<Ports['labels.counts']>[3],
) => {
  const place = parent.project ? { project: parent.project } : { group: parent.group }
  if (parent.project && !may(actor, parent.project, 'read_issues')) return new Map()
  const context = await contextOf(platform, actor, place)
  const counts = await countByLabel(context, seenIn(context, place, { nonArchived: true }), labelIds)
  const found = new Map<
    number,
    { open_issues_count: number; closed_issues_count: number; open_merge_requests_count: number }
  >()
  for (const { label_id: id, state, count } of counts) {
    const one = found.get(id) ?? { open_issues_count: 0, closed_issues_count: 0, open_merge_requests_count: 0 }
    found.set(id, { ...one, [state === 'opened' ? 'open_issues_count' : 'closed_issues_count']: count })
  }
  return found
}
