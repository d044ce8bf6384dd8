import { forms, type Static, Type } from '../../../api/index.ts'
import type { FlagClientRow } from '../tables.ts'

/** What Unleash clients of a project are configured with (contract 24, FlagClient). */
export const FlagClient = Type.Object(
  {
    api_url: Type.String(),
    instance_id: Type.String(),
    created_at: forms.timestamp,
    last_used_at: forms.nullableTimestamp,
  },
  { title: 'FeatureFlagClient' },
)

export function presentClient(
  externalUrl: string,
  { project_id, created_at, last_used_at }: FlagClientRow,
  instance_id: string,
): Static<typeof FlagClient> {
  return { api_url: `${externalUrl}/api/v4/feature_flags/unleash/${project_id}`, instance_id, created_at, last_used_at }
}
