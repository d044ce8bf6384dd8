import { createRateCounter } from '../api/index.ts'
import type { Floor } from '../floor.ts'
import { now } from '../infra/database/index.ts'
import { group } from '../modules/groups/index.ts'
import { project } from '../modules/projects/index.ts'
import { createAvatars, createSignIn } from '../modules/users/index.ts'
import { authenticatorOf } from '../platform/index.ts'

/** What nearly every module is given: the floor, and what is known of callers, settings and secrets. */
export type Ground = ReturnType<typeof composeGround>

export function composeGround(floor: Floor) {
  const { clock, database, settings, objects, externalUrl } = floor
  const policy = () => settings.current()
  return {
    ...floor,
    /** The settings in force. */
    policy,
    defaultBranchName: async () => (await policy()).default_branch_name ?? 'main',
    authenticator: authenticatorOf(floor),
    signIn: createSignIn({ database, clock }),
    project,
    group,
    avatars: createAvatars({ objects }),
    rateCounter: createRateCounter(database, clock),
    async presentingUsers() {
      const { gravatar_enabled: gravatar, commit_email_hostname: commitEmailHostname } = await policy()
      return { externalUrl, now: now(clock), gravatar, commitEmailHostname }
    },
    ...floor.secrets,
  }
}
