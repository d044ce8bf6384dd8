import { type Actor, isAdministrator } from '../api/index.ts'
import type { Tx } from '../infra/database/index.ts'
import type { Platform } from './platform.ts'
import { react } from './reactions.ts'

/** What administrators do that is recorded; most have the name of the operation. */
export const actNames = [
  'applications.create',
  'applications.delete',
  'applications.renew',
  'features.delete',
  'features.set',
  'group_custom_attributes.delete',
  'group_custom_attributes.put',
  'impersonation_tokens.create',
  'impersonation_tokens.delete',
  'personal_access_tokens.create_for',
  'personal_access_tokens.delete',
  'plan_limits.update',
  'project_custom_attributes.delete',
  'project_custom_attributes.put',
  'settings.update',
  'user_custom_attributes.delete',
  'user_custom_attributes.put',
  'users.activate',
  'users.approve',
  'users.ban',
  'users.block',
  'users.create',
  'users.deactivate',
  'users.delete',
  'users.delete_identity',
  'users.disable_two_factor',
  'users.reject',
  'users.unban',
  'users.unblock',
  'users.update',
  'users_emails.create',
  'users_emails.delete',
  'users_gpg_keys.create',
  'users_gpg_keys.delete',
  'users_gpg_keys.revoke',
  'users_keys.create',
  'users_keys.delete',
] as const

export type ActName = (typeof actNames)[number]

/** What was acted on: a user, an application, the instance … */
export type ActTarget = { kind: 'user' | 'group' | 'project' | 'application' | 'instance'; id: number | null }

/** An act of an administrator. */
export type Act = {
  name: ActName
  actorId: number
  actorName: string
  /** How the administrator was authenticated: the kind of the credential, and its id. */
  credential: string
  target: ActTarget
  /** Names of what changed; values may be secret. */
  changed: readonly string[]
}

declare module './platform.ts' {
  interface Events {
    /** An administrator acted as such on another account or on the instance. */
    'administrator.acted': Act
  }
}

export const instanceTarget: ActTarget = { kind: 'instance', id: null }

/**
 * Records an act in its own transaction. What users do to themselves, and what needs no administrator, is no such act.
 * @param changed names of parameters; those without a value are left out
 */
export async function recordAct(
  platform: Platform,
  tx: Tx,
  actor: Actor | undefined,
  { name, target, changed = {} }: { name: ActName; target: ActTarget; changed?: Readonly<Record<string, unknown>> },
): Promise<void> {
  if (actor?.kind !== 'user' || !isAdministrator(actor)) return
  const { kind, id } = actor.credential
  await react(platform, tx, 'administrator.acted', {
    name,
    actorId: actor.userId,
    actorName: actor.username,
    credential: id === null ? kind : `${kind} ${id}`,
    target,
    changed: Object.keys(changed).filter((key) => changed[key] !== undefined),
  })
}
