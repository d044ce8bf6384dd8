import { hash } from 'node:crypto'
import { forms, oneOf, type Static, Type } from '../../api/index.ts'
import { type ProjectRow, settingsOf } from '../projects/index.ts'
import type { PullMirrorRow, RemoteMirrorRow } from './tables.ts'

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

/** A repository that a project is pushed to (contract 22, RemoteMirror). */
export const RemoteMirror = Type.Object(
  {
    ...mirrorMembers,
    only_protected_branches: Type.Boolean(),
    keep_divergent_refs: Type.Boolean(),
    auth_method: oneOf(['password', 'ssh_public_key']),
    mirror_branch_regex: forms.nullableString,
    host_keys: Type.Array(Type.Object({ fingerprint_sha256: Type.String() }), {
      description: 'Of the server, when it is known by SSH.',
    }),
  },
  { title: 'RemoteMirror' },
)

/** The fingerprint of a key in base64, as OpenSSH writes it. */
const fingerprintOf = (key: string) =>
  `SHA256:${hash('sha256', Buffer.from(key, 'base64'), 'base64').replace(/=+$/, '')}`

export function presentRemoteMirror(row: RemoteMirrorRow): Static<typeof RemoteMirror> {
  return { ...row, host_keys: row.host_key === null ? [] : [{ fingerprint_sha256: fingerprintOf(row.host_key) }] }
}

/** The public half of the keys of a push mirror (contract 26.18). */
export const MirrorPublicKey = Type.Object(
  { public_key: Type.String({ description: 'One line, as `authorized_keys` has it.' }) },
  { title: 'MirrorPublicKey' },
)

/** The repository that a project is pulled from (contract 22, PullMirror). */
export const PullMirror = Type.Object(
  {
    ...mirrorMembers,
    mirror_trigger_builds: Type.Boolean(),
    only_mirror_protected_branches: Type.Boolean(),
    mirror_overwrites_diverged_branches: Type.Boolean(),
    mirror_branch_regex: forms.nullableString,
  },
  { title: 'PullMirror' },
)

/** @param project its settings decide how the mirror works */
export function presentPullMirror(mirror: PullMirrorRow, project: ProjectRow): Static<typeof PullMirror> {
  const settings = settingsOf(project)
  return {
    ...mirror,
    enabled: settings.mirror,
    mirror_trigger_builds: settings.mirror_trigger_builds,
    only_mirror_protected_branches: settings.only_mirror_protected_branches,
    mirror_overwrites_diverged_branches: settings.mirror_overwrites_diverged_branches,
  }
}
