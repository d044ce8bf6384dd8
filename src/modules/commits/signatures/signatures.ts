import { forms, notFound, nullable, oneOf, type Static, Type } from '../../../api/index.ts'
import type { Commit } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { keyByFingerprint, SshKeyObject, sha256Fingerprint } from '../../keys/index.ts'
import { commitIdentity, confirmedAddressesOf, type UserRow, userById } from '../../users/index.ts'
import { requireCommit } from '../revision.ts'
import { pgpKeyId } from './pgp-signature.ts'
import { parseSshSignature, verifySshSignature } from './ssh-signature.ts'

/** The members of an OpenPGP signature that describe its key. */
export const PgpKey = {
  gpg_key_id: Type.Optional(forms.nullableInteger),
  gpg_key_primary_keyid: Type.Optional(forms.nullableString),
  gpg_key_user_name: Type.Optional(forms.nullableString),
  gpg_key_user_email: Type.Optional(forms.nullableString),
  gpg_key_subkey_id: Type.Optional(forms.nullableInteger),
}

export const unknownPgpKey = Object.fromEntries(Object.keys(PgpKey).map((name) => [name, null])) as Record<
  keyof typeof PgpKey,
  null
>

/** The signature of a commit; its kind decides which members are present (contract 22, x.commits_signature). */
export const Signature = Type.Object(
  {
    signature_type: oneOf(['PGP', 'SSH', 'X509']),
    verification_status: Type.String({ examples: ['verified', 'unverified', 'unknown_key', 'other_user'] }),
    ...PgpKey,
    key: Type.Optional(nullable(SshKeyObject)),
    commit_source: Type.String(),
  },
  { title: 'CommitSignature' },
)
type PresentedSignature = Static<typeof Signature>

type Signed = { signature: string; payload: Buffer; commit: Commit }

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** Verifies an OpenPGP signature of a commit; null when its key is unknown. */
    'commits.pgp_verification'(
      signed: Signed & { keyId: string | null },
    ): Promise<Omit<PresentedSignature, 'signature_type' | 'commit_source'> | null>
  }
}

const commit_source = 'gitaly'
const gitNamespace = 'git'

/** Whether an address is a confirmed e-mail or the commit e-mail of a user. */
async function isAddressOf({ settings, database }: Platform, user: UserRow, email: string): Promise<boolean> {
  const { commit_email_hostname: commitEmailHostname } = await settings.current()
  const confirmed = await confirmedAddressesOf(database.read, user.id)
  const addresses = [...confirmed, commitIdentity(user, { commitEmailHostname }).email]
  return addresses.some((address) => address.toLowerCase() === email.toLowerCase())
}

async function verifySsh(platform: Platform, { signature, payload, commit }: Signed): Promise<PresentedSignature> {
  const { read } = platform.database
  const parsed = parseSshSignature(signature)
  const answer = (verification_status: string, key: PresentedSignature['key'] = null) => {
    return { signature_type: 'SSH' as const, verification_status, key, commit_source }
  }
  if (!parsed || !(await verifySshSignature(parsed, payload, gitNamespace))) return answer('unverified')
  const row = await keyByFingerprint(read, sha256Fingerprint(parsed.key.blob))
  if (!row || row.user_id === null || row.usage_type === 'auth') return answer('unknown_key')
  const owner = await userById(read, row.user_id)
  const isOwn = owner !== null && (await isAddressOf(platform, owner, commit.committer.email))
  return answer(isOwn ? 'verified' : 'other_user', SshKeyObject.present(row))
}

async function verifyPgp(platform: Platform, signed: Signed): Promise<PresentedSignature> {
  const keyId = pgpKeyId(signed.signature)
  const verified = await platform.ports['commits.pgp_verification'](platform, { ...signed, keyId })
  const unknown = { verification_status: 'unknown_key', ...unknownPgpKey, gpg_key_primary_keyid: keyId }
  return { signature_type: 'PGP', ...(verified ?? unknown), commit_source }
}

/** The verified signature of a commit (x.commits_signature). @throws ApiError 404 Commit, 404 Signature */
export async function commitSignature(
  platform: Platform,
  project: { id: number },
  revision: string,
): Promise<PresentedSignature> {
  const opened = await openRepository(platform, project)
  const commit = await requireCommit(opened, revision)
  const found = await opened.repository.commitSignature(commit.oid)
  if (!found) throw notFound('Signature')
  const signed = { ...found, commit }
  if (found.signature.startsWith('-----BEGIN SSH SIGNATURE-----')) return verifySsh(platform, signed)
  if (found.signature.startsWith('-----BEGIN PGP ')) return verifyPgp(platform, signed)
  // Certificates are not verified.
  return { signature_type: 'X509', verification_status: 'unverified', commit_source }
}
