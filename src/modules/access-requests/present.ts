import { forms, type Static, Type } from '../../api/index.ts'
import { Member } from '../members/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, type UserRow } from '../users/index.ts'
import type { AccessRequestRow } from './tables.ts'

/** A request for access in a list: the user who asks (contract 11, AccessRequest). */
export const AccessRequest = Type.Object(
  { ...UserBasic.properties, requested_at: forms.timestamp },
  { title: 'AccessRequest' },
)

/** A request for access that was just made. */
export const NewAccessRequest = Type.Object(
  { ...AccessRequest.properties, created_at: forms.timestamp },
  { title: 'CreatedAccessRequest' },
)

/** The membership that an approved request has become. */
export const ApprovedMember = Type.Object(
  { ...Member.properties, requested_at: forms.timestamp },
  { title: 'ApprovedMember' },
)

/** @param user who asks */
export function presentRequest(
  { created_at }: AccessRequestRow,
  user: UserRow,
  presenting: PresentingUsers,
): Static<typeof AccessRequest> {
  return { ...presentUserBasic(user, presenting), requested_at: created_at }
}
