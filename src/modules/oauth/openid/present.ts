import { forms, Type } from '../../../api/index.ts'

const server = {
  issuer: Type.String(),
  authorization_endpoint: Type.String(),
  token_endpoint: Type.String(),
  revocation_endpoint: Type.String(),
  device_authorization_endpoint: Type.String(),
  introspection_endpoint: Type.String(),
  jwks_uri: Type.String(),
  scopes_supported: forms.strings,
  response_types_supported: forms.strings,
  response_modes_supported: forms.strings,
  grant_types_supported: forms.strings,
  token_endpoint_auth_methods_supported: forms.strings,
  revocation_endpoint_auth_methods_supported: forms.strings,
  introspection_endpoint_auth_methods_supported: forms.strings,
  code_challenge_methods_supported: forms.strings,
  authorization_response_iss_parameter_supported: Type.Boolean(),
}

/** RFC 8414. */
export const ServerMetadata = Type.Object(server, { title: 'OauthServerMetadata' })

/** OpenID Connect Discovery. */
export const ProviderMetadata = Type.Object(
  {
    ...server,
    userinfo_endpoint: Type.String(),
    subject_types_supported: forms.strings,
    id_token_signing_alg_values_supported: forms.strings,
    claims_supported: forms.strings,
    request_parameter_supported: Type.Boolean(),
    request_uri_parameter_supported: Type.Boolean(),
  },
  { title: 'OpenidProviderMetadata' },
)

const text = Type.String()

export const KeySet = Type.Object(
  { keys: Type.Array(Type.Object({ kty: text, kid: text, use: text, alg: text, n: text, e: text })) },
  { title: 'OpenidKeySet' },
)

export const UserInfo = Type.Object(
  {
    sub: Type.String({ description: 'The id of the user' }),
    name: Type.Optional(Type.String()),
    nickname: Type.Optional(Type.String()),
    preferred_username: Type.Optional(Type.String()),
    profile: Type.Optional(Type.String()),
    picture: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
    email_verified: Type.Optional(Type.Boolean()),
  },
  { title: 'OpenidUserInfo' },
)
