import type { Platform } from '../../../platform/index.ts'
import { commitIdentity, presentingUsers, usersByEmails, usersByIds } from '../../users/index.ts'

/** The id in a private commit address, such as `42-name@users.example.com`. */
function idInPrivateAddress(address: string): number[] {
  const [, digits] = /^(\d{1,15})-[^@]+@[^@]+$/.exec(address) ?? []
  return digits === undefined ? [] : [Number(digits)]
}

/** Which of these e-mail addresses are confirmed or private addresses of users. @returns them in lower case */
export async function userAddresses(platform: Platform, addresses: readonly string[]): Promise<ReadonlySet<string>> {
  const db = platform.database.read
  const presenting = await presentingUsers(platform)
  const wanted = [...new Set(addresses.map((address) => address.toLowerCase()))]
  const found = new Set((await usersByEmails(db, wanted)).map(({ address }) => address))
  const users = await usersByIds(db, wanted.filter((address) => !found.has(address)).flatMap(idInPrivateAddress))
  for (const user of users.values()) {
    if (user.removed_at !== null) continue
    const profile = { ...user.profile, commit_email: '_private' }
    found.add(commitIdentity({ ...user, profile }, presenting).email.toLowerCase())
  }
  return found
}
