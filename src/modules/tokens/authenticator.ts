import {
  type Authenticator,
  type CredentialKind,
  dayOf,
  forbidden,
  invalidToken,
  type PresentedToken,
  type UserActor,
  unauthorized,
} from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now } from '../../infra/database/index.ts'
import { hashToken } from '../../infra/secrets/index.ts'
import { type BotKind, type UserState, userByIdOrUsername } from '../users/index.ts'
import { isPastExpiry } from './expiry.ts'
import { accessTokenByDigest, noteUse, oauthTokenByDigest } from './store/access-tokens.ts'

/** The settings of the instance that decide about tokens. */
export type TokenPolicy = { admin_mode: boolean; email_confirmation_setting: string }

export type AuthenticatorNeeds = {
  database: Database
  clock: Clock
  policy(): Promise<TokenPolicy>
  /** Whether administrators may act as somebody by an impersonation token. Default true. */
  impersonationEnabled?: boolean
}

/** The columns of a user on which it hangs whether a request is let in. */
export type Account = {
  user_id: number
  username: string
  state: UserState
  is_admin: boolean
  external: boolean
  bot_kind: BotKind | null
  confirmed_at: string | null
}

const expired = () => invalidToken('Token is expired. You can either do re-authorization or token refresh.')
const revoked = () => invalidToken('Token was revoked. You have to re-authorize from the user.')
const impersonationOff = () => invalidToken('Token is an impersonation token but impersonation was disabled.')

/** Why an account may not be used just now, in the words of the API; null when it may (contract 00, 20 R2). */
export function accountProblem(account: Account, policy: TokenPolicy): string | null {
  switch (account.state) {
    case 'blocked':
    case 'banned':
    case 'ldap_blocked':
      return 'Your account has been blocked.'
    case 'deactivated':
      return (
        'Your account has been deactivated by your administrator. Please log back in from a web browser to reactivate ' +
        'your account.'
      )
    case 'blocked_pending_approval':
      return 'Your account is pending approval from your administrator and hence blocked.'
  }
  if (account.confirmed_at === null && account.bot_kind === null && policy.email_confirmation_setting !== 'off') {
    return 'Your primary email address is not confirmed. Please check your inbox for the confirmation instructions.'
  }
  return null
}

/** @throws ApiError 403 when the account may not be used; an administrator may not use it for its owner either */
function requireUsable(account: Account, policy: TokenPolicy): void {
  const problem = accountProblem(account, policy)
  if (problem) throw forbidden(problem)
}

/** Makes an actor of a user and the credential that stands for them. */
export function actorOf(
  account: Account,
  credential: { kind: CredentialKind; id: number | null; scopes: readonly string[] },
  policy: TokenPolicy,
): UserActor {
  const scopes = new Set(credential.scopes)
  return {
    kind: 'user',
    userId: account.user_id,
    username: account.username,
    administrator: account.is_admin && (!policy.admin_mode || scopes.has('admin_mode')),
    external: account.external,
    bot: account.bot_kind === 'project_bot' || account.bot_kind === 'group_bot',
    credential: { kind: credential.kind, id: credential.id, scopes },
  }
}

const tenMinutesMs = 600_000

/** Finds who a token stands for; the only place that does, for the API and for git alike. */
export function createAuthenticator(needs: AuthenticatorNeeds): Authenticator {
  const { database, clock, policy, impersonationEnabled = true } = needs
  const today = () => dayOf(clock.now())

  /** Written at most every ten minutes, since it would otherwise make a write of every read. */
  async function note(
    tokenId: number | null,
    lastUsedAt: string | null,
    account: Account & { last_activity_on: string | null },
  ) {
    const stale = lastUsedAt === null || clock.now().getTime() - Date.parse(lastUsedAt) >= tenMinutesMs
    const active = account.last_activity_on === today()
    if ((tokenId === null || !stale) && active) return
    const used = stale ? tokenId : null
    await database.write((tx) =>
      noteUse(tx, { tokenId: used, userId: account.user_id, now: now(clock), today: today() }),
    )
  }

  async function byAccessToken(digest: string): Promise<UserActor | null> {
    const token = await accessTokenByDigest(database.read, digest)
    if (!token) return null
    if (token.revoked) throw revoked()
    if (isPastExpiry(token, clock.now())) throw expired()
    if (token.kind === 'impersonation' && !impersonationEnabled) throw impersonationOff()
    const rules = await policy()
    requireUsable(token, rules)
    await note(token.id, token.last_used_at, token)
    return actorOf(token, token, rules)
  }

  async function byOauthToken(digest: string): Promise<UserActor | null> {
    const token = await oauthTokenByDigest(database.read, digest)
    if (!token) return null
    if (token.revoked) throw revoked()
    if (token.expires_at <= now(clock)) throw expired()
    const rules = await policy()
    requireUsable(token, rules)
    await note(null, null, token)
    return actorOf(token, { kind: 'oauth', id: token.id, scopes: token.scopes }, rules)
  }

  return {
    async authenticate({ carrier, text }: PresentedToken) {
      const digest = hashToken(text)
      const actor =
        carrier === 'job'
          ? null
          : ((await byAccessToken(digest)) ?? (carrier === 'bearer' ? await byOauthToken(digest) : null))
      if (!actor) throw unauthorized()
      return actor
    },
    async impersonate(caller, target) {
      const user = await userByIdOrUsername(database.read, target)
      if (!user) return null
      const rules = await policy()
      const account = { ...user, user_id: user.id }
      requireUsable(account, rules)
      return actorOf(account, { ...caller.credential, scopes: [...caller.credential.scopes] }, rules)
    },
  }
}
