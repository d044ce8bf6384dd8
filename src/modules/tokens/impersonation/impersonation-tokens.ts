import { type Actor, dayOf, notFound, type PageRequest } from '../../../api/index.ts'
import { type Platform, recordAct } from '../../../platform/index.ts'
import { requireUser } from '../../users/index.ts'
import { issueToken, prepareToken } from '../access-tokens.ts'
import type { NewImpersonationToken as WantedImpersonationToken } from '../params.ts'
import { ImpersonationToken, NewImpersonationToken } from '../present.ts'
import { accessTokenById, revokeAccessToken } from '../store/access-tokens.ts'
import { listAccessTokens } from '../store/listing.ts'
import type { AccessTokenRow } from '../tables.ts'
import { asFields, requireAvailableScopes } from '../validation.ts'

/** @throws ApiError 404 */
async function requireToken(platform: Platform, userId: number, id: number): Promise<AccessTokenRow> {
  await requireUser(platform.database.read, userId)
  const token = await accessTokenById(platform.database.read, id)
  if (token?.kind !== 'impersonation' || token.user_id !== userId) throw notFound('Impersonation Token')
  return token
}

/** A page of the impersonation tokens of a user. */
export async function listImpersonationTokens(
  platform: Platform,
  userId: number,
  state: 'all' | 'active' | 'inactive' | undefined,
  page: PageRequest,
) {
  await requireUser(platform.database.read, userId)
  const moment = platform.clock.now()
  const filter = state === undefined || state === 'all' ? {} : { state }
  const range = { kinds: ['impersonation'] as const, userId }
  const found = await listAccessTokens(platform.database.read, range, filter, { page, today: dayOf(moment) })
  return { ...found, items: found.items.map((row) => ImpersonationToken.present(row, moment)) }
}

/** @throws ApiError 404 */
export async function getImpersonationToken(platform: Platform, userId: number, id: number) {
  return ImpersonationToken.present(await requireToken(platform, userId, id), platform.clock.now())
}

/** @throws ApiError 404 for an unknown user; 400, form C */
export async function createImpersonationToken(
  platform: Platform,
  userId: number,
  { scopes = [], ...wanted }: WantedImpersonationToken,
  actor: Actor,
) {
  requireAvailableScopes(platform, scopes, await requireUser(platform.database.read, userId))
  const token = await prepareToken(platform, 'impersonation', { ...wanted, scopes }, asFields)
  const { row, text } = await platform.database.write(async (tx) => {
    const act = { name: 'impersonation_tokens.create', target: { kind: 'user', id: userId } } as const
    await recordAct(platform, tx, actor, act)
    return issueToken(tx, { kind: 'impersonation', user_id: userId }, token)
  })
  return NewImpersonationToken.present({ ...row, token: text }, platform.clock.now())
}

/** @throws ApiError 404 */
export async function revokeImpersonationToken(
  platform: Platform,
  userId: number,
  id: number,
  { unmodified, actor }: { unmodified: (at: string) => void; actor: Actor },
): Promise<void> {
  const token = await requireToken(platform, userId, id)
  unmodified(token.created_at)
  await platform.database.write(async (tx) => {
    if (!(await revokeAccessToken(tx, token.id))) return
    const act = { name: 'impersonation_tokens.delete', target: { kind: 'user', id: userId } } as const
    await recordAct(platform, tx, actor, act)
  })
}
