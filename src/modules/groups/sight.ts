import { type Actor, dayOf } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import { namespaceRoles } from '../access/index.ts'
import type { Visibility } from '../namespaces/index.ts'

/** What somebody sees of the groups, before any filter. */
export type Sight = {
  actor: Actor
  /** The namespaces in which the actor has a role of their own. */
  roles: ReadonlyMap<number, number>
  /** Groups of these visibilities are open to the actor. */
  open: readonly Visibility[]
}

/** Loads the roles of an actor: one query, none for nobody. */
export async function sightOf(db: Reader, actor: Actor, now: Date): Promise<Sight> {
  const roles = actor.kind === 'user' ? await namespaceRoles(db, actor.userId, dayOf(now)) : new Map<number, number>()
  const open: Visibility[] =
    actor.kind === 'user' && !actor.external && !actor.bot ? ['internal', 'public'] : ['public']
  return { actor, roles, open }
}

export function idsFrom(roles: ReadonlyMap<number, number>, least: number): number[] {
  return [...roles].filter(([, level]) => level >= least).map(([id]) => id)
}
