import { forms, oneOf, Type } from '../../../api/index.ts'
import { zeroOid } from '../../../infra/git/index.ts'
import { CommitSummary, Diff } from '../../commits/index.ts'
import type { VersionRow } from '../tables.ts'

const { old_path, new_path, a_mode, b_mode, diff, new_file, renamed_file, deleted_file, generated_file } =
  Diff.properties

/** The changes of one file (contract 19, Diff). */
export const MergeRequestDiff = Type.Object(
  { old_path, new_path, a_mode, b_mode, diff, new_file, renamed_file, deleted_file, generated_file },
  { title: 'MergeRequestDiff' },
)

/** The changed files of a version, in the order of its diffs (contract 19, x.mr_diff_files). */
export const MergeRequestDiffFiles = Type.Object(
  {
    files: Type.Array(
      Type.Object({
        ...{ old_path, new_path, new_file, renamed_file, deleted_file },
        additions: Type.Integer(),
        deletions: Type.Integer(),
      }),
    ),
    /** Whether there are more files. */
    overflow: Type.Boolean(),
  },
  { title: 'MergeRequestDiffFiles' },
)

const version = {
  id: forms.id,
  head_commit_sha: Type.String(),
  base_commit_sha: Type.String(),
  start_commit_sha: Type.String(),
  created_at: forms.timestamp,
  merge_request_id: forms.id,
  state: oneOf(['collected', 'empty', 'overflow']),
  real_size: Type.String(),
  patch_id_sha: forms.nullableString,
}

/** A version in a list (contract 19, Version). */
export const MergeRequestVersion = Type.Object(version, { title: 'MergeRequestVersion' })

/** A version alone. */
export const MergeRequestVersionDetail = Type.Object(
  { ...version, commits: Type.Array(CommitSummary), diffs: Type.Array(MergeRequestDiff) },
  { title: 'MergeRequestVersionDetail' },
)

function stateOf({ file_count: count }: VersionRow, maxFiles: number) {
  if (count === 0) return 'empty' as const
  return count > maxFiles ? ('overflow' as const) : ('collected' as const)
}

/** A version. Patch ids are not computed. @param maxFiles how many files its diffs have at most */
export function presentVersion(row: VersionRow, maxFiles: number) {
  const { id, head_sha, base_sha, start_sha, created_at, merge_request_id, file_count } = row
  return {
    ...{ id, head_commit_sha: head_sha, start_commit_sha: start_sha, created_at, merge_request_id },
    base_commit_sha: base_sha ?? zeroOid(head_sha.length === zeroOid().length ? 'sha1' : 'sha256'),
    state: stateOf(row, maxFiles),
    real_size: file_count > maxFiles ? `${maxFiles}+` : String(file_count),
    patch_id_sha: null,
  }
}
