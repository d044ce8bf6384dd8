import type { Floor } from '../floor.ts'
import { group } from '../modules/groups/index.ts'
import { project } from '../modules/projects/index.ts'
import { presentingUsers, signIn } from '../modules/users/index.ts'
import { authenticatorOf, bound } from '../platform/index.ts'

/** What nearly every module is given: the floor, and what is known of callers, settings and secrets. */
export type Ground = ReturnType<typeof composeGround>

export function composeGround(floor: Floor) {
  const { settings } = floor
  const policy = () => settings.current()
  return {
    ...floor,
    /** The settings in force. */
    policy,
    defaultBranchName: async () => (await policy()).default_branch_name ?? 'main',
    authenticator: authenticatorOf(floor),
    ...bound(floor, { signIn, presentingUsers }),
    project,
    group,
    ...floor.secrets,
  }
}
