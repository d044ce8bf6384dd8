import { parseBasic } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { GitAccessDenied, type GitCaller, identify, sshCaller } from '../../git-transport/index.ts'
import { isLfsToken, type LfsGrant, openLfsToken } from './tokens.ts'

/** The caller of the LFS service. `grant` is set when the credential is a token issued over SSH. */
export type LfsCaller = { git: GitCaller; grant: LfsGrant | null }

/**
 * Finds the caller by the credentials of git, or by a token of `git-lfs-authenticate` (contract 22).
 * @throws GitAccessDenied, and the errors of `identify`
 */
export async function identifyLfs(
  platform: Platform,
  authorization: string | undefined,
  ip: string,
): Promise<LfsCaller> {
  const password = parseBasic(authorization)?.password
  if (password === undefined || !isLfsToken(password)) {
    return { git: await identify(platform, authorization, ip), grant: null }
  }
  const grant = await openLfsToken(platform, password)
  if (!grant) throw new GitAccessDenied()
  // The key may have been removed, or its owner blocked, since the token was issued.
  const found = await sshCaller(platform, grant)
  if ('refused' in found) throw new GitAccessDenied()
  return { git: found.caller, grant }
}
