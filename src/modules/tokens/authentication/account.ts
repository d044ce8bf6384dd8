import { type CredentialKind, forbidden, type UserActor } from '../../../api/index.ts'
import { hasTier } from '../../../config.ts'
import type { Platform } from '../../../platform/index.ts'
import type { InstanceSettings } from '../../../platform/settings/index.ts'
import type { BotKind, UserState } from '../../users/index.ts'

/** The settings that decide who may use an account, and when administrators act as such. */
type AccountSettings = Pick<InstanceSettings, 'admin_mode' | 'email_confirmation_setting'>

/** The columns of a user that decide whether a request is accepted. */
export type Account = {
  user_id: number
  username: string
  state: UserState
  is_admin: boolean
  external: boolean
  bot_kind: BotKind | null
  confirmed_at: string | null
  /** When the removal of the account began. */
  removed_at: string | null
}

/** Why an account may not be used, in the words of the API; null when it may (contract 00, 20 R2). */
export function accountProblem(account: Account, settings: AccountSettings): string | null {
  // What the user has started, such as a job, outlives the account, and belongs to the ghost user afterwards.
  if (account.removed_at !== null || account.bot_kind === 'ghost') return 'Your account has been blocked.'
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
  if (account.confirmed_at === null && account.bot_kind === null && settings.email_confirmation_setting !== 'off') {
    return 'Your primary email address is not confirmed. Please check your inbox for the confirmation instructions.'
  }
  return null
}

/** @throws ApiError 403 when the account may not be used, not even by an administrator on its behalf */
export function requireUsable(account: Account, settings: AccountSettings): void {
  const problem = accountProblem(account, settings)
  if (problem) throw forbidden(problem)
}

type Particulars = { projectId?: number; mark?: string | undefined }

const particularsOf = ({ projectId, mark }: Particulars) => ({
  ...(projectId === undefined ? {} : { projectId }),
  ...(mark === undefined ? {} : { mark }),
})

/** The actor that a user and a credential make. */
export function actorOf(
  { config }: Pick<Platform, 'config'>,
  account: Account,
  credential: { kind: CredentialKind; id: number | null; scopes: Iterable<string> } & Particulars,
  settings: AccountSettings,
): UserActor {
  const scopes = new Set(credential.scopes)
  return {
    kind: 'user',
    userId: account.user_id,
    username: account.username,
    administrator: account.is_admin && (!settings.admin_mode || scopes.has('admin_mode')),
    external: account.external,
    bot: account.bot_kind === 'project_bot' || account.bot_kind === 'group_bot',
    hasMemberRoles: hasTier(config.edition, 'ultimate'),
    credential: { ...particularsOf(credential), kind: credential.kind, id: credential.id, scopes },
  }
}
