import { badRequest, nothing, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { type GroupSubject, group } from '../../groups/index.ts'
import { EnterpriseUser, UserBasic } from '../../users/index.ts'
import { enterpriseChanges, enterpriseFilter, groupUserFilter, userInPath } from './params.ts'
import {
  deleteEnterpriseUser,
  disableTwoFactor,
  getEnterpriseUser,
  listEnterpriseUsers,
  listGroupUsers,
  updateEnterpriseUser,
} from './users.ts'

/** A top-level group. A subgroup is refused before the role of the caller is checked (contract 13, ETOP). */
const topLevelGroup: GroupSubject = {
  ...group,
  async find(platform, request, actor) {
    const found = await group.find(platform, request, actor)
    if (found.parent_id !== null) throw badRequest('Must be a top-level group')
    return found
  },
}

const shared = {
  tier: 'premium',
  tag: 'Enterprise users',
  subject: topLevelGroup,
  allow: 'admin_enterprise_users',
} as const
const hosted = { ...shared, offerings: ['hosted'] } as const

export const enterpriseUsersList = operation({
  ...hosted,
  id: 'enterprise_users.list',
  contract: '3.29',
  method: 'GET',
  path: '/groups/:id/enterprise_users',
  summary: 'List the enterprise users of a top-level group',
  description: 'Whether they are members of the group or not.',
  scopes: reading,
  params: enterpriseFilter,
  result: [200, pageOf(EnterpriseUser)],
  run: ({ platform, subject, params, page }) => listEnterpriseUsers(platform, subject, params, page),
})

export const enterpriseUsersGet = operation({
  ...hosted,
  id: 'enterprise_users.get',
  contract: 'x.enterprise_user.get',
  method: 'GET',
  path: '/groups/:id/enterprise_users/:user_id',
  summary: 'Get an enterprise user of a group',
  scopes: reading,
  params: userInPath,
  result: [200, EnterpriseUser],
  run: ({ platform, subject, params }) => getEnterpriseUser(platform, subject, params.user_id),
})

export const enterpriseUsersUpdate = operation({
  ...hosted,
  id: 'enterprise_users.update',
  contract: 'x.enterprise_user.update',
  method: 'PATCH',
  path: '/groups/:id/enterprise_users/:user_id',
  summary: 'Change name or address of an enterprise user',
  scopes: writing,
  params: { ...userInPath, ...enterpriseChanges },
  result: [200, EnterpriseUser],
  run: ({ platform, subject, params, actor }) => updateEnterpriseUser(platform, subject, params, actor),
})

export const enterpriseUsersDisableTwoFactor = operation({
  ...hosted,
  id: 'enterprise_users.disable_two_factor',
  contract: 'x.enterprise_user.disable_two_factor',
  method: 'PATCH',
  path: '/groups/:id/enterprise_users/:user_id/disable_two_factor',
  summary: 'Disable two-factor authentication of an enterprise user',
  scopes: writing,
  params: userInPath,
  result: [204, nothing],
  run: ({ platform, subject, params }) => disableTwoFactor(platform, subject, params.user_id),
})

export const enterpriseUsersDelete = operation({
  ...hosted,
  id: 'enterprise_users.delete',
  contract: 'x.enterprise_user.delete',
  method: 'DELETE',
  path: '/groups/:id/enterprise_users/:user_id',
  summary: 'Delete an enterprise user',
  scopes: writing,
  params: { ...userInPath, hard_delete: t.boolean() },
  result: [204, nothing],
  run: ({ platform, subject, params: { user_id, hard_delete: hard = false }, actor, unmodified }) =>
    deleteEnterpriseUser(platform, subject, user_id, { hard, actor, unmodified }),
})

export const groupUsersList = operation({
  ...shared,
  id: 'group_users.list',
  contract: 'x.groups_users',
  method: 'GET',
  path: '/groups/:id/users',
  summary: 'List the SAML users and service accounts of a top-level group',
  scopes: reading,
  params: groupUserFilter,
  atLeastOne: ['include_saml_users', 'include_service_accounts'],
  result: [200, pageOf(UserBasic)],
  run: ({ platform, subject, params, page }) => listGroupUsers(platform, subject, params, page),
})
