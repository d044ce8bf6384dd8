import type { Ports } from '../../../platform/index.ts'
import { countByLabel } from '../../issuables/index.ts'
import { may } from '../../projects/index.ts'
import { contextOf, queryOf } from './lists.ts'

/** The open merge requests with each label that the caller can see (contract 17, Label). */
export const requestCountsOfLabels: Ports['labels.merge_request_counts'] = async (
  platform,
  parent,
  labelIds,
  actor,
) => {
  if (parent.project && !may(actor, parent.project, 'read_merge_requests')) return new Map()
  const context = await contextOf(platform, actor, parent)
  const counts = await countByLabel(context, queryOf(context, parent, {}), labelIds)
  return new Map(counts.filter(({ state }) => state === 'opened').map(({ label_id, count }) => [label_id, count]))
}
