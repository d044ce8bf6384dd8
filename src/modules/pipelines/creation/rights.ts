import { type Actor, isAdministrator } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { may, type Project, settingOf } from '../../projects/index.ts'
import { mayMerge, mayPush, protectedBranchTest } from '../../protected-branches/index.ts'
import { mayCreateTag, protectedTagTest } from '../../protected-tags/index.ts'

type Ref = { ref: string; tag: boolean }

/**
 * Whether a user may run pipelines on a ref: push to the branch or merge into it, or create the tag (contract 04,
 * x.pipelines_create).
 */
export async function mayRunOn(
  platform: Platform,
  project: Project,
  actor: Actor,
  { ref, tag }: Ref,
): Promise<boolean> {
  if (!may(actor, project, 'run_pipelines')) return false
  if (tag) return mayCreateTag(platform, project, actor, ref)
  return (await mayPush(platform, project, actor, ref)) || mayMerge(platform, project, actor, ref)
}

/** Whether a branch or tag is protected: its jobs then get protected variables. */
export async function isProtectedRef(platform: Platform, project: Project, { ref, tag }: Ref): Promise<boolean> {
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
