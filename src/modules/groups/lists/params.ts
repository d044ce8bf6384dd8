import { type ParamValues, t } from '../../../api/index.ts'
import { visibilityLevels } from '../../../platform/settings/index.ts'
import { memberLevels } from '../../access/index.ts'
import { attributeFilter, withAttributes } from '../../custom-attributes/index.ts'
import { groupOrders } from './store/orders.ts'

const order = {
  order_by: t.oneOf(groupOrders),
  sort: t.oneOf(['asc', 'desc']),
}

const skipped = t.array(t.integer(), { description: 'Ids of groups that are left out' })
const minimalLevel = t.integerOf(memberLevels, { description: 'Only groups in which the caller has this role' })
const search = t.string({ description: 'Part of the name or path' })

/** Parameters of x.groups_list and of the lists of subgroups. */
export const groupFilter = {
  skip_groups: skipped,
  all_available: t.boolean({ description: 'All groups that the caller may see; the default of administrators' }),
  search,
  ...order,
  statistics: t.boolean({ description: 'For administrators' }),
  visibility: t.oneOf(visibilityLevels),
  ...attributeFilter,
  ...withAttributes,
  owned: t.boolean({ description: 'Only groups of which the caller is an owner' }),
  min_access_level: minimalLevel,
  top_level_only: t.boolean(),
  repository_storage: t.string({ description: 'For administrators' }),
  marked_for_deletion_on: t.date(),
  archived: t.boolean({ description: 'Only archived groups, or only others' }),
}

/** Parameters of x.groups_shared. */
export const invitingFilter = {
  skip_groups: skipped,
  visibility: t.oneOf(visibilityLevels),
  search,
  min_access_level: minimalLevel,
  ...order,
  ...withAttributes,
}

/** Parameters of x.groups_invited. */
export const invitedFilter = {
  relation: t.array(t.oneOf(['direct', 'inherited']), {
    commaSeparated: true,
    description: 'Invited to this group, or to one above it; default both',
  }),
  search,
  min_access_level: minimalLevel,
}
export type InvitedFilter = ParamValues<typeof invitedFilter>
export type GroupFilter = ParamValues<typeof groupFilter>
