import { type Actor, anonymous, type UserActor } from '../operation/actor.ts'
import { parseBasic } from '../operation/basic.ts'
import { ApiError, forbidden, insufficientScope, unauthorized } from '../operation/errors.ts'
import type { Operation } from '../operation/operation.ts'
import { parseNestedParameters } from '../operation/parameters/nested-parameters.ts'
import { parameterError } from '../operation/parameters/parameter-errors.ts'
import { header, type RequestInfo } from '../operation/request.ts'
import { reading, requireScope } from '../operation/scopes.ts'

/** How a token was sent; each carrier accepts certain kinds (contract 00, "Authentication"). */
type Carrier = 'job' | 'bearer' | 'private'

/** A token as it was sent. */
export type PresentedToken = { carrier: Carrier; text: string }

/** Verifies tokens and finds users; provided by the module of tokens. */
export type Authenticator = {
  /**
   * Returns the user of a token.
   * @throws ApiError 401 when it is unknown, expired or revoked; 403 when the account may not be used
   */
  authenticate(token: PresentedToken, ip: string): Promise<UserActor>
  /** Returns the user with an id or username, with the credential of `caller`; null when there is none. */
  impersonate(caller: UserActor, target: string): Promise<UserActor | null>
  /** Returns the user who is signed in with the browser of a request; null when there is none. Only files that pages show ask it. */
  ofBrowser?(request: Pick<Credentials, 'headers' | 'ip'>): Promise<UserActor | null>
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The parts of a request that may hold credentials. */
type Credentials = Pick<RequestInfo, 'headers' | 'raw' | 'query' | 'ip'>

function bearer(request: Credentials): string | undefined {
  const authorization = header(request, 'authorization') ?? ''
  return textOf(/^bearer\s+(.+)$/i.exec(authorization)?.[1]?.trim())
}

/** The tokens that an operation takes besides those of users in the usual carriers. */
type Accepted = Pick<Operation, 'jobToken' | 'basic'>

/** The user name with which a job sends its token by Basic. */
const jobUsername = 'gitlab-ci-token'

function basicToken(request: Credentials): PresentedToken | undefined {
  const { username, password } = parseBasic(header(request, 'authorization')) ?? {}
  const text = textOf(password)
  return text === undefined ? undefined : { carrier: username === jobUsername ? 'job' : 'private', text }
}

/**
 * Returns the token of a request: job token before bearer before private token before Basic, where that is taken. The first one
 * present decides; an empty one counts as absent.
 */
export function presentedToken(request: Credentials, { basic }: Accepted = {}): PresentedToken | undefined {
  const { raw } = request
  const job = textOf(header(request, 'job-token')) ?? textOf(raw.job_token)
  if (job) return { carrier: 'job', text: job }
  const oauth = bearer(request) ?? textOf(request.query?.access_token)
  if (oauth) return { carrier: 'bearer', text: oauth }
  const personal = textOf(header(request, 'private-token')) ?? textOf(raw.private_token)
  if (personal) return { carrier: 'private', text: personal }
  return basic ? basicToken(request) : undefined
}

/**
 * Step 4: authenticates the caller.
 * @param accepted where no job tokens are taken, the caller of a valid one is anonymous
 * @throws ApiError 401 when an invalid token was sent, on every operation; 403 when the account may not be used
 */
export async function authenticate(
  request: Credentials,
  authenticator: Authenticator,
  accepted: Accepted,
): Promise<Actor> {
  const token = presentedToken(request, accepted)
  if (!token) return anonymous
  const actor = await authenticator.authenticate(token, request.ip)
  return token.carrier === 'job' && !accepted.jobToken ? anonymous : actor
}

/**
 * The caller of a request for a file that pages show: by a token as `authenticate`, and by the session of a browser when there is
 * none.
 */
export async function authenticateReader(
  request: Credentials,
  authenticator: Authenticator,
  accepted: Accepted,
): Promise<Actor> {
  const byToken = presentedToken(request) !== undefined
  const ofBrowser = byToken ? null : await authenticator.ofBrowser?.(request)
  return ofBrowser ?? authenticate(request, authenticator, accepted)
}

/**
 * The caller of a web address outside the API: by a token in a header or in the query, or by the session of a browser.
 * @throws ApiError 401 when the token is invalid, 403 when it may not read
 */
export async function readerOf(
  { headers, ip }: Pick<Credentials, 'headers' | 'ip'>,
  search: string,
  authenticator: Authenticator,
  accepted: Accepted,
): Promise<Actor> {
  const query = parseNestedParameters(search)
  const actor = await authenticateReader({ headers, ip, raw: query, query }, authenticator, accepted)
  requireScope(actor, reading)
  return actor
}

/**
 * Step 5: an administrator may act as another user (contract 00, "Sudo").
 * @throws ApiError 401, 403 or 404 by the table there; 400 when a list or an object is named
 */
export async function applySudo(request: RequestInfo, actor: Actor, authenticator: Authenticator): Promise<Actor> {
  const named = textOf(header(request, 'sudo')) ?? request.raw.sudo
  const target = typeof named === 'number' ? String(named) : textOf(named)
  // A malformed name must not let the request run as the caller.
  if (typeof named === 'object' && named !== null) throw parameterError('sudo', 'is invalid')
  if (target === undefined) return actor
  if (actor.kind === 'anonymous') throw unauthorized()
  if (actor.credential.kind === 'job') {
    throw forbidden('Must be authenticated using an OAuth or personal access token to use sudo')
  }
  if (!actor.administrator) throw forbidden('Must be admin to use sudo')
  if (!actor.credential.scopes.has('sudo')) throw insufficientScope(['sudo'])
  const user = await authenticator.impersonate(actor, target)
  if (user) return user
  throw new ApiError('sudo_user_not_found', 404, { message: `404 User with ID or username '${target}' Not Found` })
}
