import {
  instance,
  nothing,
  type Operation,
  operation,
  pageOf,
  pathId,
  reading,
  requireUnmodified,
  type Subject,
  t,
  writing,
} from '../../../api/index.ts'
import type { DeployTokens } from '../deploy.ts'
import { deployScopes, scopesOf } from '../params.ts'
import { DeployToken, NewDeployToken } from '../present.ts'
import type { TokenPlace } from '../store/bots.ts'

type Ability = 'read_deploy_tokens' | 'admin_deploy_tokens'

/** What differs between the deploy tokens of projects and those of groups. */
export type DeployKind<S, A extends string> = {
  noun: 'project' | 'group'
  subject: Subject<S, A | Ability>
  placeOf(found: S): TokenPlace
}

const tag = 'Deploy tokens'
const listParams = { active: t.boolean({ description: 'Whether to leave out what is revoked or expired.' }) }

/** All deploy tokens there are, for administrators (contract 20, x.deploy_tokens_all). */
export function allDeployTokensOperation(tokens: DeployTokens): Operation {
  return operation({
    id: 'deploy_tokens.list',
    contract: 'x.deploy_tokens_all',
    method: 'GET',
    path: '/deploy_tokens',
    tag,
    summary: 'List all deploy tokens',
    subject: instance,
    allow: 'administrator',
    scopes: reading,
    params: listParams,
    result: [200, pageOf(DeployToken)],
    run: ({ params, page }) => tokens.list(null, params, page),
  })
}

/** Deploy tokens of projects and groups: one set of operations for both (contract 20, x.*_deploy_tokens_*). */
export function deployTokenOperations<S, A extends string>(
  tokens: DeployTokens,
  { noun, subject, placeOf }: DeployKind<S, A>,
): Operation[] {
  const path = `/${noun}s/:id/deploy_tokens`
  const onOne = { path: `${path}/:token_id`, numericPath: { token_id: 'route' } as const }
  const id = (name: string) => `${noun}_deploy_tokens.${name}`
  const contract = (name: string) => `x.${noun}_deploy_tokens_${name}`
  const toRead = { tag, subject, allow: 'read_deploy_tokens' as const }
  const toChange = { tag, subject, allow: 'admin_deploy_tokens' as const }
  return [
    operation({
      ...toRead,
      id: id('list'),
      contract: contract('list'),
      method: 'GET',
      path,
      summary: `List the deploy tokens of a ${noun}`,
      scopes: reading,
      params: listParams,
      result: [200, pageOf(DeployToken)],
      run: ({ subject: found, params, page }) => tokens.list(placeOf(found), params, page),
    }),
    operation({
      ...toRead,
      ...onOne,
      id: id('get'),
      contract: contract('get'),
      method: 'GET',
      summary: `Get a deploy token of a ${noun}`,
      scopes: reading,
      result: [200, DeployToken],
      run: ({ subject: found, request }) => tokens.get(placeOf(found), pathId(request.path.token_id)),
    }),
    operation({
      ...toChange,
      id: id('create'),
      contract: contract('create'),
      method: 'POST',
      path,
      summary: `Create a deploy token of a ${noun}`,
      scopes: writing,
      params: {
        name: t.required(t.string()),
        scopes: t.required(scopesOf(deployScopes)),
        expires_at: t.datetime({ description: 'A date is its first moment, in UTC.' }),
        username: t.string({ description: 'Default `gitlab+deploy-token-{id}`.' }),
      },
      result: [201, NewDeployToken],
      run: ({ subject: found, actor, params }) => tokens.create(placeOf(found), actor, params),
    }),
    operation({
      ...toChange,
      ...onOne,
      id: id('delete'),
      contract: contract('delete'),
      method: 'DELETE',
      summary: `Delete a deploy token of a ${noun}`,
      scopes: writing,
      result: [204, nothing],
      run: ({ subject: found, request }) =>
        tokens.remove(placeOf(found), pathId(request.path.token_id), (updatedAt) =>
          requireUnmodified(request, updatedAt),
        ),
    }),
  ]
}
