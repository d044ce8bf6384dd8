import { forms, oneOf, Type } from '../../api/index.ts'

/** The members that push mirrors and pull mirrors have in common. */
export const mirrorMembers = {
  id: forms.id,
  enabled: Type.Boolean(),
  url: Type.String({ description: 'With stars instead of credentials.' }),
  update_status: oneOf(['none', 'scheduled', 'started', 'finished', 'failed']),
  last_update_at: forms.nullableTimestamp,
  last_update_started_at: forms.nullableTimestamp,
  last_successful_update_at: forms.nullableTimestamp,
  last_error: forms.nullableString,
}
