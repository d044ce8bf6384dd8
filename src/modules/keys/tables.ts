/**
 * SSH keys of users and deploy keys, in one id sequence, each fingerprint unique (contract 01, "Keys"). A user's keys are
 * deleted with the user. A deploy key outlives its creator, so it has an `owner_id` instead of a `user_id`; a `public` one
 * may be enabled by all maintainers.
 */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'
import type { KeyType } from './format/ssh-key.ts'

/** What a key may be used for: opening SSH, signing commits, or both (contract 01, DeployKey). */
export const usageTypes = ['auth', 'signing', 'auth_and_signing'] as const
export type UsageType = (typeof usageTypes)[number]

export const keys = table(
  'keys',
  {
    id: t.id(),
    kind: t.text<'user' | 'deploy'>(),
    /** Whose key it is; null for a deploy key. */
    user_id: t.refers('users', 'cascade').nullable(),
    /** Who made a deploy key; null when they are gone, and for a user's key. */
    owner_id: t.refers('users', 'set null').nullable(),
    title: t.name(),
    /** `type base64 comment`, the comment as it was given. */
    key: t.text(),
    type: t.text<KeyType>(),
    /** 16 hexadecimal pairs with colons between them. */
    fingerprint_md5: t.text(),
    /** `SHA256:` and 43 characters of base64. */
    fingerprint_sha256: t.text(),
    usage_type: t.text<UsageType>(),
    /** Whether maintainers of any project may use this deploy key. */
    public: t.boolean().default(false),
    expires_at: t.time().nullable(),
    last_used_at: t.time().nullable(),
    created_at: t.time(),
  },
  {
    checks: ["(kind = 'user') = (user_id is not null)"],
    unique: { fingerprint_sha256: ['fingerprint_sha256'] },
    indexes: {
      fingerprint_md5: ['fingerprint_md5'],
      user: ['user_id', 'id'],
      owner: ['owner_id'],
      deploy: { on: ['id'], where: "kind = 'deploy'" },
      public: { on: ['id'], where: 'public = true' },
    },
  },
)

export type KeyRow = RowOf<typeof keys>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof keys> {}
}
