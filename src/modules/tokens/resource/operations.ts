import { type Actor, badRequest, nothing, pageOf, reading, t, unauthorized, writing } from '../../../api/index.ts'
import { operation, refusing } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import { revokeReused } from '../access-tokens.ts'
import { newResourceToken, rotation, tokenFilter } from '../params.ts'
import { NewResourceToken, ResourceToken } from '../present.ts'
import {
  createResourceToken,
  getResourceToken,
  listResourceTokens,
  revokeResourceToken,
  rotateOwnResourceToken,
  rotateResourceToken,
} from './resource-tokens.ts'

const isBot = (actor: Actor) => actor.kind === 'user' && actor.bot
const tokenId = { token_id: t.id({ otherwise: 'route' }) }

/** Project and group access tokens (contract 20, x.project_tokens_*, x.group_tokens_*). */
export const resourceTokenOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const tag = kind === 'project' ? 'Project access tokens' : 'Group access tokens'
  const mayNotCreate = () => badRequest(`User does not have permission to create ${kind} access token`)
  const shared = { tag, subject, allow: 'admin_tokens' } as const
  return [
    operation({
      ...shared,
      id: `${kind}_access_tokens.list`,
      contract: `x.${kind}_tokens_list`,
      method: 'GET',
      path: `${path}/access_tokens`,
      summary: `List the access tokens of a ${kind}`,
      description: 'Forbidden callers are answered with 401.',
      subject: refusing(subject, unauthorized),
      scopes: reading,
      params: tokenFilter,
      result: [200, pageOf(ResourceToken)],
      run: ({ platform, subject, params, page }) => listResourceTokens(platform, subject, params, page),
    }),
    operation({
      ...shared,
      id: `${kind}_access_tokens.get`,
      contract: `x.${kind}_tokens_get`,
      method: 'GET',
      path: `${path}/access_tokens/:token_id`,
      summary: `Get an access token of a ${kind}`,
      scopes: reading,
      params: tokenId,
      result: [200, ResourceToken],
      run: ({ platform, subject, params }) => getResourceToken(platform, subject, params.token_id),
    }),
    operation({
      ...shared,
      id: `${kind}_access_tokens.create`,
      contract: `x.${kind}_tokens_create`,
      method: 'POST',
      path: `${path}/access_tokens`,
      summary: `Create an access token of a ${kind}`,
      description: `Creates a bot user that is a member of the ${kind}. Forbidden callers are answered with 400.`,
      subject: refusing(subject, mayNotCreate, isBot),
      scopes: writing,
      params: newResourceToken,
      result: [201, NewResourceToken],
      run: ({ platform, subject, actor, params, act }) =>
        createResourceToken(platform, subject, { actor, act }, params),
    }),
    operation({
      ...shared,
      id: `${kind}_access_tokens.rotate`,
      contract: `x.${kind}_tokens_rotate`,
      method: 'POST',
      path: `${path}/access_tokens/:token_id/rotate`,
      summary: `Rotate an access token of a ${kind}`,
      refusedToken: revokeReused,
      scopes: writing,
      params: { ...tokenId, ...rotation },
      result: [200, NewResourceToken],
      run: ({ platform, subject, actor, params, act }) =>
        rotateResourceToken(platform, subject, { actor, act }, params.token_id, params.expires_at),
    }),
    operation({
      ...shared,
      id: `${kind}_access_tokens.rotate_self`,
      contract: `x.${kind}_tokens_self_rotate`,
      method: 'POST',
      path: `${path}/access_tokens/self/rotate`,
      summary: `Rotate the ${kind} access token of the request`,
      description: 'A token that was revoked is refused, and all tokens of its chain of rotations are revoked.',
      refusedToken: revokeReused,
      allow: 'rotate_own_token',
      scopes: ['api', 'self_rotate'],
      params: rotation,
      result: [200, NewResourceToken],
      run: ({ platform, subject, actor, params }) =>
        rotateOwnResourceToken(platform, subject, actor, params.expires_at),
    }),
    operation({
      ...shared,
      id: `${kind}_access_tokens.delete`,
      contract: `x.${kind}_tokens_delete`,
      method: 'DELETE',
      path: `${path}/access_tokens/:token_id`,
      summary: `Revoke an access token of a ${kind}`,
      description: `Also ends the membership of its bot in the ${kind}.`,
      scopes: writing,
      params: tokenId,
      result: [204, nothing],
      run: ({ platform, subject, params, unmodified, act }) =>
        revokeResourceToken(platform, subject, params.token_id, { unmodified, act }),
    }),
  ]
})
