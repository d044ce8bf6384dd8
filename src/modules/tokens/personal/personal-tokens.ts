import {
  type Actor,
  badRequest,
  dayOf,
  failure,
  forbidden,
  insufficientScope,
  isAdministrator,
  notFound,
  type PageRequest,
  requireSignedIn,
  unauthorized,
} from '../../../api/index.ts'
import { type Platform, recordAct } from '../../../platform/index.ts'
import { requireUser, type UserRow } from '../../users/index.ts'
import { type IssuedToken, issueToken, prepareToken, rotateToken } from '../access-tokens.ts'
import { revokedToken } from '../authentication/authenticate.ts'
import type { TokenFilter } from '../params.ts'
import { NewPersonalAccessToken, PersonalAccessToken } from '../present.ts'
import { retireBots } from '../resource/bots.ts'
import { resourceOf } from '../resource/store.ts'
import { accessTokenById, revokeAccessToken } from '../store/access-tokens.ts'
import { listAccessTokens } from '../store/listing.ts'
import { type AccessTokenKind, type AccessTokenRow, isAccessToken } from '../tables.ts'
import { asUnprocessable, type Refuse, requireAvailableScopes, type WantedToken } from '../validation.ts'
import { associationsOf } from './associations.ts'

/** The kinds that these operations concern; the others have operations of their own. */
export const personalKinds: readonly AccessTokenKind[] = ['personal', 'service_account']

export function presentNew({ clock }: Platform, { row, text }: IssuedToken) {
  return NewPersonalAccessToken.present({ ...row, token: text }, clock.now())
}

/** @throws ApiError 404 for administrators; 401 for other callers, which does not reveal whether the token exists */
async function requireToken({ database }: Platform, actor: Actor, id: number): Promise<AccessTokenRow> {
  const caller = requireSignedIn(actor)
  const token = await accessTokenById(database.read, id)
  const isPersonal = token !== null && personalKinds.includes(token.kind)
  if (isPersonal && (token.user_id === caller.userId || isAdministrator(actor))) return token
  throw isAdministrator(actor) ? notFound() : unauthorized()
}

/** The access token of the request; null when it was authenticated otherwise. */
async function ownToken({ database }: Platform, actor: Actor): Promise<AccessTokenRow | null> {
  const { kind, id } = requireSignedIn(actor).credential
  if (id === null || !isAccessToken(kind)) return null
  return accessTokenById(database.read, id)
}

async function requireOwnToken(platform: Platform, actor: Actor): Promise<AccessTokenRow> {
  const token = await ownToken(platform, actor)
  if (!token) throw badRequest('This endpoint requires token type to be a personal access token')
  return token
}

type Creation = { refuseScopes?: Refuse | undefined; actor?: Actor | undefined }

/** Creates a token of a user. @throws ApiError 403 for bots of projects and groups; 400, 422 */
export async function createToken(platform: Platform, user: UserRow, wanted: WantedToken, options: Creation = {}) {
  const { refuseScopes, actor } = options
  if (user.bot_kind !== null && user.bot_kind !== 'service_account') throw forbidden()
  const kind = user.bot_kind === null ? 'personal' : 'service_account'
  requireAvailableScopes(platform, wanted.scopes, user, refuseScopes)
  const token = await prepareToken(platform, kind, wanted, asUnprocessable)
  const issued = await platform.database.write(async (tx) => {
    const made = await issueToken(tx, { kind, user_id: user.id }, token)
    const act = { name: 'personal_access_tokens.create_for', target: { kind: 'user', id: user.id } } as const
    await recordAct(platform, tx, actor, { ...act, detail: made.row.id, byAll: true })
    return made
  })
  return presentNew(platform, issued)
}

/**
 * A page of the personal access tokens of the caller; administrators see those of all users.
 * @throws ApiError 401 when `user_id` is another user's and the caller is not an administrator
 */
