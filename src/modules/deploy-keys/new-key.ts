import type { Actor } from '../../api/index.ts'
import { now, type Tx } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { insertKey, type KeyRow, keyColumns, type SshKey, sha256Fingerprint, type WantedKey } from '../keys/index.ts'
import { lockKeyByFingerprint } from './store.ts'

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
    ...keyColumns(key, wanted, now(clock)),
    kind: 'deploy',
    user_id: null,
    owner_id: actor.kind === 'user' ? actor.userId : null,
    public: isPublic,
    usage_type: 'auth_and_signing',
  })
}
