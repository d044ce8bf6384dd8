import type { Actor } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { now, type Tx } from '../../infra/database/index.ts'
import {
  expiryProblems,
  formatSshKey,
  insertKey,
  type KeyPolicy,
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
import { holdKeyByFingerprint } from './store.ts'

/** The text of a wanted key, read, and what stands against it; a key of a machine may live for ever. */
export type ReadKey = { key: SshKey | null; problems(isTaken: boolean): KeyProblem[] }

/** Reads a wanted key (contract 01, "Keys"). */
export function readWanted(wanted: WantedKey, policy: KeyPolicy, moment: Date): ReadKey {
  const { key, problems } = readKey(wanted.key, policy)
  const others = [...expiryProblems(wanted.expires_at, null, moment), ...titleProblems(wanted.title)]
  return { key, problems: (isTaken) => [...problems, ...(isTaken ? [takenFingerprint] : []), ...others] }
}

/** The key of these numbers that is there already, whatever its kind, under the lock of the transaction. */
export async function holdSame(tx: Tx, key: SshKey | null): Promise<KeyRow | null> {
  return key && holdKeyByFingerprint(tx, sha256Fingerprint(key.blob))
}

/**
 * Stores a deploy key of the caller.
 * @throws UniqueViolation of `keys_fingerprint_sha256_unique`
 */
export async function insertDeployKey(
  tx: Tx,
  key: SshKey,
  { wanted, isPublic, actor, clock }: { wanted: WantedKey; isPublic: boolean; actor: Actor; clock: Clock },
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
