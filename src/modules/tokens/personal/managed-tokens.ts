import { dayOf, notFound, type PageRequest } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { rotateManagedToken } from '../access-tokens.ts'
import type { TokenFilter } from '../params.ts'
import { PersonalAccessToken } from '../present.ts'
import { accessTokenById, revokeAccessToken } from '../store/access-tokens.ts'
import { listAccessTokens } from '../store/listing.ts'
import type { AccessTokenRow } from '../tables.ts'
import { asUnprocessable, type WantedToken } from '../validation.ts'
import { createTokenFor, personalKinds, presentNew } from './personal-tokens.ts'

/** A page of the tokens of an account, for those who manage it (contract 12, x.service_account.tokens). */
export async function listManagedTokens(
  { database, clock }: Platform,
  userId: number,
  filter: TokenFilter,
  page: PageRequest,
) {
  const moment = clock.now()
  const range = { kinds: personalKinds, userId }
  const found = await listAccessTokens(database.read, range, filter, { page, today: dayOf(moment) })
  return { ...found, items: found.items.map((row) => PersonalAccessToken.present(row, moment)) }
}

/** @throws ApiError 422, also for scopes that the account may not have (contract 3.27) */
export function createManagedToken(platform: Platform, userId: number, wanted: WantedToken) {
  return createTokenFor(platform, userId, wanted, { refuseScopes: asUnprocessable })
}

/** @param noun what a 404 calls the token */
async function requireTokenOf(
  { database }: Platform,
  userId: number,
  tokenId: number,
  noun?: string,
): Promise<AccessTokenRow> {
  const token = await accessTokenById(database.read, tokenId)
  if (token?.user_id === userId && personalKinds.includes(token.kind)) return token
  throw notFound(noun)
}

/**
 * Rotates a token of an account that others manage (contract 3.28).
 * @throws ApiError 404; 400 as `rotateManagedToken`
 */
export async function rotateTokenOf(
  platform: Platform,
  userId: number,
  tokenId: number,
  options: { expiresAt: string | undefined; alone: boolean },
) {
  const token = await requireTokenOf(platform, userId, tokenId)
  return presentNew(platform, await rotateManagedToken(platform, token, options))
}

/**
 * Revokes a token of an account that others manage (contract 12, x.service_account.revoke).
 * @throws ApiError 404 or 412
 */
export async function revokeTokenOf(
  platform: Platform,
  userId: number,
  tokenId: number,
  unmodified: (at: string) => void,
): Promise<void> {
  const token = await requireTokenOf(platform, userId, tokenId, 'Personal Access Token')
  unmodified(token.created_at)
  await platform.database.write((tx) => revokeAccessToken(tx, token.id))
}
