import type { Actor } from '../../../api/index.ts'
import { now, type Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { userById } from '../../users/index.ts'
import { epochSeconds, maySelect } from '../issue.ts'
import { issuerOf } from '../openid/metadata.ts'
import { describeScopes } from '../scopes.ts'
import type { OauthApplicationRow } from '../tables.ts'
import { issueCode } from './codes.ts'
import type { AuthorizationRequest } from './params.ts'
import { requirePerson, signedInAt } from './people.ts'
import type { Step } from './present.ts'
import { identifiesApplication, withParameters } from './redirects.ts'
import { askedScopes, askingApplication, formProblem, promptsIn, type Refusal, withoutEmpty } from './request.ts'
import { grantOf } from './store.ts'

/** A request as it was understood. */
type Asked = { application: OauthApplicationRow; scopes: readonly string[]; refusal: Refusal | null }

async function isGrantable(db: Reader, actor: Actor, scopes: readonly string[]): Promise<boolean> {
  if (actor.kind !== 'user') return true
  const user = await userById(db, actor.userId)
  return user !== null && maySelect(user, scopes)
}

/** @throws ApiError 400 for an unknown application or address */
async function understand(db: Reader, request: AuthorizationRequest, actor: Actor): Promise<Asked> {
  const application = await askingApplication(db, request)
  const problem = formProblem(request, application)
  const scopes = askedScopes(request, application)
  if (problem || !Array.isArray(scopes)) return { application, scopes: [], refusal: problem ?? (scopes as Refusal) }
  if (await isGrantable(db, actor, scopes)) return { application, scopes, refusal: null }
  const refusal = { error: 'invalid_scope', error_description: 'The user may not grant these scopes.' }
  return { application, scopes, refusal }
}

/** Whether the application asks for a sign-in that is newer than that of the caller. */
function isSignInTooOld({ clock }: Platform, request: AuthorizationRequest, at: string): boolean {
  if (promptsIn(request).includes('login')) return true
  const ageSeconds = Math.floor(clock.now().getTime() / 1000) - epochSeconds(at)
  return request.max_age !== undefined && ageSeconds > Number(request.max_age)
}

/** Whether the user has consented to this before, to an application that cannot be another one. */
async function isAllowed(db: Reader, { application, scopes }: Asked, userId: number, request: AuthorizationRequest) {
  const prompts = promptsIn(request)
  if (prompts.includes('consent') || prompts.includes('select_account')) return false
  if (!application.confidential && !identifiesApplication(request.redirect_uri)) return false
  const grant = await grantOf(db, userId, application.id)
  return grant !== null && scopes.every((scope) => grant.scopes.includes(scope))
}

async function stepOf(platform: Platform, asked: Asked, request: AuthorizationRequest, actor: Actor): Promise<Step> {
  if (asked.refusal) return 'refused'
  const { read } = platform.database
  const at = await signedInAt(read, actor)
  if (at === null || actor.kind !== 'user' || isSignInTooOld(platform, request, at)) return 'sign_in'
  return (await isAllowed(read, asked, actor.userId, request)) ? 'allowed' : 'consent'
}

const interactions: Partial<Record<Step, string>> = { sign_in: 'login_required', consent: 'consent_required' }

/** Where an answer leads. Its `iss` tells the application from which server it comes (RFC 9207). */
function answerTo(
  platform: Platform,
  { redirect_uri, state }: AuthorizationRequest,
  answer: { code: string } | Refusal,
): string {
  return withParameters(redirect_uri, { ...answer, state, iss: issuerOf(platform) })
}

/**
 * Describes what an application asks for, and what has to happen next (contract 20, x.oauth_authorization).
 * @throws ApiError 400 for an unknown application, or an address that is not one of its own
 */
export async function describeAuthorization(platform: Platform, given: AuthorizationRequest, actor: Actor) {
  const request = withoutEmpty(given)
  const asked = await understand(platform.database.read, request, actor)
  const next = await stepOf(platform, asked, request, actor)
  const interaction = promptsIn(request).includes('none') ? interactions[next] : undefined
  const refusal = interaction ? { error: interaction, error_description: 'prompt is none.' } : asked.refusal
  return {
    step: interaction ? ('refused' as const) : next,
    application_name: asked.application.name,
    redirect_uri: request.redirect_uri,
    scopes: describeScopes(asked.scopes),
    redirect_to: refusal && answerTo(platform, request, refusal),
  }
}

/**
 * Answers the request of an application as the caller has decided (contract 20, x.oauth_authorize).
 * @throws ApiError 400 as `describeAuthorization`; 403 for callers who have not signed in with a browser
 */
export async function authorize(
  platform: Platform,
  { decision, ...given }: AuthorizationRequest & { decision: 'allow' | 'deny' },
  actor: Actor,
): Promise<{ redirect_to: string }> {
  const caller = requirePerson(actor)
  const request = withoutEmpty(given)
  const denied = { error: 'access_denied', error_description: 'The user denied the request.' }
  const answer = await platform.database.write(async (tx) => {
    const { application, scopes, refusal } = await understand(tx, request, actor)
    if (refusal) return refusal
    const authenticatedAt = await signedInAt(tx, caller)
    if (decision === 'deny' || authenticatedAt === null) return denied
    const { redirect_uri, code_challenge = null, nonce = null } = request
    const bound = { redirect_uri, challenge: code_challenge, nonce, authenticated_at: authenticatedAt }
    const granting = { userId: caller.userId, applicationId: application.id, scopes, at: now(platform.clock) }
    return { code: await issueCode(platform, tx, granting, bound) }
  })
  return { redirect_to: answerTo(platform, request, answer) }
}
