import { forms, type Static, Type } from '../../../api/index.ts'

/** What has failed of a project at a secondary (contract 15, ProjectFailure). */
export const ProjectFailure = Type.Object(
  {
    project_id: forms.id,
    last_repository_synced_at: forms.nullableTimestamp,
    last_repository_successful_sync_at: forms.nullableTimestamp,
    last_wiki_synced_at: forms.nullableTimestamp,
    last_wiki_successful_sync_at: forms.nullableTimestamp,
    repository_retry_count: forms.nullableInteger,
    wiki_retry_count: forms.nullableInteger,
    last_repository_sync_failure: forms.nullableString,
    last_wiki_sync_failure: forms.nullableString,
    last_repository_verification_failure: forms.nullableString,
    last_wiki_verification_failure: forms.nullableString,
    repository_verification_checksum_sha: forms.nullableString,
    wiki_verification_checksum_sha: forms.nullableString,
    repository_checksum_mismatch: Type.Boolean(),
    wiki_checksum_mismatch: Type.Boolean(),
  },
  { title: 'ReplicationProjectFailure' },
)

export type PresentedFailure = Static<typeof ProjectFailure>
