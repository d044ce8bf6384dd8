import { forms, type Static, Type } from '../../api/index.ts'
import { type KeyRow, usageTypes } from './tables.ts'

/** An SSH key as it is shown (contract 20, "SSH key"). */
export const SshKeyObject = Type.Object(
  {
    id: forms.id,
    title: Type.String(),
    created_at: forms.timestamp,
    expires_at: forms.nullableTimestamp,
    last_used_at: forms.nullableTimestamp,
    key: Type.String({ description: 'Type, base64 and comment, as given.' }),
    usage_type: Type.Unsafe<(typeof usageTypes)[number]>({ type: 'string', enum: [...usageTypes] }),
  },
  { title: 'SshKey' },
)

export type PresentedKey = Static<typeof SshKeyObject>

export function presentKey(row: KeyRow): PresentedKey {
  const { id, title, created_at, expires_at, last_used_at, key, usage_type } = row
  return { id, title, created_at, expires_at, last_used_at, key, usage_type }
}
