import type { Platform } from '../../../platform/index.ts'
import { presentingUsers, presentUserBasic, type UserRow } from '../../users/index.ts'

/** What applications learn about a user, by the scopes that the user has granted (OpenID Connect Core, 5.4). */
export async function claimsOf(platform: Platform, user: UserRow, scopes: readonly string[]) {
  const { name, username, web_url, avatar_url } = presentUserBasic(user, await presentingUsers(platform))
  const profile = { name, nickname: username, preferred_username: username, profile: web_url }
  return {
    sub: String(user.id),
    ...(scopes.includes('profile') && { ...profile, ...(avatar_url !== null && { picture: avatar_url }) }),
    ...(scopes.includes('email') && { email: user.email, email_verified: user.confirmed_at !== null }),
  }
}
