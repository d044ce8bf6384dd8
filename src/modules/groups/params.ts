import { t } from '../../api/index.ts'
import { memberLevels } from '../access/index.ts'
import { paramsOf, visibilityLevels } from '../settings/index.ts'
import { branchProtectionLevels } from './branch-protection.ts'
import { administratorSettings, commonSettings, laterAdministratorSettings, laterSettings } from './settings.ts'
import { groupOrders } from './store/choose.ts'

const writable = {
  description: t.nullable(t.string({ description: 'At most 500 characters' })),
  visibility: t.oneOf(visibilityLevels, { description: 'At most that of the parent' }),
  ...paramsOf(commonSettings),
  emails_disabled: t.boolean({ description: 'The opposite of emails_enabled' }),
  default_branch_protection: t.integerOf(branchProtectionLevels, {
    description:
      '0 none; 1 developers push; 2 maintainers push and merge; 3 developers merge; 4 as 2, developers push first',
  }),
  ...paramsOf(administratorSettings),
  avatar: t.file({ description: 'Picture of at most 200 KiB; the empty value removes it' }),
}

/** What x.groups_create takes. */
export const createParams = {
  name: t.required(t.string()),
  path: t.required(t.string()),
  parent_id: t.integer({ description: 'The group in which it is made; without one it is at the top' }),
  organization_id: t.integer(),
  ...writable,
}

/** What x.groups_update takes. */
export const updateParams = {
  name: t.string(),
  path: t.string(),
  ...writable,
  ...paramsOf(laterSettings),
  ...paramsOf(laterAdministratorSettings),
}

const order = {
  order_by: t.oneOf(groupOrders),
  sort: t.oneOf(['asc', 'desc']),
}

const skipped = t.array(t.integer(), { description: 'Ids of groups that are left out' })
const minimalLevel = t.integerOf(memberLevels, { description: 'Only groups in which the caller has this role' })
const search = t.string({ description: 'Part of the name or path' })

/** What x.groups_list takes, and the lists of subgroups. */
export const listParams = {
  skip_groups: skipped,
  all_available: t.boolean({ description: 'All groups that the caller may see; the default of administrators' }),
  search,
  ...order,
  statistics: t.boolean({ description: 'For administrators' }),
  visibility: t.oneOf(visibilityLevels),
  with_custom_attributes: t.boolean({ description: 'For administrators' }),
  owned: t.boolean({ description: 'Only groups of which the caller is an owner' }),
  min_access_level: minimalLevel,
  top_level_only: t.boolean(),
  repository_storage: t.string({ description: 'For administrators' }),
  marked_for_deletion_on: t.date(),
}

/** What x.groups_shared takes. */
export const sharedParams = {
  skip_groups: skipped,
  visibility: t.oneOf(visibilityLevels),
  search,
  min_access_level: minimalLevel,
  ...order,
  with_custom_attributes: t.boolean({ description: 'For administrators' }),
}

/** What x.groups_invited takes. */
export const invitedParams = {
  relation: t.array(t.oneOf(['direct', 'inherited']), {
    commaSeparated: true,
    description: 'Invited to this group, or to one above it; both unless told',
  }),
  search,
  min_access_level: minimalLevel,
}

/** The levels up to which an invited group may count. */
export const shareLevels = [10, 15, 20, 30, 40, 50] as const
