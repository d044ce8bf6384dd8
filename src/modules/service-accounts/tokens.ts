import type { PageRequest, Unmodified } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { Group } from '../groups/index.ts'
import {
  createManagedToken,
  listManagedTokens,
  revokeTokenOf,
  rotateTokenOf,
  type TokenFilter,
  type WantedToken,
} from '../tokens/index.ts'
import { requireGroupAccount } from './accounts.ts'

/** A page of the tokens of a service account, by default the newest first. @throws ApiError 404 or 400 */
export async function listTokens(
  platform: Platform,
  group: Group,
  userId: number,
  filter: TokenFilter,
  page: PageRequest,
) {
  const { id } = await requireGroupAccount(platform.database.read, group, userId)
  return listManagedTokens(platform, id, filter, page)
}

/** Creates a token of a service account (contract 3.27). @throws ApiError 404, 400 or 422 */
export async function createToken(platform: Platform, group: Group, userId: number, wanted: WantedToken) {
  const { id } = await requireGroupAccount(platform.database.read, group, userId)
  return createManagedToken(platform, id, wanted)
}

type TokenInPath = { user_id: number; token_id: number }

/**
 * Rotates a token of a service account (contract 3.28): its other active tokens are revoked as well, unless the server is
 * configured otherwise.
 * @throws ApiError 404 or 400
 */
export async function rotateToken(
  platform: Platform,
  group: Group,
  { user_id, token_id, expires_at }: TokenInPath & { expires_at?: string },
) {
  const { id } = await requireGroupAccount(platform.database.read, group, user_id)
  const alone = platform.config.serviceAccountsRotateRevokes === 'addressed'
  return rotateTokenOf(platform, id, token_id, { expiresAt: expires_at, alone })
}

/** Revokes a token of a service account; one that was revoked already stays so. @throws ApiError 404, 400 or 412 */
export async function revokeToken(
  platform: Platform,
  group: Group,
  { user_id, token_id }: TokenInPath,
  unmodified: Unmodified,
): Promise<void> {
  const { id } = await requireGroupAccount(platform.database.read, group, user_id)
  await revokeTokenOf(platform, id, token_id, unmodified)
}
