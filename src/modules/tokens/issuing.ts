import { badRequest, unauthorized } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, jsonText, now, type Tx } from '../../infra/database/index.ts'
import { hashToken, randomToken } from '../../infra/secrets/index.ts'
import { type ExpiryRules, isPastExpiry, latestExpiry, rotationExpiry } from './expiry.ts'
import { asBadRequest, expiryProblems, requireNoProblems, type WantedToken } from './problems.ts'
import { familyOf, holdFamily, insertAccessToken, revokeAccessToken, revokeFamily } from './store/access-tokens.ts'
import type { AccessTokenKind, AccessTokenRow } from './tables.ts'

/** The settings that decide how access tokens are made. */
export type TokenRules = ExpiryRules & { readonly personal_access_token_prefix: string }

export type TokenNeeds = {
  database: Database
  clock: Clock
  rules(): Promise<TokenRules>
}

/** A token just made, with the text that is told this once and kept nowhere. */
export type IssuedToken = { row: AccessTokenRow; text: string }

/** Whom and what a new token is for. */
export type Holder = {
  kind: AccessTokenKind
  userId: number
  projectId?: number
  namespaceId?: number
  accessLevel?: number
}

/** Makes a token of what was checked before; `wanted.expires_at` null means for ever. */
export async function issueToken(
  tx: Tx,
  holder: Holder,
  wanted: Omit<WantedToken, 'expires_at'> & { expires_at: string | null },
  { prefix, moment }: { prefix: string; moment: string },
): Promise<IssuedToken> {
  const text = randomToken(prefix)
  const row = await insertAccessToken(tx, {
    kind: holder.kind,
    user_id: holder.userId,
    project_id: holder.projectId ?? null,
    namespace_id: holder.namespaceId ?? null,
    access_level: holder.accessLevel ?? null,
    name: wanted.name,
    description: wanted.description ?? null,
    digest: hashToken(text),
    scopes: jsonText(wanted.scopes),
    expires_at: wanted.expires_at,
    created_at: moment,
  })
  return { row, text }
}

/** Puts a new token in place of another one; `follow` does what else belongs into the same transaction. */
export type Rotate = (
  token: AccessTokenRow,
  expiresAt: string | undefined,
  follow?: (tx: Tx, fresh: AccessTokenRow) => Promise<void>,
) => Promise<IssuedToken>

/**
 * Makes the rotation of access tokens. Whoever rotates a revoked token shows that its text is in two hands, so every token
 * that came of it is revoked as well; that also goes for the slower of two rotations at once (contract 20, x.pats_rotate).
 */
export function createRotation({ database, clock, rules }: TokenNeeds): Rotate {
  async function replace(tx: Tx, token: AccessTokenRow, expiresAt: string, prefix: string) {
    const family = familyOf(token)
    await holdFamily(tx, family)
    if (!(await revokeAccessToken(tx, token.id))) {
      await revokeFamily(tx, family)
      return null
    }
    const text = randomToken(prefix)
    const { id: _, ...kept } = token
    const row = await insertAccessToken(tx, {
      ...kept,
      family_id: family,
      digest: hashToken(text),
      scopes: jsonText(token.scopes),
      revoked: false,
      expires_at: expiresAt,
      last_used_at: null,
      created_at: now(clock),
    })
    return { row, text }
  }

  /**
   * @throws ApiError 401 when the token has expired; 400 when it is revoked, or the new day is too late
   */
  return async function rotate(token, expiresAt, follow) {
    const current = await rules()
    const moment = clock.now()
    if (!token.revoked) {
      if (isPastExpiry(token, moment)) throw unauthorized()
      requireNoProblems(expiryProblems(expiresAt, latestExpiry(current, moment, token.kind)), asBadRequest)
    }
    const day = expiresAt ?? rotationExpiry(current, moment, token.kind)
    const issued = await database.write(async (tx) => {
      const replaced = await replace(tx, token, day, current.personal_access_token_prefix)
      if (replaced) await follow?.(tx, replaced.row)
      return replaced
    })
    // Thrown after the commit: the revocation of the family must stay.
    if (!issued) throw badRequest('Token already revoked')
    return issued
  }
}
