import { instance, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { listAccountsOf, updateInstanceAccount } from '../accounts.ts'
import { createInstanceAccount } from '../create.ts'
import { accountInPath, accountOrder, naming } from '../params.ts'
import { ServiceAccount } from '../present.ts'

const shared = {
  tier: 'premium',
  offerings: ['self-managed', 'dedicated'],
  tag: 'Service accounts',
  subject: instance,
  allow: 'administrator',
} as const

export const serviceAccountsList = operation({
  ...shared,
  id: 'service_accounts.list',
  contract: 'x.service_accounts.list',
  method: 'GET',
  path: '/service_accounts',
  summary: 'List all service accounts of the instance',
  description: 'Includes those of projects and groups.',
  scopes: reading,
  params: accountOrder,
  result: [200, pageOf(ServiceAccount)],
  run: ({ platform, params, page }) => listAccountsOf(platform, null, params, page),
})

export const serviceAccountsCreate = operation({
  ...shared,
  id: 'service_accounts.create',
  contract: 'x.service_accounts.create',
  method: 'POST',
  path: '/service_accounts',
  summary: 'Create a service account of the instance',
  scopes: writing,
  params: naming,
  result: [201, ServiceAccount],
  run: ({ platform, params, actor }) => createInstanceAccount(platform, params, actor),
})

export const serviceAccountsUpdate = operation({
  ...shared,
  id: 'service_accounts.update',
  contract: 'x.service_accounts.update',
  method: 'PATCH',
  path: '/service_accounts/:user_id',
  summary: 'Change a service account',
  scopes: writing,
  params: { ...accountInPath, ...naming },
  result: [200, ServiceAccount],
  run: ({ platform, params, actor }) => updateInstanceAccount(platform, params, actor),
})
