import type { Generated, Selectable } from 'kysely'
import type { Json } from '../../infra/database/index.ts'

/** A name and an address that a key certifies for itself. */
export type KeyIdentity = { name: string; email: string }

/**
 * `removed`: signatures from before the removal stay verified. `revoked`: none is (contract 20, x.user_gpg_revoke).
 */
export type KeyState = 'active' | 'removed' | 'revoked'

export type GpgKeysTable = {
  id: Generated<number>
  user_id: number
  /** The public key as it was given, in ASCII armour. */
  key: string
  /** Upper-case hexadecimal. */
  fingerprint: string
  /** The last 16 digits of the fingerprint. */
  key_id: string
  identities: Json<KeyIdentity[]>
  state: Generated<KeyState>
  /** When it was removed or revoked. */
  ended_at: string | null
  created_at: string
}

export type GpgSubkeysTable = { id: Generated<number>; gpg_key_id: number; fingerprint: string; key_id: string }

export type GpgKeyRow = Selectable<GpgKeysTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    gpg_keys: GpgKeysTable
    gpg_subkeys: GpgSubkeysTable
  }
}
