import { type Param, type ParamValues, t } from '../../api/index.ts'
import { memberLevels, type Permission, permissionNames, role } from '../access/index.ts'

const baseLevels = memberLevels.filter((level) => level >= role.guest)

/** The permissions as parameters. */
const permissions = Object.fromEntries(permissionNames.map((name) => [name, t.boolean()])) as Record<
  Permission,
  Param<boolean, false>
>

const shared = {
  base_access_level: t.required(
    t.integerOf(baseLevels, { description: 'The level to which the permissions are added.' }),
  ),
  description: t.string(),
  ...permissions,
}

/** Parameters of x.member_role_create. */
export const newMemberRole = { name: t.required(t.string()), ...shared }

/** Parameters of x.group_member_role_create. */
export const newGroupMemberRole = { name: t.string({ description: '`Custom` by default.' }), ...shared }
export type NewMemberRole = ParamValues<typeof newGroupMemberRole>

/** Parameters of x.group_member_role_list. */
export const groupMemberRoleFilter = {
  include_inherited: t.boolean({ description: 'Also those of the groups above and of the instance.' }),
}

export const memberRoleId = { member_role_id: t.id() }
