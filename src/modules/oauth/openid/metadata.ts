import type { Platform } from '../../../platform/index.ts'
import { knownScopes } from '../scopes.ts'

const clientMethods = ['client_secret_basic', 'client_secret_post']

/** What applications need to know of this server (RFC 8414). */
export function serverMetadata(platform: Platform) {
  const issuer = issuerOf(platform)
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    device_authorization_endpoint: `${issuer}/oauth/authorize_device`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    jwks_uri: `${issuer}/oauth/discovery/keys`,
    scopes_supported: [...knownScopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      'password',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
    token_endpoint_auth_methods_supported: [...clientMethods, 'none'],
    revocation_endpoint_auth_methods_supported: [...clientMethods, 'none'],
    introspection_endpoint_auth_methods_supported: clientMethods,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
}

/** The same with what concerns people (OpenID Connect Discovery, 3). */
export function providerMetadata(platform: Platform) {
  const profile = ['name', 'nickname', 'preferred_username', 'profile', 'picture']
  return {
    ...serverMetadata(platform),
    userinfo_endpoint: `${issuerOf(platform)}/oauth/userinfo`,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claims_supported: ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', ...profile, 'email', 'email_verified'],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  }
}

/** The name of this server among the servers that applications know: its address. */
export const issuerOf = ({ externalUrl }: Platform) => externalUrl.replace(/\/$/, '')
