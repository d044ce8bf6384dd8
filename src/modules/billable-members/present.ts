import { forms, nullable, oneOf, type Static, Type } from '../../api/index.ts'
import { type MemberRoleRow, membershipOrigins, roleName } from '../access/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, type UserRow } from '../users/index.ts'
import type { PlacedMembership, Seat } from './store.ts'

/** A user who takes a seat in a top-level group (contract 26.8). */
export const BillableMember = Type.Object(
  {
    ...UserBasic.properties,
    email: forms.nullableString,
    last_activity_on: forms.nullableDay,
    membership_type: oneOf(membershipOrigins),
    removable: Type.Boolean(),
    created_at: forms.timestamp,
    is_last_owner: Type.Boolean(),
    last_login_at: forms.nullableTimestamp,
  },
  { title: 'BillableMember' },
)

/** A membership of such a user (contract 26.8). */
export const BillableMembership = Type.Object(
  {
    id: forms.id,
    source_id: forms.id,
    source_full_name: Type.String(),
    source_members_url: Type.String(),
    created_at: forms.timestamp,
    expires_at: forms.nullableDay,
    access_level: Type.Object({
      string_value: Type.String(),
      integer_value: Type.Integer(),
      custom_role: nullable(Type.Object({ id: forms.id, name: Type.String() })),
    }),
  },
  { title: 'BillableMembership' },
)

/** Those of the first two origins have memberships in the group or below it, which can be ended. */
const lastDirectOrigin = 1

type View = PresentingUsers & {
  users: ReadonlyMap<number, UserRow>
  /** Whether the caller may see the e-mail address of a user. */
  showsEmail(user: UserRow): boolean
  lastOwner: number | null
}

export function presentSeat({ user_id, origin }: Seat, view: View): Static<typeof BillableMember>[] {
  const user = view.users.get(user_id)
  if (!user) return []
  return [
    {
      ...presentUserBasic(user, view),
      email: view.showsEmail(user) ? user.email : user.public_email,
      last_activity_on: user.last_activity_on,
      membership_type: membershipOrigins[origin] ?? 'group_member',
      removable: origin <= lastDirectOrigin,
      created_at: user.created_at,
      is_last_owner: user_id === view.lastOwner,
      last_login_at: user.current_sign_in_at,
    },
  ]
}

export function presentMembership(
  row: PlacedMembership,
  externalUrl: string,
  roles: ReadonlyMap<number, MemberRoleRow>,
): Static<typeof BillableMembership> {
  const { kind, full_path: path } = row
  const members = kind === 'group' ? `groups/${path}/-/group_members` : `${path}/-/project_members`
  const role = roles.get(row.member_role_id ?? 0)
  return {
    id: row.id,
    source_id: row.project_id ?? row.namespace_id ?? 0,
    source_full_name: row.full_name,
    source_members_url: `${externalUrl}/${members}`,
    created_at: row.created_at,
    expires_at: row.expires_at,
    access_level: {
      string_value: roleName(row.access_level),
      integer_value: row.access_level,
      custom_role: role ? { id: role.id, name: role.name } : null,
    },
  }
}
