import { forms, oneOf, type Static, Type } from '../../api/index.ts'
import { settingsOf } from '../projects/index.ts'
import type { ConfiguredPullMirror } from './pull-mirrors.ts'
import type { RemoteMirrorRow } from './tables.ts'

const words = ['none', 'scheduled', 'started', 'finished', 'failed'] as const
const updateStatus = oneOf(words)
const authMethods = ['password', 'ssh_public_key'] as const
const authMethod = oneOf(authMethods)

const state = {
  id: forms.id,
  enabled: Type.Boolean(),
  url: Type.String({ description: 'With stars where credentials are.' }),
  update_status: updateStatus,
  last_update_at: forms.nullableTimestamp,
  last_update_started_at: forms.nullableTimestamp,
  last_successful_update_at: forms.nullableTimestamp,
  last_error: forms.nullableString,
}

/** A place that a project is pushed to (contract 22, RemoteMirror). */
export const RemoteMirror = Type.Object(
  {
    ...state,
    only_protected_branches: Type.Boolean(),
    keep_divergent_refs: Type.Boolean(),
    auth_method: authMethod,
    mirror_branch_regex: forms.nullableString,
    host_keys: forms.strings,
  },
  { title: 'RemoteMirror' },
)

/** The place that a project is pulled from (contract 22, PullMirror). */
export const PullMirror = Type.Object(
  {
    ...state,
    mirror_trigger_builds: Type.Boolean(),
    only_mirror_protected_branches: Type.Boolean(),
    mirror_overwrites_diverged_branches: Type.Boolean(),
    mirror_branch_regex: forms.nullableString,
  },
  { title: 'PullMirror' },
)

export function presentRemoteMirror(row: RemoteMirrorRow): Static<typeof RemoteMirror> {
  return { ...row, host_keys: [] }
}

export function presentPullMirror({ mirror, project }: ConfiguredPullMirror): Static<typeof PullMirror> {
  const settings = settingsOf(project)
  return {
    ...mirror,
    enabled: settings.mirror,
    mirror_trigger_builds: settings.mirror_trigger_builds,
    only_mirror_protected_branches: settings.only_mirror_protected_branches,
    mirror_overwrites_diverged_branches: settings.mirror_overwrites_diverged_branches,
  }
}
