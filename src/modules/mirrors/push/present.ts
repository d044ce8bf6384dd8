import { forms, oneOf, type Static, Type } from '../../../api/index.ts'
import { mirrorMembers } from '../present.ts'
import type { RemoteMirrorRow } from '../tables.ts'

/** A repository that a project is pushed to (contract 22, RemoteMirror). */
export const RemoteMirror = Type.Object(
  {
    ...mirrorMembers,
    only_protected_branches: Type.Boolean(),
    keep_divergent_refs: Type.Boolean(),
    auth_method: oneOf(['password', 'ssh_public_key']),
    mirror_branch_regex: forms.nullableString,
    host_keys: forms.strings,
  },
  { title: 'RemoteMirror' },
)

export function presentRemoteMirror(row: RemoteMirrorRow): Static<typeof RemoteMirror> {
  return { ...row, host_keys: [] }
}
