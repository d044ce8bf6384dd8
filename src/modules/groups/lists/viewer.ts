import { type Actor, dayOf } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { noRoles, type OwnRoles, ownRoles } from '../../access/index.ts'
import { openVisibilities, type Visibility } from '../../namespaces/index.ts'

/** What decides which groups a caller may see. */
export type Viewer = {
  actor: Actor
  /** The roles of the caller, without inheritance. */
  roles: OwnRoles
  /** The visibilities of the groups that the caller may see without a role. */
  open: readonly Visibility[]
}

/** Loads the roles of a caller with one query; none for anonymous users. */
export async function viewerOf({ database, clock }: Platform, actor: Actor): Promise<Viewer> {
  const roles = actor.kind === 'user' ? await ownRoles(database.read, actor.userId, dayOf(clock.now())) : noRoles
  return { actor, roles, open: openVisibilities(actor) }
}
