import {
  type Actor,
  badRequest,
  dayOf,
  failure,
  forbidden,
  insufficientScope,
  isAdministrator,
  notFound,
  type Page,
  type PageRequest,
  type UserActor,
  unauthorized,
} from '../../api/index.ts'
import { now } from '../../infra/database/index.ts'
import { type UserRow, userById } from '../users/index.ts'
import { retireBots } from './bots.ts'
import { latestExpiry } from './expiry.ts'
import { createRotation, type IssuedToken, issueToken, type TokenNeeds } from './issuing.ts'
import { presentAccessToken } from './present.ts'
import { asUnprocessable, problemsOf, requireAvailableScopes, requireNoProblems, type WantedToken } from './problems.ts'
import { accessTokenById, revokeAccessToken } from './store/access-tokens.ts'
import type { TokenPlace } from './store/bots.ts'
import { listAccessTokens, type TokenFilter } from './store/listing.ts'
import type { AccessTokenKind, AccessTokenRow } from './tables.ts'

export type PresentedToken = ReturnType<typeof presentAccessToken>
type WithText = PresentedToken & { token: string }

/** The kinds that the operations on personal access tokens know; the others have operations of their own. */
const personalKinds: readonly AccessTokenKind[] = ['personal', 'service_account']

/** Throws when the object changed after the time that the caller named. */
export type RequireUnmodified = (updatedAt: string) => void

/** The caller of an operation that anonymous callers never reach. */
export function callerOf(actor: Actor): UserActor {
  if (actor.kind !== 'user') throw unauthorized()
  return actor
}

/** Which bots a token of a project or group belongs to; null for the tokens of people. */
function placeOf(token: AccessTokenRow): TokenPlace | null {
  if (token.kind === 'project' && token.project_id !== null) return { kind: 'project', id: token.project_id }
  if (token.kind === 'group' && token.namespace_id !== null) return { kind: 'group', id: token.namespace_id }
  return null
}

export type PersonalTokens = ReturnType<typeof createPersonalTokens>

/** The rules of personal access tokens (contract 20, "tokens"). Every method may throw what the contract names there. */
export function createPersonalTokens(needs: TokenNeeds) {
  const { database, clock, rules } = needs
  const db = database.read
  const rotate = createRotation(needs)
  const present = (row: AccessTokenRow): PresentedToken => presentAccessToken(row, clock.now())
  const withText = ({ row, text }: IssuedToken): WithText => ({ ...present(row), token: text })

  /** @throws ApiError 404 for administrators, 401 for everybody else, who are not told whether there is one */
  async function addressed(actor: Actor, id: number): Promise<AccessTokenRow> {
    const caller = callerOf(actor)
    const token = await accessTokenById(db, id)
    const isPersonal = token !== null && personalKinds.includes(token.kind)
    if (isPersonal && (token.user_id === caller.userId || isAdministrator(actor))) return token
    throw isAdministrator(actor) ? notFound() : unauthorized()
  }

  /** The token that the request came with; null when it came with something else. */
  async function presented(actor: Actor): Promise<AccessTokenRow | null> {
    const { kind, id } = callerOf(actor).credential
    if (id === null || kind === 'oauth' || kind === 'job' || kind === 'password') return null
    return accessTokenById(db, id)
  }

  async function requirePresented(actor: Actor): Promise<AccessTokenRow> {
    const token = await presented(actor)
    if (!token) throw badRequest('This endpoint requires token type to be a personal access token')
    return token
  }

  async function create(user: UserRow, wanted: WantedToken): Promise<WithText> {
    const isPerson = user.bot_kind === null || user.bot_kind === 'service_account'
    if (!isPerson) throw forbidden()
    const current = await rules()
    const kind = user.bot_kind === null ? 'personal' : 'service_account'
    const latest = latestExpiry(current, clock.now(), kind)
    requireAvailableScopes(wanted.scopes, user)
    requireNoProblems(problemsOf(wanted, latest), asUnprocessable)
    const token = { ...wanted, expires_at: wanted.expires_at ?? latest }
    const making = { prefix: current.personal_access_token_prefix, moment: now(clock) }
    return withText(await database.write((tx) => issueToken(tx, { kind, userId: user.id }, token, making)))
  }

  return {
    /** @throws ApiError 401 when a user who is no administrator asks for another one's */
    async list(
      actor: Actor,
      { user_id, ...filter }: TokenFilter & { user_id?: number },
      page: PageRequest,
    ): Promise<Page<PresentedToken>> {
      const caller = callerOf(actor)
      const all = isAdministrator(actor)
      if (!all && user_id !== undefined && user_id !== caller.userId) throw unauthorized()
      const asked = user_id === undefined || Number.isSafeInteger(user_id) ? user_id : 0
      const range = { kinds: personalKinds, userId: all ? asked : caller.userId }
      const found = await listAccessTokens(db, range, filter, { page, today: dayOf(clock.now()) })
      return { ...found, items: found.items.map(present) }
    },

    async get(actor: Actor, id: number): Promise<PresentedToken> {
      return present(await addressed(actor, id))
    },

    async self(actor: Actor): Promise<PresentedToken> {
      return present(await requirePresented(actor))
    },

    /** A token with the scope `self_rotate` alone may rotate itself, and no other. */
    async rotate(actor: Actor, id: number, expiresAt: string | undefined): Promise<WithText> {
      // Asked by the token itself: an OAuth token may have the same number.
      const isItself = (await presented(actor))?.id === id
      if (!isItself && !callerOf(actor).credential.scopes.has('api')) throw insufficientScope(['api'])
      return withText(await rotate(await addressed(actor, id), expiresAt))
    },

    async rotateSelf(actor: Actor, expiresAt: string | undefined): Promise<WithText> {
      const token = await presented(actor)
      if (!token || !personalKinds.includes(token.kind)) throw failure(405, '405 Method Not Allowed')
      return withText(await rotate(token, expiresAt))
    },

    async revoke(actor: Actor, id: number, requireUnmodifiedSince: RequireUnmodified): Promise<void> {
      const token = await addressed(actor, id)
      requireUnmodifiedSince(token.created_at)
      await database.write((tx) => revokeAccessToken(tx, token.id))
    },

    /** Revokes the token of the request, of whatever kind; with a project's or group's the bot goes as well. */
    async revokeSelf(actor: Actor): Promise<void> {
      const token = await requirePresented(actor)
      const place = placeOf(token)
      await database.write(async (tx) => {
        await revokeAccessToken(tx, token.id)
        if (place) await retireBots(tx, place, [token.user_id], { now: now(clock) })
      })
    },

    /** An administrator makes a token for somebody (contract 20, x.users_pat_create). */
    async createFor(userId: number, wanted: WantedToken): Promise<WithText> {
      const user = await userById(db, userId)
      if (!user) throw notFound('User')
      return create(user, wanted)
    },

    /** Somebody makes a token of their own; it expires today unless told (contract 20, x.user_pat_create). */
    async createOwn(actor: Actor, wanted: WantedToken): Promise<WithText> {
      const user = await userById(db, callerOf(actor).userId)
      if (!user) throw unauthorized()
      return create(user, { ...wanted, expires_at: wanted.expires_at ?? dayOf(clock.now()) })
    },
  }
}
