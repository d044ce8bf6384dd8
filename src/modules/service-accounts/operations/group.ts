import { nothing, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../../groups/index.ts'
import { deleteAccount, getAccount, listAccounts, updateGroupAccount } from '../accounts.ts'
import { createGroupAccount } from '../create.ts'
import { accountInPath, accountOrder, naming } from '../params.ts'
import { ServiceAccount } from '../present.ts'

const shared = { tier: 'premium', tag: 'Service accounts', subject: group, allow: 'admin_service_accounts' } as const

export const groupServiceAccountsList = operation({
  ...shared,
  id: 'group_service_accounts.list',
  contract: '3.24',
  method: 'GET',
  path: '/groups/:id/service_accounts',
  summary: 'List the service accounts of a group',
  description: 'Those that were created in exactly this group.',
  scopes: reading,
  params: accountOrder,
  result: [200, pageOf(ServiceAccount)],
  run: ({ platform, subject, params, page }) => listAccounts(platform, subject, params, page),
})

export const groupServiceAccountsCreate = operation({
  ...shared,
  id: 'group_service_accounts.create',
  contract: '3.25',
  method: 'POST',
  path: '/groups/:id/service_accounts',
  summary: 'Create a service account in a top-level group',
  description: 'The account is a member of nothing, and acts through personal access tokens only.',
  scopes: writing,
  params: naming,
  result: [201, ServiceAccount],
  run: ({ platform, subject, params, actor }) => createGroupAccount(platform, subject, params, actor),
})

export const groupServiceAccountsGet = operation({
  ...shared,
  id: 'group_service_accounts.get',
  contract: 'x.service_account.get',
  method: 'GET',
  path: '/groups/:id/service_accounts/:user_id',
  summary: 'Get a service account of a group',
  scopes: reading,
  params: accountInPath,
  result: [200, ServiceAccount],
  run: ({ platform, subject, params }) => getAccount(platform, subject, params.user_id),
})

export const groupServiceAccountsUpdate = operation({
  ...shared,
  id: 'group_service_accounts.update',
  contract: 'x.service_account.update',
  method: 'PATCH',
  path: '/groups/:id/service_accounts/:user_id',
  summary: 'Change a service account of a group',
  scopes: writing,
  params: { ...accountInPath, ...naming },
  result: [200, ServiceAccount],
  run: ({ platform, subject, params, actor }) => updateGroupAccount(platform, subject, params, actor),
})

export const groupServiceAccountsDelete = operation({
  ...shared,
  id: 'group_service_accounts.delete',
  contract: '3.26',
  method: 'DELETE',
  path: '/groups/:id/service_accounts/:user_id',
  summary: 'Delete a service account of a group',
  description:
    'The account is gone at once. Its contributions move to the ghost user in the background, or are deleted with ' +
    '`hard_delete`.',
  scopes: writing,
  params: { ...accountInPath, hard_delete: t.boolean() },
  result: [204, nothing],
  run: ({ platform, subject, params: { user_id, hard_delete: hard = false }, actor, unmodified }) =>
    deleteAccount(platform, subject, user_id, { hard, actor, unmodified }),
})
