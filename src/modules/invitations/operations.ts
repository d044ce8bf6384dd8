import { nothing, pageOf, reading, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { AddedMembers } from '../members/index.ts'
import { atProjectAndGroup } from '../projects/index.ts'
import {
  changeInvitation,
  deleteInvitation,
  getInvitation,
  invite,
  listInvitations,
  resendInvitation,
} from './invitations.ts'
import { invitationChange, invitationFilter, invitationPath, newInvitations } from './params.ts'
import { ChangedInvitation, Invitation } from './present.ts'

/** Invitations to projects and groups (contract 21, "members and invitations"). */
export const invitationOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const shared = { tag: 'Invitations', subject, allow: 'admin_members' } as const
  const list = `${path}/invitations` as const
  return [
    operation({
      ...shared,
      id: `${kind}_invitations.list`,
      contract: `x.${kind}_invites_list`,
      method: 'GET',
      path: list,
      summary: `List the pending invitations to a ${kind}`,
      scopes: reading,
      params: invitationFilter,
      result: [200, pageOf(Invitation)],
      run: ({ platform, subject, params, page }) => listInvitations(platform, subject, params.query, page),
    }),
    operation({
      ...shared,
      id: `${kind}_invitations.create`,
      contract: `x.${kind}_invites_create`,
      method: 'POST',
      path: list,
      summary: `Invite people to a ${kind} by their addresses`,
      description:
        'An address of a user makes that user a member. All others get a mail, and are members once an account has the address. ' +
        'The response has the errors by address or user name.',
      scopes: writing,
      params: newInvitations,
      atLeastOne: ['email', 'user_id'],
      result: [201, AddedMembers],
      run: ({ platform, subject, actor, params, act }) => invite(platform, subject, { actor, act }, params),
    }),
    operation({
      ...shared,
      id: `${kind}_invitations.get`,
      contract: `x.${kind}_invites_get`,
      method: 'GET',
      path: `${list}/:email`,
      summary: `Get a pending invitation to a ${kind}`,
      description: 'Its address is compared without case.',
      scopes: reading,
      params: invitationPath,
      result: [200, Invitation],
      run: ({ platform, subject, params }) => getInvitation(platform, subject, params.email),
    }),
    operation({
      ...shared,
      id: `${kind}_invitations.update`,
      contract: `x.${kind}_invites_update`,
      method: 'PUT',
      path: `${list}/:email`,
      summary: `Change an invitation to a ${kind}`,
      scopes: writing,
      params: invitationChange,
      result: [200, ChangedInvitation],
      run: ({ platform, subject, actor, params, act }) => changeInvitation(platform, subject, { actor, act }, params),
    }),
    operation({
      ...shared,
      id: `${kind}_invitations.resend`,
      contract: `x.${kind}_invites_resend`,
      method: 'POST',
      path: `${list}/:email/resend`,
      summary: `Send the mail of an invitation to a ${kind} again`,
      scopes: writing,
      params: invitationPath,
      result: [204, nothing],
      run: ({ platform, subject, actor, params }) => resendInvitation(platform, subject, actor, params.email),
    }),
    operation({
      ...shared,
      id: `${kind}_invitations.delete`,
      contract: `x.${kind}_invites_delete`,
      method: 'DELETE',
      path: `${list}/:email`,
      summary: `Withdraw an invitation to a ${kind}`,
      scopes: writing,
      params: invitationPath,
      result: [204, nothing],
      run: ({ platform, subject, params, unmodified, act }) =>
        deleteInvitation(platform, subject, params.email, { unmodified, act }),
    }),
  ]
})
