import { forms, nullable, oneOf, onlyIn, Type } from '../../api/index.ts'
import { type MemberRoleRow, type Membership, role } from '../access/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, type UserRow } from '../users/index.ts'

const SamlIdentity = Type.Object(
  { provider: Type.String(), extern_uid: Type.String(), saml_provider_id: forms.nullableInteger },
  { title: 'GroupSamlIdentity' },
)

/** The member role of a membership (contract 21, Member). */
const RoleOfMember = Type.Object(
  {
    id: forms.id,
    group_id: forms.nullableInteger,
    name: Type.String(),
    description: forms.nullableString,
    base_access_level: Type.Integer(),
  },
  { title: 'RoleOfMember' },
)

function roleOfMember(row: MemberRoleRow | undefined) {
  if (!row) return null
  const { id, namespace_id: group_id, name, description, base_access_level } = row
  return { id, group_id, name, description, base_access_level }
}

/** A membership in a group or project, with the user (contract 21, Member). */
export const Member = Type.Object(
  {
    ...UserBasic.properties,
    access_level: Type.Integer(),
    created_at: forms.timestamp,
    created_by: Type.Optional(UserBasic),
    expires_at: forms.nullableDay,
    email: Type.Optional(Type.String()),
    group_saml_identity: Type.Optional(nullable(SamlIdentity)),
    is_using_seat: Type.Optional(Type.Boolean()),
    membership_state: Type.String(),
    member_role: onlyIn({ tier: 'ultimate' }, nullable(RoleOfMember)),
  },
  { title: 'Member' },
)

/** The response to several users that are added at once. */
export const AddedMembers = Type.Object(
  {
    status: oneOf(['success', 'error']),
    message: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { title: 'AddedMembers' },
)

/** The SAML identity with which a user signs in to a group. */
type SamlIdentityRow = { user_id: number; provider: string; extern_uid: string }

/** What a page of members needs for presentation. */
type PresentingMembers = PresentingUsers & {
  users: ReadonlyMap<number, UserRow>
  /** Whether the caller may see the email address of a user. */
  showsEmail(user: UserRow): boolean
  showsSeats: boolean
  roles: ReadonlyMap<number, MemberRoleRow>
  /** SAML identities by user id; null when the caller may not see them. */
  identities: ReadonlyMap<number, SamlIdentityRow> | null
}

/** Bots, users who cannot sign in, and users with minimal access take no seat. */
function usesSeat(user: UserRow, level: number): boolean {
  return user.bot_kind === null && user.state === 'active' && level > role.minimal
}

function samlIdentity(identity: SamlIdentityRow | undefined) {
  if (!identity) return null
  return { provider: identity.provider, extern_uid: identity.extern_uid, saml_provider_id: null }
}

/** @param user of the membership */
export function presentMember(membership: Membership, user: UserRow, presenting: PresentingMembers) {
  const creator = presenting.users.get(membership.created_by_id ?? 0)
  return {
    ...presentUserBasic(user, presenting),
    access_level: membership.access_level,
    created_at: membership.created_at,
    created_by: creator && presentUserBasic(creator, presenting),
    expires_at: membership.expires_at,
    email: presenting.showsEmail(user) ? user.email : undefined,
    group_saml_identity: presenting.identities ? samlIdentity(presenting.identities.get(user.id)) : undefined,
    is_using_seat: presenting.showsSeats ? usesSeat(user, membership.access_level) : undefined,
    membership_state: 'active',
    member_role: roleOfMember(presenting.roles.get(membership.member_role_id ?? 0)),
  }
}

export type PresentedMember = ReturnType<typeof presentMember>
