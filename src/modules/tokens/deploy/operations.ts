import { instance, nothing, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import { newDeployToken } from '../params.ts'
import { DeployToken, NewDeployToken } from '../present.ts'
import { createDeployToken, deleteDeployToken, getDeployToken, listDeployTokens } from './deploy-tokens.ts'

const tag = 'Deploy tokens'
const deployTokenFilter = { active: t.boolean({ description: 'Leaves out revoked and expired tokens.' }) }
const tokenId = { token_id: t.id({ otherwise: 'route' }) }

export const deployTokensList = operation({
  id: 'deploy_tokens.list',
  contract: 'x.deploy_tokens_all',
  method: 'GET',
  path: '/deploy_tokens',
  tag,
  summary: 'List all deploy tokens',
  subject: instance,
  allow: 'administrator',
  scopes: reading,
  params: deployTokenFilter,
  result: [200, pageOf(DeployToken)],
  run: ({ platform, params, page }) => listDeployTokens(platform, null, params, page),
})

/** Deploy tokens of projects and groups (contract 20, x.*_deploy_tokens_*). */
export const deployTokenOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const read = { tag, subject, allow: 'read_deploy_tokens', scopes: reading } as const
  const change = { tag, subject, allow: 'admin_deploy_tokens', scopes: writing } as const
  return [
    operation({
      ...read,
      id: `${kind}_deploy_tokens.list`,
      contract: `x.${kind}_deploy_tokens_list`,
      method: 'GET',
      path: `${path}/deploy_tokens`,
      summary: `List the deploy tokens of a ${kind}`,
      params: deployTokenFilter,
      result: [200, pageOf(DeployToken)],
      run: ({ platform, subject, params, page }) => listDeployTokens(platform, subject, params, page),
    }),
    operation({
      ...read,
      id: `${kind}_deploy_tokens.get`,
      contract: `x.${kind}_deploy_tokens_get`,
      method: 'GET',
      path: `${path}/deploy_tokens/:token_id`,
      summary: `Get a deploy token of a ${kind}`,
      params: tokenId,
      result: [200, DeployToken],
      run: ({ platform, subject, params }) => getDeployToken(platform, subject, params.token_id),
    }),
    operation({
      ...change,
      id: `${kind}_deploy_tokens.create`,
      contract: `x.${kind}_deploy_tokens_create`,
      method: 'POST',
      path: `${path}/deploy_tokens`,
      summary: `Create a deploy token of a ${kind}`,
      params: newDeployToken,
      result: [201, NewDeployToken],
      run: ({ platform, subject, actor, params, act }) => createDeployToken(platform, subject, { actor, act }, params),
    }),
    operation({
      ...change,
      id: `${kind}_deploy_tokens.delete`,
      contract: `x.${kind}_deploy_tokens_delete`,
      method: 'DELETE',
      path: `${path}/deploy_tokens/:token_id`,
      summary: `Delete a deploy token of a ${kind}`,
      params: tokenId,
      result: [204, nothing],
      run: ({ platform, subject, params, unmodified, act }) =>
        deleteDeployToken(platform, subject, params.token_id, { unmodified, act }),
    }),
  ]
})
