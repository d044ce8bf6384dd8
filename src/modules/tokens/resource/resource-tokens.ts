import {
  type Actor,
  badRequest,
  dayOf,
  failure,
  isAdministrator,
  notFound,
  type Page,
  type PageRequest,
  requireSignedIn,
  type Unmodified,
  unauthorized,
} from '../../../api/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { memberColumnOf, role } from '../../access/index.ts'
import { callerLevel, type ProjectOrGroup } from '../../projects/index.ts'
import { type IssuedToken, issueToken, prepareToken, rotateToken } from '../access-tokens.ts'
import type { NewResourceToken, TokenFilter } from '../params.ts'
import { type PresentedResourceToken, ResourceToken } from '../present.ts'
import { accessTokenById } from '../store/access-tokens.ts'
import { listAccessTokens } from '../store/listing.ts'
import type { AccessTokenRow } from '../tables.ts'
import { asBadRequest } from '../validation.ts'
import { createBot, levelsOf, retireBots } from './bots.ts'
import { resourceOf, type TokenResource } from './store.ts'

/** Who asks, and the record of it. */
type By = { actor: Actor; act: Act }

async function present({ database, clock }: Platform, resource: TokenResource, rows: readonly AccessTokenRow[]) {
  const levels = await levelsOf(database.read, resource, rows)
  const moment = clock.now()
  return rows.map((row) => ResourceToken.present({ ...row, access_level: levels.get(row.id) ?? role.none }, moment))
}

async function presentOne(platform: Platform, resource: TokenResource, row: AccessTokenRow) {
  const [presented] = await present(platform, resource, [row])
  return presented as PresentedResourceToken
}

async function presentNew(platform: Platform, resource: TokenResource, { row, text }: IssuedToken) {
  return { ...(await presentOne(platform, resource, row)), token: text }
}

async function findToken({ database }: Platform, resource: TokenResource, id: number): Promise<AccessTokenRow | null> {
  const token = await accessTokenById(database.read, id)
  const owner = token && resourceOf(token)
  return owner?.kind === resource.kind && owner.id === resource.id ? token : null
}

async function requireToken(platform: Platform, resource: TokenResource, id: number): Promise<AccessTokenRow> {
  const token = await findToken(platform, resource, id)
  if (!token) throw notFound(`${resource.kind} Access Token`)
  return token
}

/** A page of the access tokens of a project or group. */
export async function listResourceTokens(
  platform: Platform,
  resource: ProjectOrGroup,
  filter: TokenFilter,
  page: PageRequest,
): Promise<Page<PresentedResourceToken>> {
  const { database, clock } = platform
  const range = { kinds: [resource.kind], resource }
  const found = await listAccessTokens(database.read, range, filter, { page, today: dayOf(clock.now()) })
  return { ...found, items: await present(platform, resource, found.items) }
}

/** @throws ApiError 404 `project Access Token` */
export async function getResourceToken(platform: Platform, resource: ProjectOrGroup, id: number) {
  return presentOne(platform, resource, await requireToken(platform, resource, id))
}

/**
 * Creates a bot user that is a member of the project or group, and a token of the bot.
 * @throws ApiError 400 when the level is above the caller's, or name, scopes or expiry are invalid
 */
export async function createResourceToken(
  platform: Platform,
  resource: ProjectOrGroup,
  { actor, act }: By,
  { access_level: accessLevel = role.maintainer, ...wanted }: NewResourceToken,
) {
  const { userId: createdById } = requireSignedIn(actor)
  if (accessLevel > callerLevel(actor, resource)) {
    throw badRequest("Access level of the token can't be greater the access level of the user who created the token")
  }
  const token = await prepareToken(platform, resource.kind, wanted, asBadRequest)
  const bot = { name: token.name, accessLevel, expiresAt: token.expiresAt, createdById }
  const issued = await platform.database.write(async (tx) => {
    const { id: user_id } = await createBot(platform, tx, resource, bot)
    const ofResource = { [memberColumnOf(resource)]: resource.id }
    const made = await issueToken(tx, { kind: resource.kind, user_id, access_level: accessLevel, ...ofResource }, token)
    await act(tx, made.row.id)
    return made
  })
  return presentNew(platform, resource, issued)
}

/** @throws ApiError 401 for an unknown token (administrators: 404); 400 when its level is above the caller's */
export async function rotateResourceToken(
  platform: Platform,
  resource: ProjectOrGroup,
  { actor, act }: By,
  id: number,
  expiresAt: string | undefined,
) {
  const token = await findToken(platform, resource, id)
  if (!token) throw isAdministrator(actor) ? notFound() : unauthorized()
  const level = (await levelsOf(platform.database.read, resource, [token])).get(token.id) ?? role.none
  // The caller receives the new token, and with it the role of the bot.
  if (level > callerLevel(actor, resource)) {
    throw badRequest('Not eligible to rotate token with access level higher than the user')
  }
  return presentNew(platform, resource, await rotateToken(platform, token, expiresAt, act))
}

/** @throws ApiError 405 when the request was not made with a token of this project or group */
export async function rotateOwnResourceToken(
  platform: Platform,
  resource: ProjectOrGroup,
  actor: Actor,
  expiresAt: string | undefined,
) {
  const { kind, id } = requireSignedIn(actor).credential
  const token = kind === resource.kind && id !== null ? await findToken(platform, resource, id) : null
  if (!token) throw failure(405, '405 Method Not Allowed')
  return presentNew(platform, resource, await rotateToken(platform, token, expiresAt))
}

/**
 * Revokes a token and ends its bot.
 * @throws ApiError 404 `project Access Token`
 */
export async function revokeResourceToken(
  platform: Platform,
  resource: ProjectOrGroup,
  id: number,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  const token = await requireToken(platform, resource, id)
  unmodified(token.created_at)
  await platform.database.write(async (tx) => {
    if (await retireBots(platform, tx, resource, [token.user_id])) await act(tx, token.id)
  })
}
