import { timingSafeEqual } from 'node:crypto'
import { hasTier } from '../../config.ts'
import type { PublicKeyBlob, SshCertificate } from '../../infra/ssh/index.ts'
import type { Platform } from '../../platform/index.ts'
import { sha256Fingerprint } from '../keys/index.ts'
import { type UserRow, userByUsername, usersByEmails } from '../users/index.ts'
import { certificateByFingerprint, certificateById } from './store.ts'
import type { GroupSshCertificateRow } from './tables.ts'

/** A certificate with which a client has signed in: what has to be looked at again later. */
export type HeldCertificate = {
  /** The row of the authority. */
  authorityId: number
  /** What the authority calls the user. */
  keyId: string
  /** When the certificate ends, in seconds since 1970. */
  validBefore: number
}

/** The user whom a certificate names, and the only group whose projects it opens. */
export type CertificateOwner = { user: UserRow; groupId: number }

/** The user of a user name, or of a confirmed address. */
async function userNamed({ database }: Platform, keyId: string): Promise<UserRow | null> {
  // PostgreSQL has no text with it.
  if (keyId.includes('\u0000')) return null
  if (!keyId.includes('@')) return userByUsername(database.read, keyId)
  return (await usersByEmails(database.read, [keyId]))[0]?.user ?? null
}

/** Compares byte by byte; a fingerprint is only an index. */
function isSameKey(stored: GroupSshCertificateRow, { blob }: PublicKeyBlob): boolean {
  const bytes = Buffer.from(stored.key.split(' ')[1] ?? '', 'base64')
  return bytes.length === blob.length && timingSafeEqual(bytes, blob)
}

/** The owner of a certificate of an authority; null unless it names an enterprise user of the group of the authority. */
async function ownerOf(
  platform: Platform,
  authority: GroupSshCertificateRow | null,
  keyId: string,
): Promise<CertificateOwner | null> {
  if (!authority || !hasTier(platform.config.edition, 'premium')) return null
  const user = await userNamed(platform, keyId)
  const { namespace_id: groupId } = authority
  return user?.enterprise_group_id === groupId ? { user, groupId } : null
}

/** Finds whom an offered certificate names (contract 26.12). @returns null when no group accepts it */
export async function certificateOwner(
  platform: Platform,
  { authority: key, keyId, validBefore }: SshCertificate,
): Promise<(CertificateOwner & { held: HeldCertificate }) | null> {
  const authority = await certificateByFingerprint(platform.database.read, sha256Fingerprint(key.blob))
  if (!authority || !isSameKey(authority, key)) return null
  const owner = await ownerOf(platform, authority, keyId)
  return owner && { ...owner, held: { authorityId: authority.id, keyId, validBefore } }
}

/** As `certificateOwner`, for a certificate that was accepted before. @returns null when something of it has ended */
export async function ownerOfHeld(
  platform: Platform,
  { authorityId, keyId, validBefore }: HeldCertificate,
): Promise<CertificateOwner | null> {
  if (platform.clock.now().getTime() / 1000 >= validBefore) return null
  return ownerOf(platform, await certificateById(platform.database.read, authorityId), keyId)
}
