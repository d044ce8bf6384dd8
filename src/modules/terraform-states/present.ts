import { computed, forms, from, nullable, object, of, Type } from '../../api/index.ts'
import type { ShownState } from './store.ts'
import type { StateRow, VersionRow } from './tables.ts'

/** A lock as Terraform writes and reads it (contract 26.15). */
export const TerraformLock = Type.Object(
  {
    ID: Type.String(),
    Operation: Type.String(),
    Info: Type.String(),
    Who: Type.String(),
    Version: Type.String(),
    Created: forms.timestamp,
    Path: Type.String(),
  },
  { title: 'TerraformLock' },
)

/** What the holder says about a lock besides its id. */
export type LockDetails = { Operation: string; Info: string; Version: string; Path: string }

type Locked = Pick<StateRow, 'lock_id' | 'lock_details' | 'locked_at'>

/** The lock of a state; null while it has none. @param holder user name of who holds it; null for a deleted user */
export function lockOf({ lock_id, lock_details, locked_at }: Locked, holder: string | null) {
  if (lock_id === null || lock_details === null || locked_at === null) return null
  return { ...(JSON.parse(lock_details) as LockDetails), ID: lock_id, Who: holder ?? '', Created: locked_at }
}

/** A state in the list of a project (contract 26, x.tf_state_list). */
export const TerraformState = object('TerraformState', of<ShownState>(), {
  name: Type.String(),
  latest_serial: nullable(Type.Integer()),
  locked: computed(Type.Boolean(), ({ lock_id }) => lock_id !== null),
  locked_by: from(forms.nullableString, 'lock_holder'),
  locked_at: forms.nullableTimestamp,
  lock: computed(nullable(TerraformLock), (row) => lockOf(row, row.lock_holder)),
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
})

/** A version of a state, without its document (contract 26, x.tf_version_list). */
export const TerraformStateVersion = object('TerraformStateVersion', of<VersionRow>(), {
  serial: Type.Integer(),
  size: from(Type.Integer(), 'size_bytes'),
  created_at: forms.timestamp,
})
