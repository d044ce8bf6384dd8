import type { BranchProtectionDefaults } from '../../../platform/settings/index.ts'

/** The protections of the default branch of new projects, by number. */
export const branchProtectionLevels = [0, 1, 2, 3, 4] as const

const maintainers = [{ access_level: 40 }]
const developers = [{ access_level: 30 }]

/**
 * The protection of a number of the deprecated `default_branch_protection`: 0 none; 1 developers push, no force; 2 maintainers
 * push and merge; 3 developers may merge, maintainers push; 4 as 2, with developers' initial push (contract 21,
 * x.groups_create).
 */
export function protectionOfLevel(level: number): BranchProtectionDefaults {
  const developersPush = level < 2
  return {
    allowed_to_push: developersPush ? developers : maintainers,
    allow_force_push: level === 0,
    allowed_to_merge: developersPush || level === 3 ? developers : maintainers,
    developer_can_initial_push: level === 4,
  }
}

type Allowed = { readonly access_level: number }
/** `BranchProtectionDefaults`, read-only. */
type Protection = {
  readonly allowed_to_push: readonly Allowed[]
  readonly allow_force_push: boolean
  readonly allowed_to_merge: readonly Allowed[]
  readonly developer_can_initial_push: boolean
}

/** The number of the closest protection. */
export function levelOfProtection(protection: Protection): number {
  const hasDevelopers = (allowed: readonly Allowed[]) => allowed.some(({ access_level }) => access_level === 30)
  if (hasDevelopers(protection.allowed_to_push)) return protection.allow_force_push ? 0 : 1
  if (protection.developer_can_initial_push) return 4
  return hasDevelopers(protection.allowed_to_merge) ? 3 : 2
}
