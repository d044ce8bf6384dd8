import { createHash } from 'node:crypto'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { avatarFile } from '../../namespaces/index.ts'
import type { UserRow } from '../tables.ts'

/** Facts of the instance that presenting users depends on. */
export type PresentingUsers = {
  externalUrl: string
  now: string
  /** Whether users without an avatar get that of their e-mail address (setting `gravatar_enabled`). */
  gravatar?: boolean
  /** The setting `commit_email_hostname`. */
  commitEmailHostname?: string
}

/** Reads them; once per response. */
export async function presentingUsers({ settings, clock, externalUrl }: Platform): Promise<PresentingUsers> {
  const { gravatar_enabled: gravatar, commit_email_hostname: commitEmailHostname } = await settings.current()
  return { externalUrl, now: now(clock), gravatar, commitEmailHostname }
}

type CommitPresenting = Pick<PresentingUsers, 'commitEmailHostname'>

/** The picture of an address at Gravatar; null when the instance does not use it. */
export function gravatarUrl(email: string, { gravatar }: PresentingUsers, size = 80): string | null {
  if (!gravatar) return null
  const digest = createHash('sha256').update(email.trim().toLowerCase()).digest('hex')
  return `https://www.gravatar.com/avatar/${digest}?s=${size}&d=identicon`
}

/** The address of the picture of a user. */
export function avatarUrl({ id, avatar, email }: UserRow, presenting: PresentingUsers): string | null {
  if (avatar === null) return gravatarUrl(email, presenting)
  return `${presenting.externalUrl}/uploads/-/system/user/avatar/${id}/${avatarFile(avatar)}`
}

/** The author's address in commits that the server makes for a user; `_private` stands for one that reveals nothing. */
export function commitEmail(user: UserRow, presenting: CommitPresenting): string {
  const chosen = user.profile.commit_email
  if (chosen !== '_private') return chosen || user.email
  return `${user.id}-${user.username}@${presenting.commitEmailHostname ?? 'users.noreply.localhost'}`
}

/** Author and committer in commits that the server makes for a user. */
export function commitIdentity(user: UserRow, presenting: CommitPresenting): { name: string; email: string } {
  return { name: user.name, email: commitEmail(user, presenting) }
}
