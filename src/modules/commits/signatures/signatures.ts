import { forms, notFound, nullable, type Static, Type } from '../../../api/index.ts'
import type { Commit } from '../../../infra/git/index.ts'
import { keyByFingerprint, presentKey, SshKeyObject, sha256Fingerprint } from '../../keys/index.ts'
import { type OpeningNeeds, openRepository } from '../../repositories/index.ts'
import { commitIdentity, type UserRow, userById } from '../../users/index.ts'
import { requireCommit } from '../revision.ts'
import { pgpKeyId } from './pgp-signature.ts'
import { parseSshSignature, verifySshSignature } from './ssh-signature.ts'

/** A signature in each of its kinds; which members there are is for the kind to say (contract 22, x.commits_signature). */
export const Signature = Type.Object(
  {
    signature_type: Type.Unsafe<'PGP' | 'SSH' | 'X509'>({ type: 'string', enum: ['PGP', 'SSH', 'X509'] }),
    verification_status: Type.String({ examples: ['verified', 'unverified', 'unknown_key', 'other_user'] }),
    gpg_key_id: Type.Optional(forms.nullableInteger),
    gpg_key_primary_keyid: Type.Optional(forms.nullableString),
    gpg_key_user_name: Type.Optional(forms.nullableString),
    gpg_key_user_email: Type.Optional(forms.nullableString),
    gpg_key_subkey_id: Type.Optional(forms.nullableInteger),
    key: Type.Optional(nullable(SshKeyObject)),
    commit_source: Type.String(),
  },
  { title: 'CommitSignature' },
)
export type PresentedSignature = Static<typeof Signature>

/** What whoever keeps OpenPGP keys says of a signature. */
export type PgpVerification = {
  verification_status: string
  gpg_key_id: number | null
  gpg_key_primary_keyid: string | null
  gpg_key_user_name: string | null
  gpg_key_user_email: string | null
  gpg_key_subkey_id: number | null
}

export type SignatureNeeds = OpeningNeeds & {
  presentingUsers(): Promise<Parameters<typeof commitIdentity>[1]>
  /** Verifies an OpenPGP signature over a commit; null when its key is not known. Without it no such key is. */
  verifyPgp?(signed: {
    signature: string
    payload: Buffer
    keyId: string | null
    commit: Commit
  }): Promise<PgpVerification | null>
}

/** The signatures of commits. */
export type Signatures = ReturnType<typeof createSignatures>

type Signed = { signature: string; payload: Buffer; commit: Commit }

const commit_source = 'gitaly'
const gitNamespace = 'git'

export function createSignatures(needs: SignatureNeeds) {
  const { database, presentingUsers, verifyPgp } = needs

  /** Whether a user commits under this address. */
  async function isAddressOf(user: UserRow, email: string): Promise<boolean> {
    const own = user.confirmed_at === null ? [] : [user.email]
    const addresses = [...own, commitIdentity(user, await presentingUsers()).email]
    return addresses.some((address) => address.toLowerCase() === email.toLowerCase())
  }

  async function ofSsh({ signature, payload, commit }: Signed): Promise<PresentedSignature> {
    const parsed = parseSshSignature(signature)
    const answer = (verification_status: string, key: PresentedSignature['key'] = null) => {
      return { signature_type: 'SSH' as const, verification_status, key, commit_source }
    }
    if (!parsed || !verifySshSignature(parsed, payload, gitNamespace)) return answer('unverified')
    const row = await keyByFingerprint(database.read, sha256Fingerprint(parsed.key.blob))
    if (!row || row.user_id === null || row.usage_type === 'auth') return answer('unknown_key')
    const owner = await userById(database.read, row.user_id)
    const isOwn = owner !== null && (await isAddressOf(owner, commit.committer.email))
    return answer(isOwn ? 'verified' : 'other_user', presentKey(row))
  }

  async function ofPgp(signed: Signed): Promise<PresentedSignature> {
    const keyId = pgpKeyId(signed.signature)
    const verified = await verifyPgp?.({ ...signed, keyId })
    const unknown: PgpVerification = {
      verification_status: 'unknown_key',
      gpg_key_id: null,
      gpg_key_primary_keyid: keyId,
      gpg_key_user_name: null,
      gpg_key_user_email: null,
      gpg_key_subkey_id: null,
    }
    return { signature_type: 'PGP', ...(verified ?? unknown), commit_source }
  }

  return {
    /** The signature of a commit, verified (x.commits_signature). @throws ApiError 404 Commit, 404 Signature */
    async ofCommit(project: { id: number }, revision: string): Promise<PresentedSignature> {
      const opened = await openRepository(needs, project)
      const commit = await requireCommit(opened, revision)
      const found = await opened.repository.commitSignature(commit.oid)
      if (!found) throw notFound('Signature')
      const signed = { ...found, commit }
      if (found.signature.startsWith('-----BEGIN SSH SIGNATURE-----')) return ofSsh(signed)
      if (found.signature.startsWith('-----BEGIN PGP ')) return ofPgp(signed)
      // Certificates are not looked at, so nothing is known of who signed.
      return { signature_type: 'X509', verification_status: 'unverified', commit_source }
    },
  }
}
