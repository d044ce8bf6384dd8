import { type ParamValues, t } from '../../../api/index.ts'
import { issueFilters, labelNames, word } from '../../issuables/index.ts'

const { author_id, author_username, created_after, created_before, updated_after, updated_before } = issueFilters
const { search, my_reaction_emoji, confidential } = issueFilters

/** Parameters of x.epic_list. */
export const epicFilter = {
  ...{ author_id, author_username, labels: labelNames, created_after, created_before, updated_after, updated_before },
  ...{ search, my_reaction_emoji, confidential },
  with_labels_details: t.boolean(),
  order_by: word(['created_at', 'updated_at', 'title'], 'Default `created_at`.'),
  sort: word(['asc', 'desc'], 'Default `desc`.'),
  state: word(['all', 'opened', 'closed']),
  parent_id: t.integer({ description: 'Id of the epic above; children that the group of the list reaches.' }),
  include_ancestor_groups: t.boolean({ description: 'Default false.' }),
  include_descendant_groups: t.boolean({ description: 'Default true.' }),
  not: t.object(
    { author_id, author_username, labels: labelNames },
    { description: 'Filters of which the epics may meet none.' },
  ),
}
export type EpicFilter = ParamValues<typeof epicFilter>
