import { dayOf, notFound, type Page, type PageRequest } from '../../api/index.ts'
import { now } from '../../infra/database/index.ts'
import { type UserRow, userById } from '../users/index.ts'
import { latestExpiry } from './expiry.ts'
import { issueToken, type TokenNeeds } from './issuing.ts'
import type { RequireUnmodified } from './personal.ts'
import { presentAccessToken } from './present.ts'
import { asFields, problemsOf, requireAvailableScopes, requireNoProblems, type WantedToken } from './problems.ts'
import { accessTokenById, revokeAccessToken } from './store/access-tokens.ts'
import { listAccessTokens } from './store/listing.ts'
import type { AccessTokenRow } from './tables.ts'

type Presented = ReturnType<typeof presentAccessToken> & { impersonation: boolean }

export type ImpersonationTokens = ReturnType<typeof createImpersonationTokens>

/**
 * The rules of impersonation tokens: administrators make them to act as somebody (contract 20, x.imp_*). Every method may
 * throw `404 User Not Found`.
 */
export function createImpersonationTokens({ database, clock, rules }: TokenNeeds) {
  const db = database.read
  const present = (row: AccessTokenRow): Presented => ({ ...presentAccessToken(row, clock.now()), impersonation: true })

  async function requireUser(id: number): Promise<UserRow> {
    const user = await userById(db, id)
    if (!user) throw notFound('User')
    return user
  }

  async function addressed(userId: number, id: number): Promise<AccessTokenRow> {
    await requireUser(userId)
    const token = await accessTokenById(db, id)
    if (token?.kind !== 'impersonation' || token.user_id !== userId) throw notFound('Impersonation Token')
    return token
  }

  return {
    async list(
      userId: number,
      state: 'all' | 'active' | 'inactive' | undefined,
      page: PageRequest,
    ): Promise<Page<Presented>> {
      await requireUser(userId)
      const filter = state === undefined || state === 'all' ? {} : { state }
      const range = { kinds: ['impersonation'] as const, userId }
      const found = await listAccessTokens(db, range, filter, { page, today: dayOf(clock.now()) })
      return { ...found, items: found.items.map(present) }
    },

    async get(userId: number, id: number): Promise<Presented> {
      return present(await addressed(userId, id))
    },

    /** @throws ApiError 400, form C */
    async create(userId: number, wanted: WantedToken): Promise<Presented & { token: string }> {
      const user = await requireUser(userId)
      const current = await rules()
      const latest = latestExpiry(current, clock.now(), 'impersonation')
      requireAvailableScopes(wanted.scopes, user)
      requireNoProblems(problemsOf(wanted, latest), asFields)
      const token = { ...wanted, expires_at: wanted.expires_at ?? latest }
      const making = { prefix: current.personal_access_token_prefix, moment: now(clock) }
      const holder = { kind: 'impersonation' as const, userId }
      const { row, text } = await database.write((tx) => issueToken(tx, holder, token, making))
      return { ...present(row), token: text }
    },

    async revoke(userId: number, id: number, requireUnmodifiedSince: RequireUnmodified): Promise<void> {
      const token = await addressed(userId, id)
      requireUnmodifiedSince(token.created_at)
      await database.write((tx) => revokeAccessToken(tx, token.id))
    },
  }
}
