import type { RefRule } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { defaultBranchName } from '../../projects/index.ts'
import type { Principal } from '../access/principal.ts'
import { gateContext } from './context.ts'
import { type InitialProtection, initialProtectionOf } from './initial-protection.ts'

function isAllowed(principal: Principal, protection: InitialProtection): boolean {
  if (principal.administrator) return true
  if (protection.developer_can_initial_push && principal.level >= role.developer) return true
  return protection.allowed_to_push.some(({ access_level: level }) => level !== role.none && principal.level >= level)
}

/**
 * Decides who may push the first branch of an empty repository when that branch will be protected (contract 01, "Pushing by
 * git", "Default branch protection").
 */
export const firstPushRule: RefRule = async (platform, proposed) => {
  const context = await gateContext(platform, proposed)
  if (!context) return null
  const { project, principal, branches, access } = context
  const created = branches.filter(({ isCreation, isDeletion }) => isCreation && !isDeletion).map(({ name }) => name)
  if (created.length === 0) return null
  const { repository, row } = proposed
  if ((await repository.refs(row.generation)).branches.length > 0) return null
  const configured = await defaultBranchName(platform, project)
  const name = created.includes(configured) ? configured : created[0]
  if (name === undefined || access.isProtected(name)) return null
  const protection = await initialProtectionOf(platform, project)
  if (!protection || isAllowed(principal, protection)) return null
  return [
    `A default branch (e.g. main) does not yet exist for ${project.full_path}`,
    'Ask a project Owner or Maintainer to create a default branch: ' +
      `${platform.externalUrl}/${project.full_path}/-/project_members`,
  ]
}
