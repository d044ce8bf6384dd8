import {
  type Actor,
  badRequest,
  dayOf,
  failure,
  isAdministrator,
  notFound,
  type Page,
  type PageRequest,
  unauthorized,
} from '../../api/index.ts'
import { now } from '../../infra/database/index.ts'
import { role } from '../access/index.ts'
import { levelsOf, makeBot, retireBots } from './bots.ts'
import { latestExpiry } from './expiry.ts'
import { createRotation, type IssuedToken, issueToken, type TokenNeeds } from './issuing.ts'
import { callerOf, type RequireUnmodified } from './personal.ts'
import { presentAccessToken } from './present.ts'
import { asBadRequest, problemsOf, requireNoProblems, type WantedToken } from './problems.ts'
import { accessTokenById } from './store/access-tokens.ts'
import { extendBot, type TokenPlace } from './store/bots.ts'
import { listAccessTokens, type TokenFilter } from './store/listing.ts'
import type { AccessTokenRow } from './tables.ts'

/** The project or group of an operation, with the role of the caller in it. */
export type CallerPlace = TokenPlace & { level: number }

type Presented = ReturnType<typeof presentAccessToken> & { access_level: number }
type WithText = Presented & { token: string }

export type ResourceTokens = ReturnType<typeof createResourceTokens>

function isOf(place: TokenPlace, token: AccessTokenRow): boolean {
  return token.kind === place.kind && place.id === (place.kind === 'project' ? token.project_id : token.namespace_id)
}

function levelOf(actor: Actor, place: CallerPlace): number {
  return isAdministrator(actor) ? role.owner : place.level
}

/**
 * The rules of project and group access tokens: each acts as a bot user of its own, a member of the project or group
 * (contract 20, x.project_tokens_*, x.group_tokens_*).
 */
export function createResourceTokens(needs: TokenNeeds & { externalUrl: string }) {
  const { database, clock, rules, externalUrl } = needs
  const db = database.read
  const host = new URL(externalUrl).hostname
  const rotate = createRotation(needs)

  async function present(place: TokenPlace, rows: readonly AccessTokenRow[]): Promise<Presented[]> {
    const levels = await levelsOf(db, place, rows)
    const moment = clock.now()
    return rows.map((row) => ({ ...presentAccessToken(row, moment), access_level: levels.get(row.id) ?? role.none }))
  }

  async function withText(place: TokenPlace, { row, text }: IssuedToken): Promise<WithText> {
    const [presented] = await present(place, [row])
    return { ...(presented as Presented), token: text }
  }

  async function find(place: TokenPlace, id: number): Promise<AccessTokenRow | null> {
    const token = await accessTokenById(db, id)
    return token && isOf(place, token) ? token : null
  }

  async function addressed(place: TokenPlace, id: number): Promise<AccessTokenRow> {
    const token = await find(place, id)
    if (!token) throw notFound(`${place.kind} Access Token`)
    return token
  }

  function rotateWithBot(place: TokenPlace, token: AccessTokenRow, expiresAt: string | undefined) {
    return rotate(token, expiresAt, (tx, fresh) => extendBot(tx, place, fresh.user_id, fresh.expires_at))
  }

  return {
    async list(place: CallerPlace, filter: TokenFilter, page: PageRequest): Promise<Page<Presented>> {
      const range =
        place.kind === 'project'
          ? { kinds: ['project'] as const, projectId: place.id }
          : { kinds: ['group'] as const, namespaceId: place.id }
      const found = await listAccessTokens(db, range, filter, { page, today: dayOf(clock.now()) })
      return { ...found, items: await present(place, found.items) }
    },

    /** @throws ApiError 404 `project Access Token` */
    async get(place: CallerPlace, id: number): Promise<Presented> {
      const [presented] = await present(place, [await addressed(place, id)])
      return presented as Presented
    },

    /** @throws ApiError 400 when the level is above the caller's, or the rules refuse name, scopes or day */
    async create(
      place: CallerPlace,
      actor: Actor,
      { access_level: level = role.maintainer, ...wanted }: WantedToken & { access_level?: number },
    ): Promise<WithText> {
      const { userId: createdById } = callerOf(actor)
      if (level > levelOf(actor, place)) {
        throw badRequest(
          "Access level of the token can't be greater the access level of the user who created the token",
        )
      }
      const current = await rules()
      const latest = latestExpiry(current, clock.now(), place.kind)
      requireNoProblems(problemsOf(wanted, latest), asBadRequest)
      const expiresAt = wanted.expires_at ?? latest
      const making = { prefix: current.personal_access_token_prefix, moment: now(clock) }
      const bot = { name: wanted.name, accessLevel: level, expiresAt, createdById, host, now: making.moment }
      const where = place.kind === 'project' ? { projectId: place.id } : { namespaceId: place.id }
      const issued = await database.write(async (tx) => {
        const { id: userId } = await makeBot(tx, place, bot)
        const holder = { kind: place.kind, userId, accessLevel: level, ...where }
        return issueToken(tx, holder, { ...wanted, expires_at: expiresAt }, making)
      })
      return withText(place, issued)
    },

    /** @throws ApiError 401 for an unknown token (administrators: 404); 400 when its role is above the caller's */
    async rotate(place: CallerPlace, actor: Actor, id: number, expiresAt: string | undefined): Promise<WithText> {
      const token = await find(place, id)
      if (!token) throw isAdministrator(actor) ? notFound() : unauthorized()
      const level = (await levelsOf(db, place, [token])).get(token.id) ?? role.none
      // Whoever rotates a token gets its text, and with it its role.
      if (level > levelOf(actor, place)) {
        throw badRequest('Not eligible to rotate token with access level higher than the user')
      }
      return withText(place, await rotateWithBot(place, token, expiresAt))
    },

    /** @throws ApiError 405 when the request came with anything but a token of this project or group */
    async rotateSelf(place: CallerPlace, actor: Actor, expiresAt: string | undefined): Promise<WithText> {
      const { kind, id } = callerOf(actor).credential
      const token = kind === place.kind && id !== null ? await find(place, id) : null
      if (!token) throw failure(405, '405 Method Not Allowed')
      return withText(place, await rotateWithBot(place, token, expiresAt))
    },

    /** @throws ApiError 404 `project Access Token` */
    async revoke(place: CallerPlace, id: number, requireUnmodifiedSince: RequireUnmodified): Promise<void> {
      const token = await addressed(place, id)
      requireUnmodifiedSince(token.created_at)
      await database.write((tx) => retireBots(tx, place, [token.user_id], { now: now(clock) }))
    },
  }
}