export async function listPersonalTokens(
  { database, clock }: Platform,
  actor: Actor,
  { user_id, ...filter }: TokenFilter & { user_id?: number },
  page: PageRequest,
) {
  const caller = requireSignedIn(actor)
  const all = isAdministrator(actor)
  if (!all && user_id !== undefined && user_id !== caller.userId) throw unauthorized()
  const asked = user_id === undefined || Number.isSafeInteger(user_id) ? user_id : 0
  const range = { kinds: personalKinds, userId: all ? asked : caller.userId }
  const found = await listAccessTokens(database.read, range, filter, { page, today: dayOf(clock.now()) })
  return { ...found, items: found.items.map((row) => PersonalAccessToken.present(row, clock.now())) }
}

/** @throws ApiError 404 for administrators, 401 for other callers */
export async function getPersonalToken(platform: Platform, actor: Actor, id: number) {
  return PersonalAccessToken.present(await requireToken(platform, actor, id), platform.clock.now())
}

/** @throws ApiError 400 when the request was not made with an access token */
export async function getOwnToken(platform: Platform, actor: Actor) {
  return PersonalAccessToken.present(await requireOwnToken(platform, actor), platform.clock.now())
}

/**
 * Rotates a token. A token that has only the scope `self_rotate` may rotate itself, and no other.
 * @throws ApiError 401, 403, 404; 400 see `rotateToken`
 */
export async function rotatePersonalToken(platform: Platform, actor: Actor, id: number, expiresAt: string | undefined) {
  // Compared with the row, not with the credential: an OAuth token may have the same id.
  const isItself = (await ownToken(platform, actor))?.id === id
  if (!isItself && !requireSignedIn(actor).credential.scopes.has('api')) throw insufficientScope(['api'])
  return presentNew(platform, await rotateToken(platform, await requireToken(platform, actor, id), expiresAt))
}

/** @throws ApiError 405 when the request was not made with a personal access token */
export async function rotateOwnToken(platform: Platform, actor: Actor, expiresAt: string | undefined) {
  const token = await ownToken(platform, actor)
  if (!token || !personalKinds.includes(token.kind)) throw failure(405, '405 Method Not Allowed')
  return presentNew(platform, await rotateToken(platform, token, expiresAt))
}

/** @throws ApiError 404 for administrators, 401 for other callers */
export async function revokePersonalToken(
  platform: Platform,
  actor: Actor,
  id: number,
  unmodified: (at: string) => void,
): Promise<void> {
  const token = await requireToken(platform, actor, id)
  unmodified(token.created_at)
  await platform.database.write(async (tx) => {
    if (!(await revokeAccessToken(tx, token.id))) return
    const act = { name: 'personal_access_tokens.delete', target: { kind: 'user', id: token.user_id } } as const
    await recordAct(platform, tx, actor, { ...act, detail: token.id, byAll: true })
  })
}

/**
 * Revokes the access token of the request, of any kind; that of a project or group together with its bot.
 * @throws ApiError 401 when another request has revoked it meanwhile
 */
export async function revokeOwnToken(platform: Platform, actor: Actor): Promise<void> {
  const token = await requireOwnToken(platform, actor)
  const resource = resourceOf(token)
  await platform.database.write(async (tx) => {
    if (!(await revokeAccessToken(tx, token.id))) throw revokedToken()
    if (resource) await retireBots(platform, tx, resource, [token.user_id])
  })
}

/**
 * Creates a token for any user, as an administrator (contract 20, x.users_pat_create), or for a service account (contract 3.27).
 * @param refuseScopes makes the error of scopes that the user may not have
 */
export async function createTokenFor(platform: Platform, userId: number, wanted: WantedToken, options: Creation = {}) {
  return createToken(platform, await requireUser(platform.database.read, userId), wanted, options)
}

/** What the presented token reaches (contract 20, x.pats_self_assoc). @throws ApiError 400 for other credentials */
export async function getOwnAssociations(
  platform: Platform,
  actor: Actor,
  least: number | undefined,
  page: PageRequest,
) {
  await requireOwnToken(platform, actor)
  return associationsOf(platform, actor, { least, page })
}
