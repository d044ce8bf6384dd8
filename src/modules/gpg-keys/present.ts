import { forms, type Static, Type } from '../../api/index.ts'
import type { GpgKeyRow } from './tables.ts'

/** An OpenPGP key of a user (contract 20, GPG key). */
export const GpgKey = Type.Object(
  { id: forms.id, key: Type.String({ description: 'In ASCII armour, as given.' }), created_at: forms.timestamp },
  { title: 'GpgKey' },
)

export function presentKey({ id, key, created_at }: GpgKeyRow): Static<typeof GpgKey> {
  return { id, key, created_at }
}
