import type { Platform, Ports } from '../../platform/index.ts'
import { confirmedAddressesOf } from '../users/index.ts'
import { type CheckedSignature, checkSignature } from './openpgp.ts'
import { type Candidate, keysOfKeyId } from './store.ts'
import type { GpgKeyRow } from './tables.ts'

/** Statuses from the best to the worst (contract 22, x.commits_signature). */
const statuses = [
  'verified',
  'same_user_different_email',
  'other_user',
  'unverified_key',
  'multiple_signatures',
  'unverified',
] as const
type Status = (typeof statuses)[number]

const includes = (addresses: readonly string[], email: string) => addresses.includes(email.toLowerCase())

/** What the owner of the key, the addresses in it and that of the committer make of a valid signature. */
function statusOf({ identities }: GpgKeyRow, confirmed: readonly string[], email: string): Status {
  const own = identities.filter((identity) => includes(confirmed, identity.email))
  if (own.length === 0) return 'unverified_key'
  if (own.some((identity) => identity.email.toLowerCase() === email.toLowerCase())) return 'verified'
  return includes(confirmed, email) ? 'same_user_different_email' : 'other_user'
}

/** Whether the owner of a key stands for a signature of that time. */
function isAcknowledged({ state, ended_at }: GpgKeyRow, { madeAt }: CheckedSignature): boolean {
  if (state === 'active') return true
  return state === 'removed' && madeAt !== null && ended_at !== null && madeAt.getTime() <= Date.parse(ended_at)
}

async function judge(platform: Platform, key: GpgKeyRow, checked: CheckedSignature, email: string): Promise<Status> {
  if (checked.count > 1) return 'multiple_signatures'
  if (!checked.isValid || !isAcknowledged(key, checked)) return 'unverified'
  return statusOf(key, await confirmedAddressesOf(platform.database.read, key.user_id), email)
}

function present({ key, subkeyId }: Candidate, status: Status, email: string) {
  const identity = key.identities.find((one) => one.email.toLowerCase() === email.toLowerCase()) ?? key.identities[0]
  const isActive = key.state === 'active'
  return {
    verification_status: status,
    gpg_key_id: isActive ? key.id : null,
    gpg_key_primary_keyid: key.key_id,
    gpg_key_user_name: identity?.name ?? null,
    gpg_key_user_email: identity?.email ?? null,
    gpg_key_subkey_id: isActive ? subkeyId : null,
  }
}

/**
 * Verifies an OpenPGP signature of a commit by the keys of users (contract 22, x.commits_signature). Several users may have
 * had the key; the best result counts.
 */
export const verifyCommit: Ports['commits.pgp_verification'] = async (
  platform,
  { signature, payload, commit, keyId },
) => {
  const candidates = keyId === null ? [] : await keysOfKeyId(platform.database.read, keyId)
  const { email } = commit.committer
  const checks = new Map<string, Promise<CheckedSignature>>()
  const results = await Promise.all(
    candidates.map(async (candidate) => {
      const { key } = candidate
      const check = checks.get(key.key) ?? checkSignature(key.key, signature, payload)
      checks.set(key.key, check)
      return { candidate, status: await judge(platform, key, await check, email) }
    }),
  )
  const best = statuses.map((status) => results.find((result) => result.status === status)).find((result) => result)
  return best ? present(best.candidate, best.status, email) : null
}
