import { type Actor, isAdministrator } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { role, roleInGroup } from '../../access/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'

const neededRoles: Record<string, number> = {
  developer: role.developer,
  maintainer: role.maintainer,
  owner: role.owner,
}

/** Who may make projects in a group: what it says itself, else what every group says (contract 21, Group). */
export function projectCreationLevelOf(group: Pick<NamespaceRow, 'settings'>): string {
  const level = group.settings.project_creation_level
  return typeof level === 'string' ? level : 'developer'
}

/**
 * Whether the actor may make a project in a namespace, or bring one there: in their own, or in a group that admits
 * their role. A group that is about to be deleted takes none.
 */
export async function mayCreateIn(db: Reader, actor: Actor, namespace: NamespaceRow, today: string): Promise<boolean> {
  if (actor.kind !== 'user' || namespace.marked_for_deletion_on !== null) return false
  if (namespace.kind === 'user') return namespace.owner_id === actor.userId || isAdministrator(actor)
  const level = projectCreationLevelOf(namespace)
  if (level === 'noone') return false
  if (isAdministrator(actor)) return true
  const needed = neededRoles[level]
  return needed !== undefined && (await roleInGroup(db, actor.userId, namespace.id, today)) >= needed
}
