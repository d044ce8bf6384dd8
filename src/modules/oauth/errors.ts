import { ApiError } from '../../api/index.ts'

function oauthError(status: 400 | 401, error: string, description: string): ApiError {
  return new ApiError(error, status, { error, error_description: description })
}

/** The login, the code or the refresh token is wrong (contract 20, x.oauth_token). */
export const invalidGrant = () =>
  oauthError(
    400,
    'invalid_grant',
    'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the ' +
      'authorization request, or was issued to another client.',
  )

const pendingWords = {
  authorization_pending: 'The user has not decided yet.',
  slow_down: 'The client asks too often: the interval grows by five seconds.',
  expired_token: 'The device code has expired.',
  access_denied: 'The user denied the request.',
}
export type PendingError = keyof typeof pendingWords

/** A device gets no tokens, or not yet (RFC 8628, 3.5). */
export const pending = (error: PendingError) => oauthError(400, error, pendingWords[error])

/** The client is unknown. */
export const invalidClient = () =>
  oauthError(
    401,
    'invalid_client',
    'Client authentication failed due to unknown client, no client authentication included, or unsupported ' +
      'authentication method.',
  )

/** The client may not use this kind of grant. */
export const unauthorizedClient = () =>
  oauthError(400, 'unauthorized_client', 'The client is not authorized to perform this request using this method.')

export const unsupportedGrantType = () =>
  oauthError(
    400,
    'unsupported_grant_type',
    'The authorization grant type is not supported by the authorization server.',
  )

export const missingGrantType = () => oauthError(400, 'invalid_request', 'Missing required parameter: grant_type.')

export const invalidScope = () =>
  oauthError(400, 'invalid_scope', 'The requested scope is invalid, unknown, or malformed.')
