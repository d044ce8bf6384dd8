import { anonymous, refuse } from '../../api/index.ts'
import { type Platform, throttleOpenForm } from '../../platform/index.ts'
import type { InstanceSettings } from '../../platform/settings/index.ts'
import { createUser } from '../users/index.ts'

/** What a person types to get an account. */
export type NewAccount = { username: string; name: string; email: string; password: string }

/** What an account needs before its user can sign in: nothing, an administrator, or the link of a mail. */
export type SignUpResult = { kind: 'closed' } | { kind: 'signed_up'; needs: 'nothing' | 'approval' | 'confirmation' }

/** Whether a domain is one of these; `*.example.com` stands for all below it. */
function isAmong(domain: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const wanted = pattern.trim().toLowerCase()
    return wanted.startsWith('*.') ? domain.endsWith(wanted.slice(1)) : domain === wanted
  })
}

function domainProblems(email: string, settings: InstanceSettings): string[] {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  const { domain_allowlist: allowed, domain_denylist_enabled: denies, domain_denylist: denied } = settings
  const isRefused = (allowed.length > 0 && !isAmong(domain, allowed)) || (denies && isAmong(domain, denied))
  return isRefused ? ['is not allowed for sign-up'] : []
}

/**
 * Creates an account for a person who has none (contract 20 R13), by the rules of x.users_create.
 * @throws ApiError 400 or 409 for what is wrong with it; 429 after too many requests from `ip`; 503 while too many passwords are
 * being hashed
 */
export async function signUp(platform: Platform, account: NewAccount, ip: string): Promise<SignUpResult> {
  await throttleOpenForm(platform, ip)
  const settings = await platform.settings.current()
  if (!settings.signup_enabled) return { kind: 'closed' }
  refuse({ email: domainProblems(account.email, settings) })
  const { username, name, email, password } = account
  const needsApproval = settings.require_admin_approval_after_user_signup
  const state = needsApproval ? 'blocked_pending_approval' : 'active'
  const user = await createUser(platform, { username, name, email, password }, anonymous, state)
  if (needsApproval) return { kind: 'signed_up', needs: 'approval' }
  return { kind: 'signed_up', needs: user.confirmed_at === null ? 'confirmation' : 'nothing' }
}
