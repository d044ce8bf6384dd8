import type { Platform } from '../../../platform/index.ts'
import { avatarUrl, gravatarUrl, presentingUsers } from '../directory/presenting.ts'
import { userByPublicEmail } from '../store.ts'

/**
 * The address of the avatar for an e-mail address (contract 20, x.avatar). Only public addresses find a user: others would
 * tell strangers who has an account.
 */
export async function avatarOfAddress(
  platform: Platform,
  { email, size }: { email: string; size?: number },
): Promise<string | null> {
  const presenting = await presentingUsers(platform)
  const user = await userByPublicEmail(platform.database.read, email)
  return user?.avatar ? avatarUrl(user, presenting) : gravatarUrl(email, presenting, size)
}
