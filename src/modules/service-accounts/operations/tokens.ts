import { nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../../groups/index.ts'
import {
  managedTokenFilter,
  NewPersonalAccessToken,
  newPersonalToken,
  PersonalAccessToken,
  rotation,
} from '../../tokens/index.ts'
import { accountInPath, tokenInPath } from '../params.ts'
import { createToken, listTokens, revokeToken, rotateToken } from '../tokens.ts'

const shared = { tier: 'premium', tag: 'Service accounts', subject: group, allow: 'admin_service_accounts' } as const

export const serviceAccountTokensList = operation({
  ...shared,
  id: 'service_account_tokens.list',
  contract: 'x.service_account.tokens',
  method: 'GET',
  path: '/groups/:id/service_accounts/:user_id/personal_access_tokens',
  summary: 'List the tokens of a service account',
  description: 'Includes revoked and expired ones.',
  scopes: reading,
  params: { ...accountInPath, ...managedTokenFilter },
  result: [200, pageOf(PersonalAccessToken)],
  run: ({ platform, subject, params: { user_id, ...filter }, page }) =>
    listTokens(platform, subject, user_id, filter, page),
})

export const serviceAccountTokensCreate = operation({
  ...shared,
  id: 'service_account_tokens.create',
  contract: '3.27',
  method: 'POST',
  path: '/groups/:id/service_accounts/:user_id/personal_access_tokens',
  summary: 'Create a token of a service account',
  description: 'Without `expires_at` it expires as late as the instance allows.',
  scopes: writing,
  params: { ...accountInPath, ...newPersonalToken },
  result: [201, NewPersonalAccessToken],
  run: ({ platform, subject, params: { user_id, ...wanted } }) => createToken(platform, subject, user_id, wanted),
})

export const serviceAccountTokensRotate = operation({
  ...shared,
  id: 'service_account_tokens.rotate',
  contract: '3.28',
  method: 'POST',
  path: '/groups/:id/service_accounts/:user_id/personal_access_tokens/:token_id/rotate',
  summary: 'Rotate a token of a service account',
  description: 'Revokes it and, unless the server is configured otherwise, all other active tokens of the account.',
  scopes: writing,
  params: { ...tokenInPath, ...rotation },
  result: [200, NewPersonalAccessToken],
  run: ({ platform, subject, params }) => rotateToken(platform, subject, params),
})

export const serviceAccountTokensRevoke = operation({
  ...shared,
  id: 'service_account_tokens.revoke',
  contract: 'x.service_account.revoke',
  method: 'DELETE',
  path: '/groups/:id/service_accounts/:user_id/personal_access_tokens/:token_id',
  summary: 'Revoke a token of a service account',
  scopes: writing,
  params: tokenInPath,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified }) => revokeToken(platform, subject, params, unmodified),
})
