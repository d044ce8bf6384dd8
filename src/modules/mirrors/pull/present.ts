import { forms, type Static, Type } from '../../../api/index.ts'
import { type ProjectRow, settingsOf } from '../../projects/index.ts'
import { mirrorMembers } from '../present.ts'
import type { PullMirrorRow } from '../tables.ts'

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
