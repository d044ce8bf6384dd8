import {
  allScopes,
  instance,
  nothing,
  type Operation,
  operation,
  pageOf,
  pathId,
  reading,
  requireUnmodified,
  t,
  writing,
} from '../../../api/index.ts'
import { listParams, ownScopes, scopesOf } from '../params.ts'
import type { PersonalTokens } from '../personal.ts'
import { NewPersonalAccessToken, PersonalAccessToken } from '../present.ts'

const tag = 'Personal access tokens'
const path = '/personal_access_tokens'

/** What an operation on tokens of people has in common with the others. */
const shared = { tag, subject: instance, allow: 'authenticated' as const }
/** Scopes of which a token needs one to rotate itself. */
const rotating = ['api', 'self_rotate'] as const

const newToken = {
  name: t.required(t.string()),
  description: t.string(),
}
const expiresAt = t.date({ description: 'The day from whose first moment on the token is dead.' })

function creations(tokens: PersonalTokens): Operation[] {
  return [
    operation({
      ...shared,
      id: 'personal_access_tokens.create_for',
      contract: 'x.users_pat_create',
      method: 'POST',
      path: '/users/:id/personal_access_tokens',
      summary: 'Create a personal access token for a user',
      allow: 'administrator',
      scopes: writing,
      numericPath: { id: 'route' },
      params: { ...newToken, scopes: t.required(scopesOf(allScopes)), expires_at: expiresAt },
      result: [201, NewPersonalAccessToken],
      run: ({ params, request }) => tokens.createFor(pathId(request.path.id), params),
    }),
    operation({
      ...shared,
      id: 'personal_access_tokens.create_own',
      contract: 'x.user_pat_create',
      method: 'POST',
      path: '/user/personal_access_tokens',
      summary: 'Create a limited personal access token of your own',
      description: 'Without `expires_at` the token expires today, that is, it is dead from the start.',
      scopes: writing,
      params: { ...newToken, scopes: t.required(scopesOf(ownScopes)), expires_at: expiresAt },
      result: [201, NewPersonalAccessToken],
      run: ({ actor, params }) => tokens.createOwn(actor, params),
    }),
  ]
}

function ofSelf(tokens: PersonalTokens): Operation[] {
  return [
    operation({
      ...shared,
      id: 'personal_access_tokens.self',
      contract: 'x.pats_self',
      method: 'GET',
      path: `${path}/self`,
      summary: 'Get the token that the request comes with',
      scopes: 'any',
      jobToken: true,
      result: [200, PersonalAccessToken],
      run: ({ actor }) => tokens.self(actor),
    }),
    operation({
      ...shared,
      id: 'personal_access_tokens.rotate_self',
      contract: 'x.pats_self_rotate',
      method: 'POST',
      path: `${path}/self/rotate`,
      summary: 'Rotate the token that the request comes with',
      scopes: rotating,
      params: { expires_at: expiresAt },
      result: [200, NewPersonalAccessToken],
      run: ({ actor, params }) => tokens.rotateSelf(actor, params.expires_at),
    }),
    operation({
      ...shared,
      id: 'personal_access_tokens.delete_self',
      contract: 'x.pats_self_delete',
      method: 'DELETE',
      path: `${path}/self`,
      summary: 'Revoke the token that the request comes with',
      scopes: 'any',
      result: [204, nothing],
      run: ({ actor }) => tokens.revokeSelf(actor),
    }),
  ]
}

/** Personal access tokens: those that people, and service accounts, act with (contract 20, x.pats_*). */
export function personalTokenOperations(tokens: PersonalTokens): Operation[] {
  return [
    operation({
      ...shared,
      id: 'personal_access_tokens.list',
      contract: 'x.pats_list',
      method: 'GET',
      path,
      summary: 'List personal access tokens',
      description: 'Administrators see those of everybody, others their own.',
      scopes: reading,
      params: { user_id: t.integer(), ...listParams },
      result: [200, pageOf(PersonalAccessToken)],
      run: ({ actor, params, page }) => tokens.list(actor, params, page),
    }),
    operation({
      ...shared,
      id: 'personal_access_tokens.get',
      contract: 'x.pats_get',
      method: 'GET',
      path: `${path}/:id`,
      summary: 'Get a personal access token',
      scopes: reading,
      numericPath: { id: 'route' },
      result: [200, PersonalAccessToken],
      run: ({ actor, request }) => tokens.get(actor, pathId(request.path.id)),
    }),
    operation({
      ...shared,
      id: 'personal_access_tokens.rotate',
      contract: 'x.pats_rotate',
      method: 'POST',
      path: `${path}/:id/rotate`,
      summary: 'Rotate a personal access token',
      description: 'The old token is revoked. Rotating a revoked one revokes every token that came of it.',
      scopes: rotating,
      numericPath: { id: 'route' },
      params: { expires_at: expiresAt },
      result: [200, NewPersonalAccessToken],
      run: ({ actor, params, request }) => tokens.rotate(actor, pathId(request.path.id), params.expires_at),
    }),
    operation({
      ...shared,
      id: 'personal_access_tokens.delete',
      contract: 'x.pats_delete',
      method: 'DELETE',
      path: `${path}/:id`,
      summary: 'Revoke a personal access token',
      scopes: writing,
      numericPath: { id: 'route' },
      result: [204, nothing],
      run: ({ actor, request }) =>
        tokens.revoke(actor, pathId(request.path.id), (updatedAt) => requireUnmodified(request, updatedAt)),
    }),
    ...ofSelf(tokens),
    ...creations(tokens),
  ]
}
