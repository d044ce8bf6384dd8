import { type ParamValues, t, takenIn } from '../../../api/index.ts'
import { memberLevels } from '../../access/index.ts'

const shareLevels = memberLevels.filter((level) => level >= 10)

export const shareParams = {
  group_id: t.required(t.integer()),
  group_access: t.required(t.integerOf(shareLevels, { description: 'The highest role of its members here' })),
  expires_at: t.date({ description: 'The day on which it ends' }),
  member_role_id: takenIn(
    { tier: 'ultimate' },
    t.integer({ description: 'The member role of those who reach that level; it is the base level of the role' }),
  ),
}

export const invitedFilter = {
  relation: t.array(t.oneOf(['direct', 'inherited']), {
    commaSeparated: true,
    description: 'Invited to the project itself, or to a group above it; both by default',
  }),
  search: t.string(),
  min_access_level: t.integerOf(memberLevels, { description: 'Only groups in which the caller has this role' }),
}

export const userFilter = { search: t.string(), skip_users: t.array(t.integer(), { commaSeparated: true }) }

export const groupFilter = {
  search: t.string(),
  skip_groups: t.array(t.integer(), { commaSeparated: true }),
  with_shared: t.boolean({ description: 'Also the groups that the project is shared with' }),
  shared_visible_only: t.boolean({ description: 'Of those only the ones that the caller can see' }),
  shared_min_access_level: t.integerOf(memberLevels),
}

export type ShareParams = ParamValues<typeof shareParams>
export type InvitedFilter = ParamValues<typeof invitedFilter>
export type UserFilter = ParamValues<typeof userFilter>
export type GroupFilter = ParamValues<typeof groupFilter>
