import { now, type Reader } from '../../../infra/database/index.ts'
import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import { claimUsers, releaseUser, userById } from '../../users/index.ts'
import { groupOfDomain } from './store.ts'

const domainOfAddress = (email: string) => email.slice(email.lastIndexOf('@') + 1).toLowerCase()

/** Whether a group has verified the domain of an e-mail address. */
export async function ownsAddress(db: Reader, groupId: number, email: string): Promise<boolean> {
  return (await groupOfDomain(db, domainOfAddress(email))) === groupId
}

/** As `ownsAddress`, for modules below. */
export async function isVerifiedAddress({ database }: Platform, groupId: number, email: string): Promise<boolean> {
  return ownsAddress(database.read, groupId, email)
}

/** Makes a user who was created or changed an enterprise user, where the address says so (contract 13, claim). */
export const claimUser: Reaction<Events['user.saved']> = async ({ clock }, tx, { userId }) => {
  const user = await userById(tx, userId)
  const domain = domainOfAddress(user?.email ?? '')
  const groupId = await groupOfDomain(tx, domain)
  if (groupId !== null) await claimUsers(tx, { groupId, domain, userId, at: now(clock) })
}

/** Releases an enterprise user whose new address is in no domain of the group (contract 13, claim). */
export const releaseMovedUser: Reaction<Events['user.email_changed']> = async (_platform, tx, { userId }) => {
  const user = await userById(tx, userId)
  if (!user?.enterprise_group_id || (await ownsAddress(tx, user.enterprise_group_id, user.email))) return
  await releaseUser(tx, userId)
}
