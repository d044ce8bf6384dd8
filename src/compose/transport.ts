import {
  createGitHttp,
  createGitSsh,
  type GitAccessNeeds,
  gitAccess,
  gitAuthentication,
  sshIdentities,
} from '../modules/git-transport/index.ts'
import { createLfsModule } from '../modules/lfs/index.ts'
import { createByPush } from '../modules/projects/index.ts'
import { bound, throttleAnonymousGit } from '../platform/index.ts'
import type { Ground } from './ground.ts'

export type TransportParts = Pick<GitAccessNeeds, 'wikiOf'>

/** Git over HTTP and over SSH, and large files beside it. */
export function composeTransport(ground: Ground, { wikiOf }: TransportParts) {
  const { database, clock, policy, instanceKey, externalUrl } = ground
  const shared = {
    ...ground,
    admit: gitAccess({ database, clock, ...bound(ground, { createByPush }), wikiOf }),
    messagePrefix: 'GitLab: ',
    async maxInputSizeBytes() {
      const megabytes = (await policy()).receive_max_input_size
      return megabytes === null ? null : megabytes * 1024 * 1024
    },
  }
  const byHttp = {
    identify: gitAuthentication(ground),
    throttleAnonymous: (ip: string) => throttleAnonymousGit(ground, ip),
    httpAllowed: async () => (await policy()).enabled_git_access_protocol !== 'ssh',
  }
  const files = createLfsModule(ground).transport({
    ...byHttp,
    ...{ externalUrl, admit: shared.admit, instanceKey },
    callerOf: sshIdentities({ database, clock, policy }).callerOf,
  })
  const gitSsh = createGitSsh({
    ...shared,
    remoteUrl: (fullPath) => `${ground.sshPrefix}${fullPath}.git`,
    sshAllowed: async () => (await policy()).enabled_git_access_protocol !== 'http',
    commands: { 'git-lfs-authenticate': files.authenticate },
  })
  return { gitHttp: createGitHttp({ ...shared, ...byHttp }), gitSsh, lfsHttp: files.http }
}
