import { type Actor, dayOf, forbidden, isAdministrator, notFound } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import type { Subject } from '../../platform/index.ts'
import { type GroupAbility, groupPolicy, type Rule, roleInGroup } from '../access/index.ts'
import { type NamespaceRow, namespaceById, namespaceByPath } from '../namespaces/index.ts'
import { settingsOfGroup } from './settings.ts'

/** A group together with the level of the caller in it. */
export type Group = NamespaceRow & { level: number }

/** Whether somebody who is no member sees the group, by its visibility alone. */
export function isGroupOpenTo(actor: Actor, group: Pick<NamespaceRow, 'visibility'>): boolean {
  if (group.visibility === 'public') return true
  return group.visibility === 'internal' && actor.kind === 'user' && !actor.external && !actor.bot
}

/** Whether the actor sees the group at all. */
export function canSeeGroup(actor: Actor, group: Group): boolean {
  return group.level > 0 || isAdministrator(actor) || isGroupOpenTo(actor, group)
}

/** Whether the wiki of the group is there for the caller at all; it may be off, or open to members only. */
function seesWiki(actor: Actor, group: Group): boolean {
  const level = settingsOfGroup(group).wiki_access_level
  if (level === 'enabled' || isAdministrator(actor)) return level !== 'disabled'
  return level === 'private' && group.level >= groupPolicy.read_group.role
}

/** Whether the actor may do this with the group; the same answer that `authorize` gives by throwing. */
export function mayInGroup(actor: Actor, group: Group, ability: GroupAbility): boolean {
  const rule: Rule = groupPolicy[ability]
  if (rule.writes && group.marked_for_deletion_on !== null) return false
  if (rule.feature === 'wiki' && !seesWiki(actor, group)) return false
  if (isAdministrator(actor) || group.level >= rule.role) return true
  if (!rule.visible || !isGroupOpenTo(actor, group)) return false
  return rule.visible === 'everybody' || actor.kind === 'user'
}

/** Whether the actor may create subgroups of the group: the role that the group asks of those who do (contract 21). */
export function mayCreateSubgroup(actor: Actor, group: Group): boolean {
  const { subgroup_creation_level: least } = settingsOfGroup(group)
  return mayInGroup(actor, group, least === 'owner' ? 'admin_group' : 'create_subgroup')
}

/** Adds the level of the actor in the group. */
export async function withLevel(db: Reader, row: NamespaceRow, actor: Actor, today: string): Promise<Group> {
  const level = actor.kind === 'user' ? await roleInGroup(db, actor.userId, row.id, today) : 0
  return { ...row, level }
}

/**
 * The group of an id that a parameter names, as the actor sees it.
 * @throws ApiError 404 Group when there is none, or the actor may not see it
 */
export async function visibleGroup(db: Reader, id: number, actor: Actor, today: string): Promise<Group> {
  const row = await namespaceById(db, id)
  if (row?.kind !== 'group' || row.pending_delete) throw notFound('Group')
  const group = await withLevel(db, row, actor, today)
  if (!canSeeGroup(actor, group)) throw notFound('Group')
  return group
}

export type GroupSubject = Subject<Group, GroupAbility>

/** The subject of operations whose path names a group: `:id` is a number or an encoded full path (contract 00). */
export const group: GroupSubject = {
  name: 'group',
  opensToAnonymous: (ability) => (groupPolicy[ability] as Rule).visible === 'everybody',
  administratorsOnly: (ability) => (groupPolicy[ability] as Rule).administrators === true,
  async find({ database, clock }, request, actor) {
    const id = request.path.id ?? ''
    const row = /^\d+$/.test(id)
      ? await namespaceById(database.read, Number(id))
      : await namespaceByPath(database.read, id)
    if (row?.kind !== 'group' || row.pending_delete) throw notFound('Group')
    const found = await withLevel(database.read, row, actor, dayOf(clock.now()))
    if (!canSeeGroup(actor, found)) throw notFound('Group')
    return found
  },
  authorize(actor, found, ability) {
    if (!mayInGroup(actor, found, ability)) throw forbidden()
  },
}
