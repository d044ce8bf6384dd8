import { type Actor, dayOf, forbidden, type PageRequest, type Unmodified } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import { roleInProject } from '../access/index.ts'
import { callerLevel, type ProjectOrGroup } from '../projects/index.ts'
import {
  createManagedToken,
  listManagedTokens,
  revokeTokenOf,
  rotateTokenOf,
  type TokenFilter,
  type WantedToken,
} from '../tokens/index.ts'
import { requireAccountOf } from './accounts.ts'
import type { AccountOwner } from './store.ts'

/**
 * Requires that a token of an account gives its creator no more than the creator has: the account of a project may have a role there that
 * is above that of a maintainer. The accounts of a group are for its owners.
 * @throws ApiError 403
 */
async function requireNoRise({ database, clock }: Platform, owner: ProjectOrGroup, actor: Actor, accountId: number) {
  if (!owner.project) return
  const { level } = await roleInProject(database.read, accountId, owner.project, dayOf(clock.now()))
  if (level > callerLevel(actor, owner)) throw forbidden()
}

/** A page of the tokens of a service account, by default the newest first. @throws ApiError 404 or 400 */
export async function listTokens(
  platform: Platform,
  owner: AccountOwner,
  userId: number,
  filter: TokenFilter,
  page: PageRequest,
) {
  const { id } = await requireAccountOf(platform.database.read, owner, userId)
  return listManagedTokens(platform, id, filter, page)
}

/** Creates a token of a service account (contract 3.27, 26.9). @throws ApiError 403, 404, 400 or 422 */
export async function createToken(
  platform: Platform,
  owner: ProjectOrGroup,
  actor: Actor,
  userId: number,
  wanted: WantedToken,
) {
  const { id } = await requireAccountOf(platform.database.read, owner, userId)
  await requireNoRise(platform, owner, actor, id)
  return createManagedToken(platform, id, wanted)
}

type TokenInPath = { user_id: number; token_id: number }

/**
 * Rotates a token of a service account (contract 3.28, 26.9): its other active tokens are revoked as well, unless the server is
 * configured otherwise.
 * @throws ApiError 403, 404 or 400
 */
export async function rotateToken(
  platform: Platform,
  owner: ProjectOrGroup,
  actor: Actor,
  { user_id, token_id, expires_at }: TokenInPath & { expires_at?: string },
) {
  const { id } = await requireAccountOf(platform.database.read, owner, user_id)
  await requireNoRise(platform, owner, actor, id)
  const alone = platform.config.serviceAccountsRotateRevokes === 'addressed'
  return rotateTokenOf(platform, id, token_id, { expiresAt: expires_at, alone })
}

/** Revokes a token of a service account; one that was revoked already stays so. @throws ApiError 404, 400 or 412 */
export async function revokeToken(
  platform: Platform,
  owner: AccountOwner,
  { user_id, token_id }: TokenInPath,
  unmodified: Unmodified,
): Promise<void> {
  const { id } = await requireAccountOf(platform.database.read, owner, user_id)
  await revokeTokenOf(platform, id, token_id, unmodified)
}
