import { nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import {
  managedTokenFilter,
  NewPersonalAccessToken,
  newPersonalToken,
  PersonalAccessToken,
  rotation,
} from '../../tokens/index.ts'
import { accountInPath, tokenInPath } from '../params.ts'
import { createToken, listTokens, revokeToken, rotateToken } from '../tokens.ts'

const names = {
  group: {
    id: 'service_account_tokens',
    ...{ list: 'x.service_account.tokens', create: '3.27', rotate: '3.28', revoke: 'x.service_account.revoke' },
  },
  project: {
    id: 'project_service_account_tokens',
    list: 'x.project_service_account_tokens',
    create: 'x.project_service_account_token_create',
    rotate: 'x.project_service_account_token_rotate',
    revoke: 'x.project_service_account_token_revoke',
  },
}

/** Tokens of the service accounts of projects and groups (contract 12, 26.9). */
export const tokenOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const list = `${path}/service_accounts/:user_id/personal_access_tokens` as const
  const one = `${list}/:token_id` as const
  const shared = { tier: 'premium', tag: 'Service accounts', subject } as const
  const writes = { ...shared, allow: 'admin_service_accounts', scopes: writing } as const
  const { id, ...contract } = names[kind]
  const whose = kind === 'group' ? 'a service account' : 'a service account of a project'
  return [
    operation({
      ...shared,
      id: `${id}.list`,
      contract: contract.list,
      method: 'GET',
      path: list,
      summary: `List the tokens of ${whose}`,
      description: 'Includes revoked and expired ones.',
      allow: 'read_service_accounts',
      scopes: reading,
      params: { ...accountInPath, ...managedTokenFilter },
      result: [200, pageOf(PersonalAccessToken)],
      run: ({ platform, subject, params: { user_id, ...filter }, page }) =>
        listTokens(platform, subject, user_id, filter, page),
    }),
    operation({
      ...writes,
      id: `${id}.create`,
      contract: contract.create,
      method: 'POST',
      path: list,
      summary: `Create a token of ${whose}`,
      description: 'Without `expires_at` it expires as late as the instance allows.',
      params: { ...accountInPath, ...newPersonalToken },
      result: [201, NewPersonalAccessToken],
      run: ({ platform, subject, actor, params: { user_id, ...wanted } }) =>
        createToken(platform, subject, actor, user_id, wanted),
    }),
    operation({
      ...writes,
      id: `${id}.rotate`,
      contract: contract.rotate,
      method: 'POST',
      path: `${one}/rotate`,
      summary: `Rotate a token of ${whose}`,
      description: 'Revokes it and, unless the server is configured otherwise, all other active tokens of the account.',
      params: { ...tokenInPath, ...rotation },
      result: [200, NewPersonalAccessToken],
      run: ({ platform, subject, actor, params }) => rotateToken(platform, subject, actor, params),
    }),
    operation({
      ...writes,
      id: `${id}.revoke`,
      contract: contract.revoke,
      method: 'DELETE',
      path: one,
      summary: `Revoke a token of ${whose}`,
      params: tokenInPath,
      result: [204, nothing],
      run: ({ platform, subject, params, unmodified }) => revokeToken(platform, subject, params, unmodified),
    }),
  ]
})
