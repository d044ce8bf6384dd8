import { type Actor, anonymous, type UserActor } from '../../../api/index.ts'
import type { HeldCertificate } from '../../ssh-certificates/index.ts'

/** An authenticated caller of git, or the anonymous user. */
export type GitCaller =
  | {
      kind: 'actor'
      actor: Actor
      /** Set for an SSH certificate, which opens only what is in one group (contract 26.12). */
      certificate?: { held: HeldCertificate; groupId: number }
    }
  /** Opens the repositories of the projects it is enabled for. `ownerId`: its creator, null unless active. */
  | { kind: 'deploy_key'; keyId: number; ownerId: number | null }
  /** Opens the repositories of its project or group. */
  | {
      kind: 'deploy_token'
      id: number
      projectId: number | null
      namespaceId: number | null
      scopes: ReadonlySet<string>
    }

/** The actor whose rights a caller has; deploy keys and tokens have those of the anonymous user. */
export function actorOf(caller: GitCaller): Actor {
  return caller.kind === 'actor' ? caller.actor : anonymous
}

/** The actor of a job token with the job's project; null for other callers. */
export function jobOf(caller: GitCaller): { actor: UserActor; projectId: number } | null {
  const actor = actorOf(caller)
  const projectId = actor.kind === 'user' ? actor.credential.projectId : undefined
  return actor.kind === 'user' && projectId !== undefined ? { actor, projectId } : null
}

/** The SSH certificate of a caller; null for other callers. */
export const certificateOf = (caller: GitCaller) => (caller.kind === 'actor' && caller.certificate) || null

/** Whether the caller sent no credentials. */
export const isAnonymous = (caller: GitCaller) => caller.kind === 'actor' && caller.actor.kind === 'anonymous'

/** The scopes of the caller's token; null for callers without one. */
export function scopesOf(caller: GitCaller): ReadonlySet<string> | null {
  if (caller.kind === 'deploy_token') return caller.scopes
  return caller.kind === 'actor' && caller.actor.kind === 'user' ? caller.actor.credential.scopes : null
}

/**
 * The name under which concurrent transfers of a caller are counted; undefined for anonymous callers. Deploy tokens of one
 * project or group count as one.
 */
export function nameOf(caller: GitCaller): string | undefined {
  if (caller.kind === 'deploy_key') return `key-${caller.keyId}`
  if (caller.kind === 'deploy_token') return `deploy-token-${caller.projectId ?? ''}-${caller.namespaceId ?? ''}`
  return caller.actor.kind === 'user' ? `user-${caller.actor.userId}` : undefined
}
