import { instance, readingUsers, t } from '../../api/index.ts'
import type { Module } from '../../platform/index.ts'
import { customAttributeOperations } from '../custom-attributes/index.ts'
import * as accounts from './accounts/operations.ts'
import * as activity from './activity/operations.ts'
import { avatarCheck, avatarSweep } from './avatars/avatars.ts'
import * as avatars from './avatars/operations.ts'
import * as confirmation from './confirmation/operations.ts'
import { requireUser } from './directory/lookup.ts'
import * as directory from './directory/operations.ts'
import { forgetUsersWithProjects, withoutProjectsCheck } from './directory/without-projects.ts'
import * as emails from './emails/operations.ts'
import * as following from './following/operations.ts'
import * as preferences from './preferences/operations.ts'
import * as removal from './removal/operations.ts'
import { removeUserJob } from './removal/removal.ts'
import { removeUnconfirmedUsers } from './removal/unconfirmed.ts'
import { stateOperations } from './states/operations.ts'
import * as statuses from './statuses/operations.ts'
import { usersWithAvatar } from './store.ts'
import * as twoFactor from './two-factor/operations.ts'

export { changeUser, createUser } from './accounts/accounts.ts'
export { alertBotId, automationUserId, ghostUserId } from './accounts/internal-users.ts'
export { emailProblems, passwordProblems } from './accounts/names.ts'
export { hashedPassword, setPassword } from './accounts/passwords.ts'
export { createUserRows } from './accounts/rows.ts'
export { duplicateError, type Naming, namingProblems } from './accounts/rules.ts'
export {
  type Avatar,
  avatarCheck,
  avatarOf,
  avatarSweep,
  openAvatar,
  putAvatar,
  readAvatar,
  removeAvatar,
  removeAvatars,
} from './avatars/avatars.ts'
export { listUsers, presentSingles } from './directory/directory.ts'
export { UserBasic } from './directory/fields.ts'
export { requireUser, requireVisibleUser } from './directory/lookup.ts'
export { userGet, usersGet, usersList } from './directory/operations.ts'
export { exportedUser, OwnUser, presentUserBasic, SingleUser, userView } from './directory/present.ts'
export { commitIdentity, type PresentingUsers, presentingUsers } from './directory/presenting.ts'
export { confirmedAddressesOf } from './emails/emails.ts'
export { EnterpriseUser } from './enterprise/present.ts'
export { claimUsers, pageOfEnterpriseUsers, releaseUser } from './enterprise/store.ts'
export { removeUser, removeUsersIfDue } from './removal/removal.ts'
export {
  acceptsPassword,
  checkPassword,
  isLocked,
  recordFailedAttempt,
  recordSignIn,
  signIn,
  userOfLogin,
} from './sign-in/sign-in.ts'
export {
  accountFacts,
  actingUser,
  anyUserExists,
  blockUsers,
  isNamed,
  isPresent,
  noteActivity,
  updateUser,
  userById,
  userByIdOrUsername,
  userByUsername,
  usersByEmails,
  usersByIds,
  usersByUsernames,
  usersWithAvatar,
} from './store.ts'
export type { BotKind, UserRow, UserState } from './tables.ts'
export { codeCheck } from './two-factor/codes.ts'
export {
  userTwoFactorBegin,
  userTwoFactorDisable,
  userTwoFactorEnable,
  userTwoFactorRenewCodes,
} from './two-factor/operations.ts'
export { disableTwoFactor, enableTwoFactor, noteSecondFactorDemand } from './two-factor/store.ts'

/** Custom attributes of users (contract 20). */
const userAttributeOperations = customAttributeOperations({
  kind: 'user',
  path: '/users/:id',
  subject: instance,
  allow: 'administrator',
  scopes: readingUsers,
  params: { id: t.id({ otherwise: 'route' }) },
  idOf: async ({ database }, _instance, { id }) => (await requireUser(database.read, Number(id))).id,
})

export const users: Module = {
  name: 'users',
  tags: { Users: 'User accounts and their e-mail addresses.' },
  operations: [
    ...Object.values(directory),
    ...userAttributeOperations,
    ...Object.values(accounts),
    ...Object.values(removal),
    ...stateOperations,
    ...Object.values(twoFactor),
    ...Object.values(avatars),
    ...[activity, confirmation, emails, following, preferences, statuses].flatMap((room) => Object.values(room)),
  ],
  jobs: [removeUserJob, removeUnconfirmedUsers, forgetUsersWithProjects, avatarSweep('user', usersWithAvatar)],
  checks: [avatarCheck('user', usersWithAvatar), withoutProjectsCheck],
}
