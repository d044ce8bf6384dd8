import { forms, nullable, type Static, Type } from '../../../api/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, type UserRow } from '../../users/index.ts'
import type { CiJobRow } from '../tables.ts'

/** A status of a commit (contract 22, Commit status). */
export const CommitStatus = Type.Object(
  {
    id: forms.id,
    sha: Type.String(),
    ref: Type.String(),
    status: Type.String(),
    name: Type.String(),
    target_url: forms.nullableString,
    description: forms.nullableString,
    created_at: forms.timestamp,
    started_at: forms.nullableTimestamp,
    finished_at: forms.nullableTimestamp,
    allow_failure: Type.Boolean(),
    coverage: Type.Unsafe<number | null>({ type: ['number', 'null'] }),
    pipeline_id: forms.id,
    author: nullable(UserBasic),
  },
  { title: 'CommitStatus' },
)
export type PresentedStatus = Static<typeof CommitStatus>

/** @param author undefined when the account was deleted */
export function presentStatus(row: CiJobRow, author: UserRow | undefined, presenting: PresentingUsers) {
  const { id, sha, ref, status, name, target_url, description, created_at, started_at, finished_at } = row
  return {
    ...{ id, sha, ref, status, name, target_url, description, created_at, started_at, finished_at },
    allow_failure: row.allow_failure,
    coverage: row.coverage,
    pipeline_id: row.pipeline_id,
    author: author ? presentUserBasic(author, presenting) : null,
  }
}
