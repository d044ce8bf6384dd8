import { parseOid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { commitIdentity, confirmedAddressesOf, presentingUsers, userById } from '../../users/index.ts'
import { commitsOfLatest, latestVersion } from '../heads/store.ts'
import { mostCommits } from '../heads/version.ts'
import type { MergeRequestRow } from '../tables.ts'

/** Tests whether an e-mail address in a commit is one of a user's: confirmed, chosen for commits, or private under any former name. */
async function addressTest(platform: Platform, userId: number): Promise<(address: string) => boolean> {
  const [user, confirmed, presenting] = await Promise.all([
    userById(platform.database.read, userId),
    confirmedAddressesOf(platform.database.read, userId),
    presentingUsers(platform),
  ])
  if (!user) return () => false
  const own = new Set([...confirmed, commitIdentity(user, presenting).email.toLowerCase()])
  const [, host] = commitIdentity({ ...user, profile: { ...user.profile, commit_email: '_private' } }, presenting)
    .email.toLowerCase()
    .split('@')
  return (address) => {
    const lower = address.toLowerCase()
    return own.has(lower) || (lower.startsWith(`${userId}-`) && lower.endsWith(`@${host}`))
  }
}

/**
 * Whether a user authored or committed a commit of a merge request, by the e-mail addresses in its newest version (contract 24,
 * Approvals). True for everyone where it has more commits than are stored: the others are not known.
 */
export async function hasCommitted(platform: Platform, row: MergeRequestRow, userId: number): Promise<boolean> {
  const db = platform.database.read
  const [version, shas] = await Promise.all([latestVersion(db, row.id), commitsOfLatest(db, row.id)])
  if (version && version.commit_count > mostCommits) return true
  const { repository } = await openRepository(platform, { id: row.project_id })
  const [isOwn, commits] = await Promise.all([
    addressTest(platform, userId),
    repository.commits(shas.flatMap((sha) => parseOid(sha) ?? [])),
  ])
  return [...commits.values()].some(({ author, committer }) => isOwn(author.email) || isOwn(committer.email))
}
