import { forms, instance, Type } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { introspectToken } from './introspection.ts'
import { describeToken, grantTokens, revokeTokens } from './oauth.ts'
import { revocation, tokenRequest } from './params.ts'

const OauthToken = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.String(),
    expires_in: Type.Integer({ description: 'Seconds' }),
    refresh_token: Type.String(),
    scope: Type.String(),
    id_token: Type.Optional(Type.String({ description: 'With the scope `openid`' })),
    created_at: Type.Integer({ description: 'Seconds since 1970' }),
  },
  { title: 'OauthToken' },
)

const OauthTokenInfo = Type.Object(
  {
    resource_owner_id: Type.Integer(),
    scope: forms.strings,
    expires_in: Type.Integer(),
    application: Type.Object({ uid: forms.nullableString }),
    created_at: Type.Integer(),
    scopes: forms.strings,
    expires_in_seconds: Type.Integer(),
  },
  { title: 'OauthTokenInfo' },
)

const OauthIntrospection = Type.Object(
  {
    active: Type.Boolean(),
    scope: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String()),
    username: Type.Optional(Type.String()),
    token_type: Type.Optional(Type.String()),
    sub: Type.Optional(Type.String({ description: 'The id of the user' })),
    iss: Type.Optional(Type.String()),
    iat: Type.Optional(Type.Integer({ description: 'Seconds since 1970' })),
    exp: Type.Optional(Type.Integer({ description: 'Seconds since 1970' })),
  },
  { title: 'OauthIntrospection' },
)

/** Clients authenticate by parameters, so credentials of the request are not evaluated before. */
const authentication = {
  subject: instance,
  allow: 'public',
  scopes: 'any',
  ownAuthentication: true,
  duringMaintenance: true,
} as const

export const oauthToken = operation({
  ...authentication,
  anyOrigin: true,
  id: 'oauth.token',
  contract: 'x.oauth_token',
  method: 'POST',
  path: '/oauth/token',
  root: true,
  tag: 'OAuth',
  summary: 'Obtain or refresh an OAuth token',
  params: tokenRequest,
  result: [200, OauthToken],
  run({ platform, params, request, setHeader }) {
    setHeader('Cache-Control', 'no-store')
    return grantTokens(platform, params, request)
  },
})

export const oauthRevoke = operation({
  ...authentication,
  anyOrigin: true,
  id: 'oauth.revoke',
  contract: 'x.oauth_revoke',
  method: 'POST',
  path: '/oauth/revoke',
  root: true,
  tag: 'OAuth',
  summary: 'Revoke an OAuth token',
  params: revocation,
  result: [200, Type.Object({})],
  async run({ platform, params, request }) {
    await revokeTokens(platform, params, request)
    return {}
  },
})

export const oauthIntrospect = operation({
  ...authentication,
  anyOrigin: true,
  id: 'oauth.introspect',
  contract: 'x.oauth_introspect',
  method: 'POST',
  path: '/oauth/introspect',
  root: true,
  tag: 'OAuth',
  summary: 'Describe an OAuth token to its application',
  params: revocation,
  result: [200, OauthIntrospection],
  run: ({ platform, params, request }) => introspectToken(platform, params, request),
})

export const oauthTokenInfo = operation({
  ...authentication,
  id: 'oauth.token_info',
  contract: 'x.oauth_token_info',
  method: 'GET',
  path: '/oauth/token/info',
  root: true,
  tag: 'OAuth',
  summary: 'Describe the OAuth token of the request',
  result: [200, OauthTokenInfo],
  run: ({ platform, request }) => describeToken(platform, request),
})
