import type { GitCaller } from './credentials.ts'

/**
 * What tells a caller apart from others when places for transfers are shared out; undefined for somebody who is not known. Deploy tokens of one
 * project or group count together.
 */
export function nameOf(caller: GitCaller): string | undefined {
  if (caller.kind === 'deploy_key') return `key-${caller.keyId}`
  if (caller.kind === 'deploy_token') return `deploy-token-${caller.projectId ?? ''}-${caller.namespaceId ?? ''}`
  return caller.actor.kind === 'user' ? `user-${caller.actor.userId}` : undefined
}
