import type { Reader } from '../../infra/database/index.ts'
import { commitIdentity, type PresentingUsers, usersByEmails, usersByIds } from '../users/index.ts'

/** The id in an address that the server gives to users who do not want to tell theirs. */
function idInPrivateAddress(address: string): number[] {
  const [, digits] = /^(\d{1,15})-[^@]+@[^@]+$/.exec(address) ?? []
  return digits === undefined ? [] : [Number(digits)]
}

/**
 * Those of these e-mail addresses that are a user's: their own, once confirmed, or the private one under which their commits may stand.
 * Returned in lower case.
 */
export async function addressesIn(
  db: Reader,
  addresses: readonly string[],
  presenting: PresentingUsers,
): Promise<ReadonlySet<string>> {
  const wanted = [...new Set(addresses.map((address) => address.toLowerCase()))]
  const found = new Set((await usersByEmails(db, wanted)).map(({ email }) => email.toLowerCase()))
  const users = await usersByIds(db, wanted.filter((address) => !found.has(address)).flatMap(idInPrivateAddress))
  for (const user of users.values()) {
    if (user.removed_at !== null) continue
    const profile = { ...user.profile, commit_email: '_private' }
    found.add(commitIdentity({ ...user, profile }, presenting).email.toLowerCase())
  }
  return found
}
