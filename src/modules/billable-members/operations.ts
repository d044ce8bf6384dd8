import { nothing, pageOf, reading, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { group } from '../groups/index.ts'
import { listBillable, listMembershipsOf, removeBillable, requireReader, requireRemover } from './billable-members.ts'
import { billableFilter, userInPath } from './params.ts'
import { BillableMember, BillableMembership } from './present.ts'

const shared = { tag: 'Billable members', subject: group, allow: 'billable_members' } as const
const list = '/groups/:id/billable_members'
const one = `${list}/:user_id` as const

export const billableMembersList = operation({
  ...shared,
  id: 'billable_members.list',
  contract: 'x.billable_member_list',
  method: 'GET',
  path: list,
  summary: 'List the billable members of a top-level group',
  description:
    'People with a role in the group, in a group or project below it, or through an invited group. For owners.',
  scopes: reading,
  params: billableFilter,
  result: [200, pageOf(BillableMember)],
  permits: async ({ subject, actor }) => requireReader(actor, subject),
  run: ({ platform, subject, actor, params, page }) => listBillable(platform, subject, actor, params, page),
})

export const billableMembersMemberships = operation({
  ...shared,
  id: 'billable_members.memberships',
  contract: 'x.billable_member_memberships',
  method: 'GET',
  path: `${one}/memberships`,
  summary: 'List the memberships of a billable member',
  description: 'The direct ones in the group and below it.',
  scopes: reading,
  params: userInPath,
  result: [200, pageOf(BillableMembership)],
  permits: async ({ subject, actor }) => requireReader(actor, subject),
  run: ({ platform, subject, actor, params, page }) =>
    listMembershipsOf(platform, subject, actor, params.user_id, page),
})

export const billableMembersDelete = operation({
  ...shared,
  id: 'billable_members.delete',
  contract: 'x.billable_member_delete',
  method: 'DELETE',
  path: one,
  summary: 'Remove a billable member from a group and all below',
  description: 'Ends all direct memberships of the user there. The last owner stays.',
  scopes: writing,
  params: userInPath,
  result: [204, nothing],
  permits: async ({ subject, actor }) => requireRemover(actor, subject),
  run: ({ platform, subject, actor, params, act, unmodified }) =>
    removeBillable(platform, subject, params.user_id, { actor, act, unmodified }),
})
