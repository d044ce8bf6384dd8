import { type ParamValues, t } from '../../../api/index.ts'
import { branchPattern } from '../branch-filter.ts'

export const pullMirrorChanges = {
  enabled: t.boolean({ description: 'Whether the project is pulled. Default: false.' }),
  url: t.string({ description: 'May contain a user name and a password.' }),
  auth_user: t.string({ description: 'User name for the remote repository.' }),
  auth_password: t.string({ description: 'Password or token for the remote repository.' }),
  mirror_trigger_builds: t.boolean({ description: 'Whether pulled changes start pipelines.' }),
  only_mirror_protected_branches: t.boolean({ description: 'Whether only protected branches are pulled.' }),
  mirror_overwrites_diverged_branches: t.boolean({ description: 'Whether diverged branches are overwritten.' }),
  mirror_branch_regex: branchPattern,
}
export type PullMirrorChanges = ParamValues<typeof pullMirrorChanges>
