import { forms, nullable, Type } from '../../../api/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, type UserRow } from '../../users/index.ts'
import type { CiTriggerRow } from '../tables.ts'

/** Contract 04, Trigger token. */
export const Trigger = Type.Object(
  {
    id: forms.id,
    token: Type.String(),
    description: Type.String(),
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
    deleted_at: forms.nullableTimestamp,
    last_used: forms.nullableTimestamp,
    expires_at: forms.nullableTimestamp,
    owner: nullable(UserBasic),
  },
  { title: 'PipelineTrigger' },
)

/** @param token what the caller may see of it */
export function presentTrigger(
  row: CiTriggerRow,
  token: string,
  owner: UserRow | undefined,
  presenting: PresentingUsers,
) {
  const { id, description, created_at, updated_at, last_used_at, expires_at } = row
  return {
    ...{ id, token, description, created_at, updated_at, deleted_at: null, last_used: last_used_at, expires_at },
    owner: owner ? presentUserBasic(owner, presenting) : null,
  }
}
