import { t } from '../../api/index.ts'
import { branchRef } from '../../infra/git/index.ts'
import { lineOrNone, type Setting } from './setting.ts'

type AllowedLevel = { access_level: number }

/** How the default branch of a new project is protected. */
export type BranchProtectionDefaults = {
  allowed_to_push: AllowedLevel[]
  allow_force_push: boolean
  allowed_to_merge: AllowedLevel[]
  developer_can_initial_push: boolean
}

const allowedLevels = t.array(t.object({ access_level: t.required(t.integerOf([0, 30, 40, 60])) }))

const members = {
  allowed_to_push: allowedLevels,
  allow_force_push: t.boolean(),
  allowed_to_merge: allowedLevels,
  developer_can_initial_push: t.boolean(),
}

/** How the default branch of a new project is protected; members that are not given stay as they are. */
export const branchProtectionDefaults: Setting<BranchProtectionDefaults, Partial<BranchProtectionDefaults>> = {
  default: {
    allowed_to_push: [{ access_level: 40 }],
    allow_force_push: false,
    allowed_to_merge: [{ access_level: 40 }],
    developer_can_initial_push: false,
  },
  param: t.object(members),
  combine: (given, current) => ({ ...current, ...given }),
}

/** The name of the first branch of a new repository; null means `main`. Only a name that git takes for a branch. */
export const initialBranchName: Setting<string | null> = {
  ...lineOrNone({ description: 'Name of the first branch of a new repository; null means main' }),
  check: (given) => (given && branchRef(given) === null ? ['is invalid'] : []),
}
