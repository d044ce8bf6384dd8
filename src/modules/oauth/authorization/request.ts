import { ApiError, badRequest } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { applicationOf } from '../clients.ts'
import { firstScopes } from '../issue.ts'
import type { OauthApplicationRow } from '../tables.ts'
import type { AuthorizationRequest } from './params.ts'
import { isRegistered } from './redirects.ts'

/** An error that the application gets by redirection (RFC 6749, 4.1.2.1). */
export type Refusal = { error: string; error_description: string }

const refusal = (error: string, error_description: string): Refusal => ({ error, error_description })

const longestNonce = 1_024
const prompts = ['none', 'login', 'consent', 'select_account']

/** A request without empty parameters, which count as absent (RFC 6749, 3.1). */
export function withoutEmpty<R extends object>(request: R): R {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== '')) as R
}

/**
 * The application that asks. While it or the address is in doubt, nothing is redirected: the user gets an error (RFC 6749, 4.1.2.1).
 * @throws ApiError 400
 */
export async function askingApplication(
  db: Reader,
  { client_id: uid = '', redirect_uri: address = '' }: AuthorizationRequest,
): Promise<OauthApplicationRow> {
  const application = await applicationOf(db, uid)
  if (!application) throw badRequest('The application is unknown')
  if (!isRegistered(application.redirect_uri, address)) {
    throw badRequest('The application has not registered the address to which it asks to be redirected')
  }
  return application
}

function challengeProblem({ code_challenge: challenge, code_challenge_method: method }: AuthorizationRequest) {
  if (challenge === undefined && method === undefined) return null
  if (method !== 'S256') return refusal('invalid_request', 'code_challenge_method must be S256.')
  if (/^[\w-]{43}$/.test(challenge ?? '')) return null
  return refusal('invalid_request', 'code_challenge must be a SHA-256 in base64url.')
}

/** The values of `prompt`. */
export const promptsIn = ({ prompt = '' }: AuthorizationRequest) => prompt.split(' ').filter((one) => one !== '')

function promptProblem(request: AuthorizationRequest): Refusal | null {
  const asked = promptsIn(request)
  const isKnown = asked.every((one) => prompts.includes(one))
  if (isKnown && (!asked.includes('none') || asked.length === 1)) return null
  return refusal('invalid_request', 'prompt is invalid.')
}

/** What is wrong with the form of a request; null when nothing is. */
export function formProblem(request: AuthorizationRequest, application: OauthApplicationRow): Refusal | null {
  if (request.request !== undefined) return refusal('request_not_supported', 'Request objects are not supported.')
  if (request.request_uri !== undefined) return refusal('request_uri_not_supported', 'request_uri is not supported.')
  if (!request.response_type) return refusal('invalid_request', 'Missing required parameter: response_type.')
  if (request.response_type !== 'code') return refusal('unsupported_response_type', 'response_type must be code.')
  if ((request.response_mode ?? 'query') !== 'query') return refusal('invalid_request', 'response_mode must be query.')
  if (!application.confidential && request.code_challenge === undefined) {
    return refusal('invalid_request', 'Missing required parameter: code_challenge.')
  }
  if ((request.nonce ?? '').length > longestNonce) return refusal('invalid_request', 'nonce is too long.')
  if (!/^\d{1,9}$/.test(request.max_age ?? '0')) return refusal('invalid_request', 'max_age is invalid.')
  return challengeProblem(request) ?? promptProblem(request)
}

/** The scopes that are asked for; a refusal when they are unknown, or not those of the application. */
export function askedScopes({ scope }: AuthorizationRequest, application: OauthApplicationRow): string[] | Refusal {
  try {
    return firstScopes(scope, application)
  } catch (error) {
    if (error instanceof ApiError) return error.body as Refusal
    throw error
  }
}
