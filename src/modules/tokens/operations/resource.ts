import {
  type Actor,
  badRequest,
  nothing,
  type Operation,
  operation,
  pageOf,
  pathId,
  reading,
  requireUnmodified,
  type Subject,
  t,
  unauthorized,
  writing,
} from '../../../api/index.ts'
import { listParams, resourceScopes, scopesOf } from '../params.ts'
import { NewResourceToken, ResourceToken } from '../present.ts'
import { refusing } from '../refusal.ts'
import type { CallerPlace, ResourceTokens } from '../resource.ts'

/** The abilities in which the two kinds of places agree. */
type Ability = 'admin_tokens' | 'rotate_own_token'

/** What differs between the tokens of projects and those of groups. */
export type ResourceKind<S, A extends string> = {
  noun: 'project' | 'group'
  subject: Subject<S, A | Ability>
  placeOf(found: S): CallerPlace
}

const roles = [10, 15, 20, 30, 40, 50]
const isBot = (actor: Actor) => actor.kind === 'user' && actor.bot

/** Project and group access tokens: one set of operations for both (contract 20, x.project_tokens_*, x.group_tokens_*). */
export function resourceTokenOperations<S, A extends string>(
  tokens: ResourceTokens,
  { noun, subject, placeOf }: ResourceKind<S, A>,
): Operation[] {
  const path = `/${noun}s/:id/access_tokens`
  const shared = { tag: `${noun === 'project' ? 'Project' : 'Group'} access tokens`, allow: 'admin_tokens' as const }
  const onOne = { ...shared, subject, path: `${path}/:token_id`, numericPath: { token_id: 'route' } as const }
  const id = (name: string) => `${noun}_access_tokens.${name}`
  const contract = (name: string) => `x.${noun}_tokens_${name}`
  const mayNotCreate = () => badRequest(`User does not have permission to create ${noun} access token`)
  return [
    operation({
      ...shared,
      id: id('list'),
      contract: contract('list'),
      method: 'GET',
      path,
      summary: `List the access tokens of a ${noun}`,
      description: 'Whoever may not is answered with 401.',
      subject: refusing(subject, unauthorized),
      scopes: reading,
      params: listParams,
      result: [200, pageOf(ResourceToken)],
      run: ({ subject: found, params, page }) => tokens.list(placeOf(found), params, page),
    }),
    operation({
      ...onOne,
      id: id('get'),
      contract: contract('get'),
      method: 'GET',
      summary: `Get an access token of a ${noun}`,
      scopes: reading,
      result: [200, ResourceToken],
      run: ({ subject: found, request }) => tokens.get(placeOf(found), pathId(request.path.token_id)),
    }),
    operation({
      ...shared,
      id: id('create'),
      contract: contract('create'),
      method: 'POST',
      path,
      summary: `Create an access token of a ${noun}`,
      description: `Makes a bot user that is a member of the ${noun}. Whoever may not is answered with 400.`,
      subject: refusing(subject, mayNotCreate, isBot),
      scopes: writing,
      params: {
        name: t.required(t.string()),
        description: t.string(),
        scopes: t.required(scopesOf(resourceScopes)),
        access_level: t.integerOf(roles, { description: 'Role of the bot, at most that of the caller. Default 40.' }),
        expires_at: t.date({ description: 'The day from whose first moment on the token is dead.' }),
      },
      result: [201, NewResourceToken],
      run: ({ subject: found, actor, params }) => tokens.create(placeOf(found), actor, params),
    }),
    operation({
      ...onOne,
      id: id('rotate'),
      contract: contract('rotate'),
      method: 'POST',
      path: `${path}/:token_id/rotate`,
      summary: `Rotate an access token of a ${noun}`,
      scopes: writing,
      params: { expires_at: t.date() },
      result: [200, NewResourceToken],
      run: ({ subject: found, actor, params, request }) =>
        tokens.rotate(placeOf(found), actor, pathId(request.path.token_id), params.expires_at),
    }),
    operation({
      ...shared,
      id: id('rotate_self'),
      contract: contract('self_rotate'),
      method: 'POST',
      path: `${path}/self/rotate`,
      summary: `Rotate the ${noun} access token that the request comes with`,
      subject,
      allow: 'rotate_own_token',
      scopes: ['api', 'self_rotate'],
      params: { expires_at: t.date() },
      result: [200, NewResourceToken],
      run: ({ subject: found, actor, params }) => tokens.rotateSelf(placeOf(found), actor, params.expires_at),
    }),
    operation({
      ...onOne,
      id: id('delete'),
      contract: contract('delete'),
      method: 'DELETE',
      summary: `Revoke an access token of a ${noun}`,
      description: `The membership of its bot in the ${noun} ends.`,
      scopes: writing,
      result: [204, nothing],
      run: ({ subject: found, request }) =>
        tokens.revoke(placeOf(found), pathId(request.path.token_id), (updatedAt) =>
          requireUnmodified(request, updatedAt),
        ),
    }),
  ]
}
