import type { Module } from '../../platform/index.ts'
import { deployTokenOperations, deployTokensList } from './deploy/operations.ts'
import { recordExpiry } from './expiry-record.ts'
import * as impersonationTokens from './impersonation/operations.ts'
import * as personalTokens from './personal/operations.ts'
import { removeInactiveBots } from './resource/inactive.ts'
import { resourceTokenOperations } from './resource/operations.ts'

export { type Account, accountProblem, actorOf } from './authentication/account.ts'
export { authenticate, impersonate } from './authentication/authenticate.ts'
export { currentDeployToken, currentUser, passwordMark } from './authentication/current.ts'
export { deployTokenByDigest } from './deploy/store.ts'
export { rootAccount } from './first-boot/first-boot.ts'
export { managedTokenFilter, newPersonalToken, rotation, type TokenFilter } from './params.ts'
export { createManagedToken, listManagedTokens, revokeTokenOf, rotateTokenOf } from './personal/managed-tokens.ts'
export { personalTokensSelf } from './personal/operations.ts'
export { NewPersonalAccessToken, PersonalAccessToken } from './present.ts'
export { retireBotsOfGroup, retireBotsOfProject, retireEndingBot } from './resource/bots.ts'
export { type EndingToken, tokensEndingOn } from './resource/store.ts'
export { scopeWords } from './scope-words.ts'
export { accountColumns, deleteTokensOf, insertAccessToken } from './store/access-tokens.ts'
export type { WantedToken } from './validation.ts'

declare module '../../platform/platform.ts' {
  interface Events {
    /** The day has come on which an access token expired that is not revoked; once for each. */
    'access_token.expired': { tokenId: number; userId: number }
  }
}

export const tokens: Module = {
  name: 'tokens',
  tags: {
    'Deploy tokens': 'Tokens that give machines access to the repository, packages and registry of a project or group.',
    'Group access tokens': 'Access tokens of the bot users of a group.',
    'Impersonation tokens': 'Tokens with which administrators act as another user.',
    'Personal access tokens': 'Access tokens of users.',
    'Project access tokens': 'Access tokens of the bot users of a project.',
  },
  operations: [
    ...Object.values(impersonationTokens),
    ...Object.values(personalTokens),
    ...resourceTokenOperations,
    deployTokensList,
    ...deployTokenOperations,
  ],
  jobs: [recordExpiry, removeInactiveBots],
}
