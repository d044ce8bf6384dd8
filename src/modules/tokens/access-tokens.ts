import type { Insertable } from 'kysely'
import { badRequest, unauthorized } from '../../api/index.ts'
import { jsonText, now, type Tx } from '../../infra/database/index.ts'
import { hashToken, randomToken } from '../../infra/secrets/index.ts'
import type { Platform } from '../../platform/index.ts'
import { updateMember } from '../access/index.ts'
import { isPastExpiry, latestExpiry, rotationExpiry } from './expiry.ts'
import { resourceOf } from './resource/store.ts'
import { familyOf, insertAccessToken, lockFamily, revokeAccessToken, revokeFamily } from './store/access-tokens.ts'
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
  const latest = latestExpiry(current, clock.now(), kind)
  requireNoProblems(problemsOf(wanted, latest), refuse)
  const text = randomToken(current.personal_access_token_prefix)
  return { ...wanted, text, expiresAt: wanted.expires_at ?? latest, createdAt: now(clock) }
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

/**
 * Revokes a token and issues its successor. The membership of a project's or group's bot then lasts as long as the new token.
 * When the token was revoked already, its text has leaked, so all tokens of its chain of rotations are revoked (contract 20,
 * x.pats_rotate). Of two concurrent rotations, the slower one takes that path.
 * @returns null when the token was revoked already
 */
export async function replaceToken(
  tx: Tx,
  token: AccessTokenRow,
  { text, expiresAt, createdAt }: TokenSecret,
): Promise<IssuedToken | null> {
  const family = familyOf(token)
  await lockFamily(tx, family)
  if (!(await revokeAccessToken(tx, token.id))) {
    await revokeFamily(tx, family)
    return null
  }
  const { id: _, ...copied } = token
  const row = await insertAccessToken(tx, {
    ...copied,
    family_id: family,
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
 * Rotates an access token (contract 20, x.pats_rotate).
 * @param expiresAt `YYYY-MM-DD`; a week from today when absent
 * @throws ApiError 401 for an expired token; 400 for a revoked one, or when `expiresAt` is too late
 */
export async function rotateToken(
  { database, settings, clock }: Platform,
  token: AccessTokenRow,
  expiresAt: string | undefined,
): Promise<IssuedToken> {
  const current = await settings.current()
  const moment = clock.now()
  if (!token.revoked) {
    if (isPastExpiry(token, moment)) throw unauthorized()
    const latest = latestExpiry(current, moment, token.kind)
    requireNoProblems({ expires_at: expiryProblems(expiresAt, latest) }, asBadRequest)
  }
  const secret = {
    text: randomToken(current.personal_access_token_prefix),
    expiresAt: expiresAt ?? rotationExpiry(current, moment, token.kind),
    createdAt: now(clock),
  }
  const issued = await database.write((tx) => replaceToken(tx, token, secret))
  // Thrown after the commit, so that the revocation of the family persists.
  if (!issued) throw badRequest('Token already revoked')
  return issued
}
