import type { Generated, Selectable } from 'kysely'
import type { KeyType } from './format/ssh-key.ts'

/** What a key may be used for: opening SSH, signing commits, or both (contract 01, DeployKey). */
export const usageTypes = ['auth', 'signing', 'auth_and_signing'] as const
export type UsageType = (typeof usageTypes)[number]

export type KeysTable = {
  id: Generated<number>
  kind: 'user' | 'deploy'
  /** Whose key it is; null for a deploy key. */
  user_id: number | null
  /** Who made a deploy key; null when they are gone, and for a user's key. */
  owner_id: Generated<number | null>
  /** Whether maintainers of any project may use this deploy key. */
  public: Generated<boolean>
  title: string
  /** `type base64 comment`, the comment as it was given. */
  key: string
  type: KeyType
  /** 16 hexadecimal pairs with colons between them. */
  fingerprint_md5: string
  /** `SHA256:` and 43 characters of base64. */
  fingerprint_sha256: string
  usage_type: UsageType
  expires_at: string | null
  last_used_at: string | null
  created_at: string
}

export type KeyRow = Selectable<KeysTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    keys: KeysTable
  }
}
