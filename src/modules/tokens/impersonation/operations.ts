import { instance, nothing, pageOf, readingUsers, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { newImpersonationToken } from '../params.ts'
import { ImpersonationToken, NewImpersonationToken } from '../present.ts'
import {
  createImpersonationToken,
  getImpersonationToken,
  listImpersonationTokens,
  revokeImpersonationToken,
} from './impersonation-tokens.ts'

const userId = { id: t.id({ otherwise: 'route' }) }
const ids = { ...userId, impersonation_token_id: t.id({ otherwise: 'route' }) }

const shared = { tag: 'Impersonation tokens', subject: instance, allow: 'administrator' } as const

export const impersonationTokensList = operation({
  ...shared,
  id: 'impersonation_tokens.list',
  contract: 'x.imp_list',
  method: 'GET',
  path: '/users/:id/impersonation_tokens',
  summary: 'List the impersonation tokens of a user',
  scopes: readingUsers,
  params: { ...userId, state: t.oneOf(['all', 'active', 'inactive']) },
  result: [200, pageOf(ImpersonationToken)],
  run: ({ platform, params, page }) => listImpersonationTokens(platform, params.id, params.state, page),
})

export const impersonationTokensGet = operation({
  ...shared,
  id: 'impersonation_tokens.get',
  contract: 'x.imp_get',
  method: 'GET',
  path: '/users/:id/impersonation_tokens/:impersonation_token_id',
  summary: 'Get an impersonation token',
  scopes: readingUsers,
  params: ids,
  result: [200, ImpersonationToken],
  run: ({ platform, params }) => getImpersonationToken(platform, params.id, params.impersonation_token_id),
})

export const impersonationTokensCreate = operation({
  ...shared,
  id: 'impersonation_tokens.create',
  contract: 'x.imp_create',
  method: 'POST',
  path: '/users/:id/impersonation_tokens',
  summary: 'Create an impersonation token',
  scopes: writing,
  params: { ...userId, ...newImpersonationToken },
  result: [201, NewImpersonationToken],
  run: ({ platform, params: { id, ...wanted }, actor }) => createImpersonationToken(platform, id, wanted, actor),
})

export const impersonationTokensDelete = operation({
  ...shared,
  id: 'impersonation_tokens.delete',
  contract: 'x.imp_delete',
  method: 'DELETE',
  path: '/users/:id/impersonation_tokens/:impersonation_token_id',
  summary: 'Revoke an impersonation token',
  scopes: writing,
  params: ids,
  result: [204, nothing],
  run: ({ platform, params, unmodified, actor }) =>
    revokeImpersonationToken(platform, params.id, params.impersonation_token_id, { unmodified, actor }),
})
