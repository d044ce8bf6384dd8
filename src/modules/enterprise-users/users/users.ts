import {
  type Actor,
  ApiError,
  anonymous,
  badRequest,
  conflict,
  failure,
  forbidden,
  onlyProblems,
  type PageRequest,
  recordNotFound,
  type Unmodified,
} from '../../../api/index.ts'
import { now, type Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Group } from '../../groups/index.ts'
import {
  changeUser,
  EnterpriseUser,
  namingProblems,
  pageOfEnterpriseUsers,
  presentingUsers,
  presentUserBasic,
  removeUser,
  disableTwoFactor as switchOff,
  type UserRow,
  userById,
  userView,
} from '../../users/index.ts'
import { ownsAddress } from '../domains/claims.ts'
import type { EnterpriseChanges, EnterpriseFilterParams, GroupUserFilter } from './params.ts'
import { pageOfGroupUsers } from './store.ts'

/** Owners see all that the object has, so that the view does not depend on them. */
const viewOfOwners = (platform: Platform) => userView(platform, anonymous)

/** A page of the enterprise users of a group, the newest first (contract 3.29). */
export async function listEnterpriseUsers(
  platform: Platform,
  group: Group,
  { two_factor, ...filter }: EnterpriseFilterParams,
  page: PageRequest,
) {
  const twoFactor = (['enabled', 'disabled'] as const).find((state) => state === two_factor)
  const found = await pageOfEnterpriseUsers(platform.database.read, group.id, { ...filter, twoFactor }, page)
  return { ...found, items: await EnterpriseUser.presentAll(found.items, await viewOfOwners(platform)) }
}

/** @throws ApiError 404 for users of other groups and of none */
async function requireEnterpriseUser(db: Reader, group: Group, userId: number): Promise<UserRow> {
  const user = await userById(db, userId)
  if (user?.enterprise_group_id !== group.id) throw recordNotFound()
  return user
}

async function present(platform: Platform, user: UserRow) {
  return EnterpriseUser.presentOne(user, await viewOfOwners(platform))
}

/** An enterprise user of a group. @throws ApiError 404 */
export async function getEnterpriseUser(platform: Platform, group: Group, userId: number) {
  return present(platform, await requireEnterpriseUser(platform.database.read, group, userId))
}

/** Runs a change. @throws ApiError `refusal` in place of a 409 */
async function refusingConflict<T>(change: () => Promise<T>, refusal: (sentence: string) => ApiError): Promise<T> {
  try {
    return await change()
  } catch (error) {
    throw error instanceof ApiError && error.status === 409 ? refusal(String(error.body.message)) : error
  }
}

const titles: Record<string, string> = { email: 'Email', name: 'Name' }

/** @throws ApiError 400 with the first problem */
async function requireValid(db: Reader, group: Group, user: UserRow, wanted: EnterpriseChanges): Promise<void> {
  if (wanted.email !== undefined && !(await ownsAddress(db, group.id, wanted.email))) {
    throw failure(400, "Email must be owned by the user's enterprise group")
  }
  const [problem] = Object.entries(onlyProblems(await namingProblems(db, wanted, user)))
  if (problem) throw failure(400, `${titles[problem[0]]} ${problem[1][0]}`)
}

/** Changes name and address; the address takes effect without confirmation. @throws ApiError 404 or 400 */
export async function updateEnterpriseUser(
  platform: Platform,
  group: Group,
  { user_id, ...wanted }: EnterpriseChanges & { user_id: number },
  actor: Actor,
) {
  const { database } = platform
  const user = await requireEnterpriseUser(database.read, group, user_id)
  await requireValid(database.read, group, user, wanted)
  const change = () => changeUser(platform, user.id, { ...wanted, skip_reconfirmation: true }, actor)
  return present(platform, await refusingConflict(change, (sentence) => failure(400, sentence)))
}

/** Removes the second factors of a user. @throws ApiError 404; 400 when there are none */
export async function disableTwoFactor(platform: Platform, group: Group, userId: number): Promise<void> {
  const { database, clock } = platform
  const user = await requireEnterpriseUser(database.read, group, userId)
  if (await database.write((tx) => switchOff(tx, user.id, now(clock)))) return
  throw badRequest('Two-factor authentication is not enabled for this user')
}

/**
 * Deletes an enterprise user, as administrators do.
 * @param hard whether contributions and solely owned groups are deleted as well
 * @throws ApiError 404, 403 for the caller, 409 for the sole owner of a group unless `hard`, 412
 */
export async function deleteEnterpriseUser(
  platform: Platform,
  group: Group,
  userId: number,
  { hard, actor, unmodified }: { hard: boolean; actor: Actor; unmodified: Unmodified },
): Promise<void> {
  const { id } = await requireEnterpriseUser(platform.database.read, group, userId)
  if (actor.kind === 'user' && actor.userId === id) throw forbidden()
  await refusingConflict(
    () => removeUser(platform, id, { hard, actor, unmodified }),
    () => conflict('Can not remove a user who is the sole owner of a group.'),
  ).catch((error) => {
    // Another request has deleted the user meanwhile.
    throw error instanceof ApiError && error.status === 404 ? recordNotFound() : error
  })
}

/** The members with a SAML identity and the service accounts of a top-level group (contract 21, x.groups_users). */
export async function listGroupUsers(platform: Platform, group: Group, filter: GroupUserFilter, page: PageRequest) {
  const found = await pageOfGroupUsers(platform.database.read, group.id, filter, page)
  const presenting = await presentingUsers(platform)
  return { ...found, items: found.items.map((user) => presentUserBasic(user, presenting)) }
}
