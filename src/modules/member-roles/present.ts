import { forms, type Static, Type } from '../../api/index.ts'
import { type MemberRoleRow, type Permission, permissionNames } from '../access/index.ts'

const switches = Object.fromEntries(permissionNames.map((name) => [name, Type.Boolean()])) as Record<
  Permission,
  ReturnType<typeof Type.Boolean>
>

/** A role that adds permissions to a level (contract 25, MemberRole); `group_id` is null for one of the instance. */
export const MemberRole = Type.Object(
  {
    id: forms.id,
    name: Type.String(),
    description: forms.nullableString,
    group_id: forms.nullableInteger,
    base_access_level: Type.Integer(),
    ...switches,
  },
  { title: 'MemberRole' },
)

export function presentMemberRole(row: MemberRoleRow): Static<typeof MemberRole> {
  const { id, name, description, namespace_id: group_id, base_access_level } = row
  const granted = new Set(row.permissions)
  const values = Object.fromEntries(permissionNames.map((one) => [one, granted.has(one)])) as Record<
    Permission,
    boolean
  >
  return { id, name, description, group_id, base_access_level, ...values }
}
