import {
  GitAccessDenied,
  type GitCaller,
  parseBasic,
  type SshCaller,
  type SshIdentity,
} from '../git-transport/index.ts'
import type { LfsGrant, LfsTokens } from './tokens.ts'

/** Who asks for objects; with what they were granted, when they come with a token that was given out over SSH. */
export type LfsCaller = { git: GitCaller; grant: LfsGrant | null }

export type LfsCredentialNeeds = {
  tokens: LfsTokens
  /** Reads all other credentials that git may come with. */
  identify(authorization: string | undefined, ip: string): Promise<GitCaller>
  /** Who stands behind an SSH key, now. */
  callerOf(identity: SshIdentity): Promise<SshCaller>
}

/** Finds who stands behind the credentials of a request: those of git, and tokens of `git-lfs-authenticate` (contract 22). */
export function lfsAuthentication({ tokens, identify, callerOf }: LfsCredentialNeeds) {
  /** @throws GitAccessDenied; ApiError as git's own */
  return async function authenticate(authorization: string | undefined, ip: string): Promise<LfsCaller> {
    const password = parseBasic(authorization)?.password
    if (password === undefined || !tokens.isToken(password)) {
      return { git: await identify(authorization, ip), grant: null }
    }
    const grant = await tokens.open(password)
    if (!grant) throw new GitAccessDenied()
    // The key may have been taken away, or its owner blocked, since the token was given out.
    const found = await callerOf({ keyId: grant.keyId })
    if ('refused' in found) throw new GitAccessDenied()
    return { git: found.caller, grant }
  }
}
