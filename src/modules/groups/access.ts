import {
  type Actor,
  dayOf,
  forbidden,
  hasMemberRoles,
  isAdministrator,
  notFound,
  unauthorized,
} from '../../api/index.ts'
import type { Reader, Tx } from '../../infra/database/index.ts'
import type { Platform, Subject } from '../../platform/index.ts'
import {
  addsInGroup,
  type GroupAbility,
  groupPolicy,
  hasProjectBelow,
  noPermissions,
  ownRoles,
  type Rule,
  type Standing,
  standingInGroup,
} from '../access/index.ts'
import {
  holdTree,
  isGranted,
  isOpenTo,
  type NamespaceRow,
  namespaceById,
  namespaceByPath,
  refusesWritesIn,
  type Visibility,
} from '../namespaces/index.ts'
import { userById } from '../users/index.ts'
import { settingsOfGroup } from './settings/settings.ts'

/** A group with what the caller may do in it; `hasProject`: without a role there, but with one in a project below. */
export type Group = NamespaceRow & Standing & { hasProject?: boolean }

/** Whether the caller may see the group. */
export function canSeeGroup(actor: Actor, group: Group): boolean {
  return group.level > 0 || group.hasProject === true || isAdministrator(actor) || isOpenTo(actor, group)
}

/** Whether the caller may read the wiki of the group; it can be disabled, or open to members only. */
function mayReadWiki(actor: Actor, group: Group): boolean {
  const level = settingsOfGroup(group).wiki_access_level
  if (level === 'enabled' || isAdministrator(actor)) return level !== 'disabled'
  return level === 'private' && group.level >= groupPolicy.read_group.role
}

/** Whether a member role of the caller adds an ability to the level (contract 25.10). */
const isAdded = (actor: Actor, { permissions, parent_id }: Group, ability: GroupAbility) =>
  hasMemberRoles(actor) && addsInGroup(permissions, ability, parent_id === null)

/** Whether the caller has an ability; `authorize` throws by the same rule. */
export function mayInGroup(actor: Actor, group: Group, ability: GroupAbility): boolean {
  const rule: Rule = groupPolicy[ability]
  if (rule.writes && refusesWritesIn(group)) return false
  if (rule.feature === 'wiki' && !mayReadWiki(actor, group)) return false
  if (group.hasProject && rule.fromBelow) return true
  return isGranted(actor, group, group.level, rule) || isAdded(actor, group, ability)
}

/** Whether the caller may create subgroups: the group sets the role that is needed (contract 21). */
export function mayCreateSubgroup(actor: Actor, group: Group): boolean {
  const { subgroup_creation_level: least } = settingsOfGroup(group)
  return mayInGroup(actor, group, least === 'owner' ? 'admin_group' : 'create_subgroup')
}

/** Whether the caller may create groups at the top level: the account decides (contract 21, x.groups_create). */
export async function mayCreateTopLevel(db: Reader, actor: Actor): Promise<boolean> {
  if (actor.kind !== 'user') return false
  if (isAdministrator(actor)) return true
  return !actor.bot && ((await userById(db, actor.userId))?.can_create_group ?? false)
}

/** Adds the level of the caller in the group, and what else shows it to the caller. */
export async function withLevel(db: Reader, row: NamespaceRow, actor: Actor, today: string): Promise<Group> {
  if (actor.kind !== 'user') return { ...row, level: 0, permissions: noPermissions }
  const group = { ...row, ...(await standingInGroup(db, actor.userId, row.id, today)) }
  if (group.level > 0 || row.kind !== 'group' || isAdministrator(actor) || isOpenTo(actor, row)) return group
  return { ...group, hasProject: await hasProjectBelow(db, await ownRoles(db, actor.userId, today), row.id) }
}

/** @throws ApiError 404 Group when the row is not one of a group, or the caller may not see it */
async function requireVisible(db: Reader, row: NamespaceRow | null, actor: Actor, today: string): Promise<Group> {
  if (row?.kind !== 'group' || row.pending_delete) throw notFound('Group')
  const group = await withLevel(db, row, actor, today)
  if (!canSeeGroup(actor, group)) throw notFound('Group')
  return group
}

/** Finds the group of an id that a parameter names. @throws ApiError 404 Group */
export async function visibleGroup(db: Reader, id: number, actor: Actor, today: string): Promise<Group> {
  return requireVisible(db, await namespaceById(db, id), actor, today)
}

/** Finds the group of a full path that a parameter names. @throws ApiError 404 Group */
export async function groupOfPath({ database, clock }: Platform, path: string, actor: Actor): Promise<Group> {
  const row = await namespaceByPath(database.read, path)
  return requireVisible(database.read, row, actor, dayOf(clock.now()))
}

/** Finds the group of a key: its id or its full path. @throws ApiError 404 Group */
export async function groupOfKey({ database, clock }: Platform, key: string, actor: Actor): Promise<Group> {
  const db = database.read
  const row = /^\d+$/.test(key) ? await namespaceById(db, Number(key)) : await namespaceByPath(db, key)
  return requireVisible(db, row, actor, dayOf(clock.now()))
}

/** The visibility of a group that the caller can see; null of any other. */
export async function seenGroup({ database, clock }: Platform, id: number, actor: Actor): Promise<Visibility | null> {
  const row = await namespaceById(database.read, id)
  if (row?.kind !== 'group' || row.pending_delete) return null
  const group = await withLevel(database.read, row, actor, dayOf(clock.now()))
  return canSeeGroup(actor, group) ? group.visibility : null
}

/** The group under the lock of its tree. @throws ApiError 404 Group when it was deleted meanwhile */
export async function heldGroup(tx: Tx, id: number): Promise<NamespaceRow> {
  const row = await holdTree(tx, id)
  if (!row || row.pending_delete) throw notFound('Group')
  return row
}

/** As `heldGroup`, for changes. @throws ApiError 403 while it is archived or marked for deletion */
export async function heldForChange(tx: Tx, id: number): Promise<NamespaceRow> {
  const row = await heldGroup(tx, id)
  if (refusesWritesIn(row)) throw forbidden()
  return row
}

export type GroupSubject = Subject<Group, GroupAbility>

/** The subject of operations whose path names a group: `:id` is a number or an encoded full path (contract 00). */
export const group: GroupSubject = {
  name: 'group',
  opensToAnonymous(ability) {
    const rule: Rule = groupPolicy[ability]
    return rule.visible === 'public' || rule.hidesFromAnonymous === true
  },
  administratorsOnly: (ability) => (groupPolicy[ability] as Rule).administrators === true,
  find: (platform, request, actor) => groupOfKey(platform, request.path.id ?? '', actor),
  authorize(actor, found, ability) {
    if (mayInGroup(actor, found, ability)) return
    const rule: Rule = groupPolicy[ability]
    throw rule.hidesFromAnonymous && actor.kind === 'anonymous' ? unauthorized() : forbidden()
  },
}
