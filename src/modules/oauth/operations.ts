import { forms, instance, type Operation, operation, Type, t } from '../../api/index.ts'
import type { Oauth } from './oauth.ts'

const OauthToken = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.String(),
    expires_in: Type.Integer({ description: 'Seconds' }),
    refresh_token: Type.String(),
    scope: Type.String(),
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

/** Clients authenticate by what stands in the request itself, so no credential is looked at before. */
const common = {
  root: true,
  tag: 'OAuth',
  subject: instance,
  allow: 'public',
  scopes: 'any',
  ownAuthentication: true,
} as const

const client = { client_id: t.string(), client_secret: t.string() }

export function oauthOperations({ oauth }: { oauth: Oauth }): Operation[] {
  return [
    operation({
      ...common,
      id: 'oauth.token',
      contract: 'x.oauth_token',
      method: 'POST',
      path: '/oauth/token',
      summary: 'Obtain or refresh an OAuth token',
      params: {
        grant_type: t.string({ description: '`password` or `refresh_token`.' }),
        username: t.string({ description: 'User name or confirmed e-mail address.' }),
        password: t.string(),
        scope: t.string({ description: 'Separated by spaces; `api` unless told.' }),
        refresh_token: t.string(),
        redirect_uri: t.string(),
        code: t.string(),
        code_verifier: t.string(),
        ...client,
      },
      result: [200, OauthToken],
      run: ({ params, request }) => oauth.grant(params, request),
    }),
    operation({
      ...common,
      id: 'oauth.revoke',
      contract: 'x.oauth_revoke',
      method: 'POST',
      path: '/oauth/revoke',
      summary: 'Revoke an OAuth token',
      params: { token: t.required(t.string()), ...client },
      result: [200, Type.Object({})],
      async run({ params, request }) {
        await oauth.revoke(params, request)
        return {}
      },
    }),
    operation({
      ...common,
      id: 'oauth.token_info',
      contract: 'x.oauth_token_info',
      method: 'GET',
      path: '/oauth/token/info',
      summary: 'Describe the presented OAuth token',
      result: [200, OauthTokenInfo],
      run: ({ request }) => oauth.describe(request),
    }),
  ]
}
