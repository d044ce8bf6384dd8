import { createRateCounter } from '../api/index.ts'
import type { Floor } from '../floor.ts'
import { now } from '../infra/database/index.ts'
import { loadInstanceKey, openSealer } from '../infra/secrets/index.ts'
import { groupSubject } from '../modules/groups/index.ts'
import { project } from '../modules/projects/index.ts'
import { createAuthenticator } from '../modules/tokens/index.ts'
import { createAvatars, createSignIn } from '../modules/users/index.ts'
import { createThrottles } from '../throttling.ts'

/** What is made when somebody first asks for it, and then kept. */
function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** What stands before a project's path in its address for git over SSH. */
function sshPrefixOf(externalUrl: string, port = 22): string {
  const { hostname } = new URL(externalUrl)
  return port === 22 ? `git@${hostname}:` : `ssh://git@${hostname}:${port}/`
}

/** What nearly every module is given: the floor, and what is known of callers, settings and secrets. */
export type Ground = ReturnType<typeof composeGround>

export function composeGround(floor: Floor) {
  const { config, clock, database, settings, objects, externalUrl } = floor
  const policy = () => settings.current()
  const instanceKey = lazily(() => loadInstanceKey({ dataFolder: config.data, configured: config.secretKey }))
  return {
    ...floor,
    /** The settings in force. */
    policy,
    defaultBranchName: async () => (await policy()).default_branch_name ?? 'main',
    authenticator: createAuthenticator({ database, clock, policy }),
    signIn: createSignIn({ database, clock }),
    throttles: createThrottles(floor),
    project,
    group: groupSubject({ database, clock }),
    avatars: createAvatars({ objects }),
    rateCounter: createRateCounter(database, clock),
    async presentingUsers() {
      const { gravatar_enabled: gravatar, commit_email_hostname: commitEmailHostname } = await policy()
      return { externalUrl, now: now(clock), gravatar, commitEmailHostname }
    },
    instanceKey,
    sealer: lazily(async () => openSealer(await instanceKey())),
    sshPrefix: sshPrefixOf(externalUrl, config.sshListen?.port),
  }
}
