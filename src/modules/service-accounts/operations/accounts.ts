import { nothing, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import { deleteAccount, getAccount, listAccountsOf, updateAccountOf } from '../accounts.ts'
import { createAccountOf } from '../create.ts'
import { accountInPath, accountOrder, naming } from '../params.ts'
import { ServiceAccount } from '../present.ts'

const contracts = {
  group: {
    ...{ list: '3.24', create: '3.25', delete: '3.26' },
    ...{ get: 'x.service_account.get', update: 'x.service_account.update' },
  },
  project: {
    list: 'x.project_service_account_list',
    create: 'x.project_service_account_create',
    get: 'x.project_service_account_get',
    update: 'x.project_service_account_update',
    delete: 'x.project_service_account_delete',
  },
}

/** Service accounts of projects and groups (contract 12, 26.9). */
export const accountOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const list = `${path}/service_accounts` as const
  const one = `${list}/:user_id` as const
  const shared = { tier: 'premium', tag: 'Service accounts', subject } as const
  const reads = { ...shared, method: 'GET', allow: 'read_service_accounts', scopes: reading } as const
  const writes = { ...shared, allow: 'admin_service_accounts', scopes: writing } as const
  const contract = contracts[kind]
  const where = kind === 'group' ? 'a top-level group' : 'a project'
  return [
    operation({
      ...reads,
      id: `${kind}_service_accounts.list`,
      contract: contract.list,
      path: list,
      summary: `List the service accounts of a ${kind}`,
      description: `Those that were created in exactly this ${kind}.`,
      params: accountOrder,
      result: [200, pageOf(ServiceAccount)],
      run: ({ platform, subject, params, page }) => listAccountsOf(platform, subject, params, page),
    }),
    operation({
      ...writes,
      id: `${kind}_service_accounts.create`,
      contract: contract.create,
      method: 'POST',
      path: list,
      summary: `Create a service account in ${where}`,
      description:
        `The account is a member of nothing, and acts through personal access tokens only.` +
        (kind === 'group' ? '' : ' It may be added to this project alone.'),
      params: naming,
      result: [201, ServiceAccount],
      run: ({ platform, subject, params, actor }) => createAccountOf(platform, subject, params, actor),
    }),
    operation({
      ...reads,
      id: `${kind}_service_accounts.get`,
      contract: contract.get,
      path: one,
      summary: `Get a service account of a ${kind}`,
      params: accountInPath,
      result: [200, ServiceAccount],
      run: ({ platform, subject, params }) => getAccount(platform, subject, params.user_id),
    }),
    operation({
      ...writes,
      id: `${kind}_service_accounts.update`,
      contract: contract.update,
      method: 'PATCH',
      path: one,
      summary: `Change a service account of a ${kind}`,
      params: { ...accountInPath, ...naming },
      result: [200, ServiceAccount],
      run: ({ platform, subject, params, actor }) => updateAccountOf(platform, subject, params, actor),
    }),
    operation({
      ...writes,
      id: `${kind}_service_accounts.delete`,
      contract: contract.delete,
      method: 'DELETE',
      path: one,
      summary: `Delete a service account of a ${kind}`,
      description:
        'The account is gone at once. Its contributions move to the ghost user in the background, or are deleted with ' +
        '`hard_delete`.',
      params: { ...accountInPath, hard_delete: t.boolean() },
      result: [204, nothing],
      run: ({ platform, subject, params: { user_id, hard_delete: hard = false }, actor, unmodified }) =>
        deleteAccount(platform, subject, user_id, { hard, actor, unmodified }),
    }),
  ]
})
