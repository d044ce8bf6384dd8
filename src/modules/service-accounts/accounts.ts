import {
  type Actor,
  badRequest,
  failure,
  notFound,
  type PageRequest,
  recordNotFound,
  type Unmodified,
} from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { changeUser, type Naming, removeUser, type UserRow, userById } from '../users/index.ts'
import { type Refuse, refusingDuplicates, requireNaming } from './naming.ts'
import type { AccountOrder } from './params.ts'
import { presentAccount } from './present.ts'
import { type AccountOwner, ownerColumnOf, pageOfAccounts } from './store.ts'

/** A page of the service accounts of a project or group (contract 3.24, 26.9), or of the instance with null. */
export async function listAccountsOf(
  { database }: Platform,
  owner: AccountOwner | null,
  order: AccountOrder,
  page: PageRequest,
) {
  const found = await pageOfAccounts(database.read, owner, order, page)
  return { ...found, items: found.items.map(presentAccount) }
}

/**
 * Finds a service account of exactly this project or group.
 * @throws ApiError 404 for other users; 400 for a person, of a group for one whose account the group made
 */
export async function requireAccountOf(db: Reader, owner: AccountOwner, userId: number): Promise<UserRow> {
  const user = await userById(db, userId)
  const isAsked = user?.[ownerColumnOf(owner)] === owner.id || (owner.kind === 'project' && user?.bot_kind === null)
  if (!user || !isAsked) throw notFound('User')
  if (user.bot_kind !== 'service_account') throw badRequest('User is not of type Service Account')
  return user
}

/** @throws ApiError 404 for an unknown user, 400 for a person or another bot */
async function requireInstanceAccount(db: Reader, userId: number): Promise<UserRow> {
  const user = await userById(db, userId)
  if (!user) throw recordNotFound()
  if (user.bot_kind !== 'service_account') throw badRequest('User is not a service account')
  return user
}

/** A service account of a project or group (contract 12, x.service_account.get). @throws ApiError 404 or 400 */
export async function getAccount({ database }: Platform, owner: AccountOwner, userId: number) {
  return presentAccount(await requireAccountOf(database.read, owner, userId))
}

/** Changes names and address. A new address waits for its confirmation only where that is enforced. */
async function change(platform: Platform, user: UserRow, wanted: Naming, actor: Actor, refuse: Refuse) {
  const { database, settings } = platform
  if (Object.values(wanted).every((value) => value === undefined)) return presentAccount(user)
  await requireNaming(database.read, wanted, refuse, user)
  const { email_confirmation_setting: confirmation } = await settings.current()
  const changes = { ...wanted, skip_reconfirmation: confirmation !== 'hard' }
  return presentAccount(await refusingDuplicates(refuse, () => changeUser(platform, user.id, changes, actor)))
}

/** Changes a service account of a project or group (contract 12, x.service_account.update). @throws ApiError 404 or 400 */
export async function updateAccountOf(
  platform: Platform,
  owner: AccountOwner,
  { user_id, ...wanted }: Naming & { user_id: number },
  actor: Actor,
) {
  const user = await requireAccountOf(platform.database.read, owner, user_id)
  return change(platform, user, wanted, actor, (sentence) => failure(400, sentence))
}

/** Changes any service account (contract 12, x.service_accounts.update). @throws ApiError 404 or 400 */
export async function updateInstanceAccount(
  platform: Platform,
  { user_id, ...wanted }: Naming & { user_id: number },
  actor: Actor,
) {
  return change(platform, await requireInstanceAccount(platform.database.read, user_id), wanted, actor, badRequest)
}

/**
 * Deletes a service account (contract 3.26): its tokens are invalid at once, the rest follows in the background.
 * @param hard whether contributions and groups that only it owns are deleted as well
 * @throws ApiError 404 or 400; 409 for the sole owner of a group unless `hard`; 412
 */
export async function deleteAccount(
  platform: Platform,
  owner: AccountOwner,
  userId: number,
  { hard, actor, unmodified }: { hard: boolean; actor: Actor; unmodified: Unmodified },
): Promise<void> {
  const { id } = await requireAccountOf(platform.database.read, owner, userId)
  await removeUser(platform, id, { hard, actor, unmodified })
}
