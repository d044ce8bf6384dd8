/**
 * OpenPGP keys of users with their subkeys (contract 20). A key that was removed or revoked stays for the commits that it
 * signed; of the keys in use, each fingerprint is unique.
 */
import { type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** A name and an address that a key certifies for itself. */
export type KeyIdentity = { name: string; email: string }

/**
 * `removed`: signatures from before the removal stay verified. `revoked`: none is (contract 20, x.user_gpg_revoke).
 */
export type KeyState = 'active' | 'removed' | 'revoked'

export const gpgKeys = table(
  'gpg_keys',
  {
    id: t.id(),
    user_id: t.refers('users', 'cascade'),
    /** The public key as it was given, in ASCII armour. */
    key: t.text(),
    /** Upper-case hexadecimal. */
    fingerprint: t.text(),
    /** The last 16 digits of the fingerprint. */
    key_id: t.text(),
    identities: t.json<KeyIdentity[]>(),
    state: t.text<KeyState>().default('active'),
    /** When it was removed or revoked. */
    ended_at: t.time().nullable(),
    created_at: t.time(),
  },
  {
    unique: { fingerprint: { on: ['fingerprint'], where: "state = 'active'" } },
    indexes: { user: ['user_id', 'id'], key_id: ['key_id', 'id'] },
  },
)
export type GpgKeysTable = TableOf<typeof gpgKeys>

export const gpgSubkeys = table(
  'gpg_subkeys',
  {
    id: t.id(),
    gpg_key_id: t.refers('gpg_keys', 'cascade'),
    fingerprint: t.text(),
    key_id: t.text(),
  },
  {
    indexes: { key: ['gpg_key_id'], key_id: ['key_id', 'id'] },
  },
)

export type GpgKeyRow = RowOf<typeof gpgKeys>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof gpgKeys | typeof gpgSubkeys> {}
}
