import { type ParamValues, t } from '../../../api/index.ts'
import { branchPattern } from '../branch-filter.ts'

export const mirrorPath = { mirror_id: t.id({ otherwise: 'no record' }) }

export const mirrorChanges = {
  enabled: t.boolean({ description: 'Whether pushes to the project are mirrored. Default: false.' }),
  only_protected_branches: t.boolean({ description: 'Whether only protected branches are mirrored. Default: false.' }),
  keep_divergent_refs: t.boolean({
    description: 'Whether diverged refs of the remote are not updated. Default: false.',
  }),
  mirror_branch_regex: branchPattern,
  auth_method: t.oneOf(['password', 'ssh_public_key'], { description: 'Default: password.' }),
}
export type MirrorChanges = ParamValues<typeof mirrorChanges>

export const newMirror = {
  url: t.required(t.string({ description: 'May contain a user name and a password.' })),
  ...mirrorChanges,
}
export type NewMirror = ParamValues<typeof newMirror>
