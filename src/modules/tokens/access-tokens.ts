import type { Insertable } from 'kysely'
import { badRequest, dayOf, unauthorized } from '../../api/index.ts'
import { jsonText, now, type Tx } from '../../infra/database/index.ts'
import { hashToken, randomToken } from '../../infra/secrets/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import { updateMember } from '../access/index.ts'
import { expiryRange, isPastExpiry, rotationExpiry } from './expiry.ts'
import { lockTokensOf, resourceOf } from './resource/store.ts'
import {
  familyByDigest,
  familyOf,
  insertAccessToken,
  lockFamily,
  revokeAccessToken,
  revokeActiveTokensOf,
  revokeFamily,
} from './store/access-tokens.ts'
import type { AccessTokenKind, AccessTokenRow, AccessTokensTable } from './tables.ts'
import {
  asBadRequest,
  expiryProblems,
  problemsOf,
  type Refuse,
  requireNoProblems,
  type WantedToken,
} from './validation.ts'

type Columns = Insertable<AccessTokensTable>

/** A new token with its text, which is shown once and never stored. */
export type IssuedToken = { row: AccessTokenRow; text: string }

/** What differs from token to token: its text, its last day (`YYYY-MM-DD`, null for none) and the time of its creation. */
type TokenSecret = { text: string; expiresAt: string | null; createdAt: string }

/** A validated token that is not stored yet. */
type PreparedToken = WantedToken & TokenSecret

/** The user that a token acts as, and the project or group of a bot's token. */
export type TokenOwner = Pick<Columns, 'kind' | 'user_id'> &
  Partial<Pick<Columns, 'project_id' | 'namespace_id' | 'access_level'>>

/**
 * Validates a new token and gives it a text. Without `expires_at` it expires as late as the instance allows.
 * @param refuse makes the error of the problems found, which differs between the kinds of tokens
 * @throws ApiError what `refuse` returns
 */
export async function prepareToken(
  { settings, clock }: Platform,
  kind: AccessTokenKind,
  wanted: WantedToken,
  refuse: Refuse,
): Promise<PreparedToken> {
  const current = await settings.current()
  const range = expiryRange(current, clock.now(), kind)
  requireNoProblems(problemsOf(wanted, range), refuse)
  const text = randomToken(current.personal_access_token_prefix)
  return { ...wanted, text, expiresAt: wanted.expires_at ?? range.latest, createdAt: now(clock) }
}

/** Stores a validated token. */
export async function issueToken(tx: Tx, owner: TokenOwner, token: PreparedToken): Promise<IssuedToken> {
  const row = await insertAccessToken(tx, {
    ...owner,
    name: token.name,
    description: token.description ?? null,
    digest: hashToken(token.text),
    scopes: jsonText(token.scopes),
    expires_at: token.expiresAt,
    created_at: token.createdAt,
  })
  return { row, text: token.text }
}

/** Issues the successor of a token. The membership of a project's or group's bot then lasts as long as the new token. */
async function insertSuccessor(
  tx: Tx,
  token: AccessTokenRow,
  { text, expiresAt, createdAt }: TokenSecret,
): Promise<IssuedToken> {
  const { id: _, ...copied } = token
  const row = await insertAccessToken(tx, {
    ...copied,
    family_id: familyOf(token),
    digest: hashToken(text),
    scopes: jsonText(token.scopes),
    revoked: false,
    expires_at: expiresAt,
    last_used_at: null,
    created_at: createdAt,
  })
  const resource = resourceOf(row)
  if (resource) await updateMember(tx, resource, row.user_id, { expires_at: expiresAt })
  return { row, text }
}

/**
 * Revokes a token and issues its successor. When the token was revoked already, its text has leaked, so all tokens of its chain of rotations are revoked (contract 20,
 * x.pats_rotate). Of two concurrent rotations, the slower one takes that path.
 * @returns null when the token was revoked already
 */
export async function replaceToken(tx: Tx, token: AccessTokenRow, secret: TokenSecret): Promise<IssuedToken | null> {
  const family = familyOf(token)
  await lockFamily(tx, family)
  if (!(await revokeAccessToken(tx, token.id))) {
    await revokeFamily(tx, family)
    return null
  }
  return insertSuccessor(tx, token, secret)
}

/**
 * Revokes the chain of rotations of a token that was presented for a rotation of itself after it was revoked: its text has leaked,
 * as with `replaceToken`.
 */
export async function revokeReused({ database }: Platform, text: string): Promise<void> {
  const token = await familyByDigest(database.read, hashToken(text))
  if (!token?.revoked) return
  const family = familyOf(token)
  await database.write(async (tx) => {
    await lockFamily(tx, family)
    await revokeFamily(tx, family)
  })
}

/**
 * Validates the new expiry of a token, and makes the secret of its successor.
 * @throws ApiError 400 when `expiresAt` is too late
 */
async function successorOf(
  { settings, clock }: Platform,
  token: AccessTokenRow,
  expiresAt: string | undefined,
): Promise<TokenSecret> {
  const current = await settings.current()
  const moment = clock.now()
  if (!token.revoked) {
    const range = expiryRange(current, moment, token.kind)
    requireNoProblems({ expires_at: expiryProblems(expiresAt, range) }, asBadRequest)
  }
  return {
    text: randomToken(current.personal_access_token_prefix),
    expiresAt: expiresAt ?? rotationExpiry(current, moment, token.kind),
    createdAt: now(clock),
  }
}

const alreadyRevoked = () => badRequest('Token already revoked')

/**
 * Rotates an access token (contract 20, x.pats_rotate).
 * @param expiresAt `YYYY-MM-DD`; a week from today when absent
 * @throws ApiError 401 for an expired token; 400 for a revoked one, or when `expiresAt` is too late
 */
export async function rotateToken(
  platform: Platform,
  token: AccessTokenRow,
  expiresAt: string | undefined,
  act?: Act,
): Promise<IssuedToken> {
  if (!token.revoked && isPastExpiry(token, platform.clock.now())) throw unauthorized()
  const secret = await successorOf(platform, token, expiresAt)
  const issued = await platform.database.write(async (tx) => {
    const successor = await replaceToken(tx, token, secret)
    if (successor) await act?.(tx, token.id)
    return successor
  })
  // Thrown after the commit, so that the revocation of the family persists.
  if (!issued) throw alreadyRevoked()
  return issued
}

/**
 * Rotates a token of an account on behalf of those who manage the account: unlike `rotateToken`, expired tokens as well, and
 * without the conclusion that the text of a revoked token has leaked (contract 3.28).
 * @param alone whether the other active tokens of the account stay valid
 * @throws ApiError 400 for a revoked token, or when `expiresAt` is too late or in the past
 */
export async function rotateManagedToken(
  platform: Platform,
  token: AccessTokenRow,
  { expiresAt, alone }: { expiresAt: string | undefined; alone: boolean },
): Promise<IssuedToken> {
  const secret = await successorOf(platform, token, expiresAt)
  return platform.database.write(async (tx) => {
    await lockTokensOf(tx, [token.user_id])
    if (!(await revokeAccessToken(tx, token.id))) throw alreadyRevoked()
    if (!alone) await revokeActiveTokensOf(tx, token.user_id, dayOf(platform.clock.now()))
    return insertSuccessor(tx, token, secret)
  })
}
