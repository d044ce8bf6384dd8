import { instance, nothing, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { memberLevels } from '../../access/index.ts'
import { revokeReused } from '../access-tokens.ts'
import { newOwnToken, newPersonalToken, rotation, tokenFilter } from '../params.ts'
import { NewPersonalAccessToken, PersonalAccessToken, TokenChoices } from '../present.ts'
import { TokenAssociations } from './associations.ts'
import { createOwnToken, ownTokenChoices } from './own-tokens.ts'
import {
  createTokenFor,
  getOwnAssociations,
  getOwnToken,
  getPersonalToken,
  listPersonalTokens,
  revokeOwnToken,
  revokePersonalToken,
  rotateOwnToken,
  rotatePersonalToken,
} from './personal-tokens.ts'

const idInPath = { id: t.id({ otherwise: 'route' }) }
/** Scopes of which a token needs one to rotate itself. */
const rotating = ['api', 'self_rotate'] as const

const shared = { tag: 'Personal access tokens', subject: instance, allow: 'authenticated' } as const

export const personalTokensList = operation({
  ...shared,
  id: 'personal_access_tokens.list',
  contract: 'x.pats_list',
  method: 'GET',
  path: '/personal_access_tokens',
  summary: 'List personal access tokens',
  description: 'Administrators see the tokens of all users, other callers their own.',
  scopes: reading,
  params: { user_id: t.integer(), ...tokenFilter },
  result: [200, pageOf(PersonalAccessToken)],
  run: ({ platform, actor, params, page }) => listPersonalTokens(platform, actor, params, page),
})

export const personalTokensGet = operation({
  ...shared,
  id: 'personal_access_tokens.get',
  contract: 'x.pats_get',
  method: 'GET',
  path: '/personal_access_tokens/:id',
  summary: 'Get a personal access token',
  scopes: reading,
  params: idInPath,
  result: [200, PersonalAccessToken],
  run: ({ platform, actor, params }) => getPersonalToken(platform, actor, params.id),
})

export const personalTokensRotate = operation({
  ...shared,
  id: 'personal_access_tokens.rotate',
  contract: 'x.pats_rotate',
  method: 'POST',
  path: '/personal_access_tokens/:id/rotate',
  summary: 'Rotate a personal access token',
  description: 'Revokes the old token. Rotating a revoked token revokes all tokens of its chain of rotations.',
  refusedToken: revokeReused,
  scopes: rotating,
  params: { ...idInPath, ...rotation },
  result: [200, NewPersonalAccessToken],
  run: ({ platform, actor, params }) => rotatePersonalToken(platform, actor, params.id, params.expires_at),
})

export const personalTokensDelete = operation({
  ...shared,
  id: 'personal_access_tokens.delete',
  contract: 'x.pats_delete',
  method: 'DELETE',
  path: '/personal_access_tokens/:id',
  summary: 'Revoke a personal access token',
  scopes: writing,
  params: idInPath,
  result: [204, nothing],
  run: ({ platform, actor, params, unmodified }) => revokePersonalToken(platform, actor, params.id, unmodified),
})

export const personalTokensSelf = operation({
  ...shared,
  id: 'personal_access_tokens.self',
  contract: 'x.pats_self',
  method: 'GET',
  path: '/personal_access_tokens/self',
  summary: 'Get the access token of the request',
  scopes: 'any',
  jobToken: true,
  result: [200, PersonalAccessToken],
  run: ({ platform, actor }) => getOwnToken(platform, actor),
})

export const personalTokensRotateSelf = operation({
  ...shared,
  id: 'personal_access_tokens.rotate_self',
  contract: 'x.pats_self_rotate',
  method: 'POST',
  path: '/personal_access_tokens/self/rotate',
  summary: 'Rotate the access token of the request',
  description: 'A token that was revoked is refused, and all tokens of its chain of rotations are revoked.',
  refusedToken: revokeReused,
  scopes: rotating,
  params: rotation,
  result: [200, NewPersonalAccessToken],
  run: ({ platform, actor, params }) => rotateOwnToken(platform, actor, params.expires_at),
})

export const personalTokensDeleteSelf = operation({
  ...shared,
  id: 'personal_access_tokens.delete_self',
  contract: 'x.pats_self_delete',
  method: 'DELETE',
  path: '/personal_access_tokens/self',
  summary: 'Revoke the access token of the request',
  scopes: 'any',
  result: [204, nothing],
  run: ({ platform, actor }) => revokeOwnToken(platform, actor),
})

export const personalTokensCreateFor = operation({
  ...shared,
  id: 'personal_access_tokens.create_for',
  contract: 'x.users_pat_create',
  method: 'POST',
  path: '/users/:id/personal_access_tokens',
  summary: 'Create a personal access token for a user',
  allow: 'administrator',
  scopes: writing,
  params: { ...idInPath, ...newPersonalToken },
  result: [201, NewPersonalAccessToken],
  run: ({ platform, params: { id, ...wanted }, actor }) => createTokenFor(platform, id, wanted, { actor }),
})

export const personalTokensCreateOwn = operation({
  ...shared,
  id: 'personal_access_tokens.create_own',
  contract: 'x.user_pat_create',
  method: 'POST',
  path: '/user/personal_access_tokens',
  summary: 'Create a limited personal access token of your own',
  description: 'Without `expires_at` the token expires today, so it is never valid.',
  scopes: writing,
  params: newOwnToken,
  result: [201, NewPersonalAccessToken],
  run: ({ platform, actor, params }) => createOwnToken(platform, actor, params),
})

export const personalTokensChoices = operation({
  ...shared,
  id: 'personal_access_tokens.choices',
  contract: 'x.user_pat_choices',
  method: 'GET',
  path: '/user/personal_access_tokens/choices',
  summary: 'List what you may choose for a personal access token of your own',
  scopes: reading,
  result: [200, TokenChoices],
  run: ({ platform, actor }) => ownTokenChoices(platform, actor),
})

export const personalTokensSelfAssociations = operation({
  ...shared,
  id: 'personal_access_tokens.self_associations',
  contract: 'x.pats_self_assoc',
  method: 'GET',
  path: '/personal_access_tokens/self/associations',
  summary: 'List the groups and projects that your token reaches',
  description: 'One page of each.',
  scopes: reading,
  params: { min_access_level: t.integerOf(memberLevels, { description: 'The least role in them.' }) },
  list: {},
  result: [200, TokenAssociations],
  run: ({ platform, actor, params, page }) => getOwnAssociations(platform, actor, params.min_access_level, page),
})
