import { setImmediate as othersRan } from 'node:timers/promises'
import { type Actor, isAdministrator } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { presentSingles } from '../../users/index.ts'

/** A user as the operation for one user shows it. */
export type UserDetail = {
  created_at?: string
  location?: string
  bot?: boolean
  last_activity_on?: string | null
}

/**
 * Returns what reads users beyond the members that other objects show of them, as the operation for one user shows them to the
 * caller: the users that are asked for in one turn of the event loop at once. Anonymous callers cannot read them (contract 20,
 * x.users_get).
 */
export function userDetails(platform: Platform, actor: Actor): (id: number) => Promise<UserDetail | undefined> {
  let next: { ids: Set<number>; found: Promise<ReadonlyMap<number, UserDetail>> } | undefined
  async function load(ids: ReadonlySet<number>) {
    await othersRan()
    next = undefined
    return presentSingles(platform, actor, [...ids], { isWhole: isAdministrator(actor) })
  }
  return async (id) => {
    if (actor.kind === 'anonymous') return undefined
    if (!next) {
      const ids = new Set<number>()
      next = { ids, found: load(ids) }
    }
    next.ids.add(id)
    return (await next.found).get(id)
  }
}
