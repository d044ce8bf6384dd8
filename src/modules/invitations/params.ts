import { type ParamValues, t } from '../../api/index.ts'
import { newMembers, oneOrMore } from '../members/index.ts'

export const invitationFilter = { query: t.string({ description: 'Part of the address.' }) }

/** Parameters of x.group_invites_create and x.project_invites_create. */
export const newInvitations = {
  email: oneOrMore(t.string({ blank: false }), 'An address, or several with commas between them.'),
  user_id: newMembers.user_id,
  access_level: newMembers.access_level,
  expires_at: newMembers.expires_at,
  member_role_id: newMembers.member_role_id,
}
export type NewInvitations = ParamValues<typeof newInvitations>

export const invitationPath = { email: t.required(t.string()) }

/** Parameters of x.group_invites_update and x.project_invites_update. */
export const invitationChange = {
  ...invitationPath,
  access_level: t.integer({ description: 'The role.' }),
  expires_at: t.clearable(
    t.date({ description: 'The day on which the membership is to end; null or empty for none.' }),
  ),
}
export type InvitationChange = ParamValues<typeof invitationChange>
