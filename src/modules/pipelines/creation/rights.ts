import { type Actor, isAdministrator } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { may, type Project, settingOf } from '../../projects/index.ts'
import { mayMerge, mayPush, protectedBranchTest } from '../../protected-branches/index.ts'
import { mayCreateTag, protectedTagTest } from '../../protected-tags/index.ts'
import { branchOf, type RanFor, type RequestBranches } from './requests.ts'

/**
 * Whether a user may run pipelines on a ref: push to the branch or merge into it, or create the tag (contract 04,
 * x.pipelines_create). For a merge request, its source branch decides.
 */
export async function mayRunOn(platform: Platform, project: Project, actor: Actor, given: RanFor): Promise<boolean> {
  if (!may(actor, project, 'run_pipelines')) return false
  if (given.tag) return mayCreateTag(platform, project, actor, given.ref)
  const branch = await branchOf(platform, project, given)
  if (branch === null) return false
  return (await mayPush(platform, project, actor, branch)) || mayMerge(platform, project, actor, branch)
}

/** Whether both branches of a merge request are protected: its jobs then get protected variables (contract 24). */
export async function areProtected(platform: Platform, project: Project, { source, target }: RequestBranches) {
  const test = await protectedBranchTest(platform, project, [source, target])
  return test(source) && test(target)
}

/** Whether a branch or tag is protected: its jobs then get protected variables. */
export async function isProtectedRef(platform: Platform, project: Project, { ref, tag }: RanFor): Promise<boolean> {
  const test = tag ? protectedTagTest : protectedBranchTest
  return (await test(platform, project, [ref]))(ref)
}

const variableRoles = {
  developer: role.developer,
  maintainer: role.maintainer,
  owner: role.owner,
  no_one_allowed: Number.POSITIVE_INFINITY,
} as const

/** Whether a user may set variables of pipelines (`ci_pipeline_variables_minimum_override_role`). */
export function maySetVariables(actor: Actor, project: Project): boolean {
  const least = variableRoles[settingOf(project, 'ci_pipeline_variables_minimum_override_role')]
  const level = isAdministrator(actor) ? role.owner : project.role.level
  return level >= least
}
