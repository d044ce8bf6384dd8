import type { Actor } from '../../api/index.ts'
import { now, type Tx } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import {
  defaultKeyPolicy,
  expiryProblems,
  formatSshKey,
  insertKey,
  type KeyProblem,
  type KeyRow,
  md5Fingerprint,
  readKey,
  type SshKey,
  sha256Fingerprint,
  takenFingerprint,
  titleProblems,
  type WantedKey,
} from '../keys/index.ts'
import { lockKeyByFingerprint } from './store.ts'

/** A parsed key, or null, with the problems of the request. A deploy key needs no expiry. */
export type ReadKey = { key: SshKey | null; problems(isTaken: boolean): KeyProblem[] }

/** Parses and checks a new key (contract 01, "Keys"). */
export function readWanted(wanted: WantedKey, moment: Date): ReadKey {
  const { key, problems } = readKey(wanted.key, defaultKeyPolicy)
  const others = [...expiryProblems(wanted.expires_at, null, moment), ...titleProblems(wanted.title)]
  return { key, problems: (isTaken) => [...problems, ...(isTaken ? [takenFingerprint] : []), ...others] }
}

/** The stored key with the same fingerprint, of any kind, locked until the transaction ends. */
export async function lockSame(tx: Tx, key: SshKey | null): Promise<KeyRow | null> {
  return key && lockKeyByFingerprint(tx, sha256Fingerprint(key.blob))
}

/**
 * Inserts a deploy key that the caller owns.
 * @throws UniqueViolation of `keys_fingerprint_sha256_unique`
 */
export async function insertDeployKey(
  { clock }: Platform,
  tx: Tx,
  key: SshKey,
  { wanted, isPublic, actor }: { wanted: WantedKey; isPublic: boolean; actor: Actor },
): Promise<KeyRow> {
  return insertKey(tx, {
    kind: 'deploy',
    user_id: null,
    owner_id: actor.kind === 'user' ? actor.userId : null,
    public: isPublic,
    title: wanted.title,
    key: formatSshKey(key),
    type: key.type,
    fingerprint_md5: md5Fingerprint(key.blob),
    fingerprint_sha256: sha256Fingerprint(key.blob),
    usage_type: 'auth_and_signing',
    expires_at: wanted.expires_at ?? null,
    created_at: now(clock),
  })
}
