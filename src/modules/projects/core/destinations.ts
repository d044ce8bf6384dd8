import { type Actor, ApiError, isAdministrator } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { role, roleInGroup } from '../../access/index.ts'
import { isOpenTo, type NamespaceRow, namespaceById, namespaceByPath, refusesWritesIn } from '../../namespaces/index.ts'
import type { UserRow } from '../../users/index.ts'
import { countProjectsIn } from './store.ts'

/** How a parameter names a namespace: by id or full path, or by full path alone. */
type NamedNamespace = { text: string; isPath?: boolean }

/** The namespace of an id or full path; null when the actor cannot see it. Users see their own personal namespace only. */
export async function visibleNamespace(
  db: Reader,
  { text, isPath = false }: NamedNamespace,
  actor: Actor,
  today: string,
): Promise<NamespaceRow | null> {
  const row = !isPath && /^\d+$/.test(text) ? await namespaceById(db, Number(text)) : await namespaceByPath(db, text)
  if (!row || row.pending_delete) return null
  if (isAdministrator(actor)) return row
  const level = actor.kind === 'user' ? await roleInGroup(db, actor.userId, row.id, today) : 0
  const isOpen = row.kind === 'group' && isOpenTo(actor, row)
  return level > 0 || isOpen ? row : null
}

const neededRoles: Record<string, number> = {
  developer: role.developer,
  maintainer: role.maintainer,
  owner: role.owner,
}

/** Who may create projects in a group: its own setting, else the default (contract 21, Group). */
function projectCreationLevelOf(group: Pick<NamespaceRow, 'settings'>): string {
  const level = group.settings.project_creation_level
  return typeof level === 'string' ? level : 'developer'
}

/**
 * Whether the actor may create a project in a namespace, or move one there: in their own, or in a group where their role
 * suffices. A group that is archived or marked for deletion accepts none.
 */
export async function mayCreateIn(db: Reader, actor: Actor, namespace: NamespaceRow, today: string): Promise<boolean> {
  if (actor.kind !== 'user' || refusesWritesIn(namespace)) return false
  if (namespace.kind === 'user') return namespace.owner_id === actor.userId || isAdministrator(actor)
  const level = projectCreationLevelOf(namespace)
  if (level === 'noone') return false
  if (isAdministrator(actor)) return true
  const needed = neededRoles[level]
  return needed !== undefined && (await roleInGroup(db, actor.userId, namespace.id, today)) >= needed
}

/**
 * Requires that the limit of projects allows another one, when the namespace is the user's personal one.
 * @throws ApiError 403 (contract 21, x.projects_create)
 */
export async function requireRoom(db: Reader, namespace: NamespaceRow, user: UserRow | null): Promise<void> {
  if (!user || namespace.owner_id !== user.id) return
  const { projects_limit: limit } = user
  if ((await countProjectsIn(db, namespace.id)) < limit) return
  const reason =
    limit === 0
      ? 'You cannot create projects in your personal namespace.'
      : `You've reached your limit of ${limit} projects created.`
  throw new ApiError('projects_limit', 403, { error: [`${reason} Contact your GitLab administrator.`] })
}
