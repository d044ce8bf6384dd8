import { role } from '../access/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import type { RefRule } from '../repositories/index.ts'
import type { GateContexts } from './gate-context.ts'
import type { InitialProtection } from './initial-protection.ts'
import type { Claimant } from './judging.ts'

export type FirstPushNeeds = {
  contextOf: GateContexts
  initialProtection: InitialProtection
  externalUrl: string
  /** The name of the default branch where a project names none. */
  defaultBranchName(): Promise<string>
}

function isAllowed(
  who: Claimant,
  rules: { allowed_to_push: readonly { access_level: number }[]; developer_can_initial_push: boolean },
): boolean {
  if (who.administrator) return true
  if (rules.developer_can_initial_push && who.level >= role.developer) return true
  return rules.allowed_to_push.some(({ access_level: level }) => level !== role.none && who.level >= level)
}

/**
 * Who may give an empty repository its first branch, when that is going to be protected (contract 01, "Pushing by git",
 * "Default branch protection"). Administrators may: no rule is there yet.
 */
export function firstPushRule({ contextOf, initialProtection, externalUrl, ...needs }: FirstPushNeeds): RefRule {
  async function firstBranch(project: ProjectRow, created: readonly string[]): Promise<string | undefined> {
    const configured = project.default_branch ?? (await needs.defaultBranchName())
    return created.includes(configured) ? configured : created[0]
  }

  return async (proposed) => {
    const context = await contextOf(proposed)
    if (!context) return null
    const { project, who, branches, judge } = context
    const created = branches.filter(({ isCreation, isDeletion }) => isCreation && !isDeletion).map(({ name }) => name)
    if (created.length === 0) return null
    const { repository, row } = proposed
    if ((await repository.refs(row.generation)).branches.length > 0) return null
    const name = await firstBranch(project, created)
    if (name === undefined || judge.isProtected(name)) return null
    const rules = await initialProtection.of(project)
    if (!rules || isAllowed(who, rules)) return null
    return [
      `A default branch (e.g. main) does not yet exist for ${project.full_path}`,
      'Ask a project Owner or Maintainer to create a default branch: ' +
        `${externalUrl}/${project.full_path}/-/project_members`,
    ]
  }
}
