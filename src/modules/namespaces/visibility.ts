import { type Actor, isAdministrator } from '../../api/index.ts'
import { visibilityLevels } from '../../platform/settings/index.ts'
import type { Rule } from '../access/index.ts'
import type { NamespaceRow, Visibility } from './tables.ts'

/** Writes in a group are refused while it is archived (contract 26.18), or about to be deleted (contract 21 R6). */
export function refusesWritesIn(group: Pick<NamespaceRow, 'archived' | 'marked_for_deletion_on'>): boolean {
  return group.archived || group.marked_for_deletion_on !== null
}

/** The more open levels. */
export function levelsAbove(visibility: Visibility): Visibility[] {
  return visibilityLevels.slice(visibilityLevels.indexOf(visibility) + 1)
}

/** Whether the first level is more open than the second. */
export function isWider(a: Visibility, b: Visibility): boolean {
  return levelsAbove(b).includes(a)
}

/** The visibility lowered to that of the group, if any; personal namespaces set no bound (contract 21 R3). */
export function visibilityIn(namespace: Pick<NamespaceRow, 'kind' | 'visibility'>, wanted: Visibility): Visibility {
  return namespace.kind === 'group' && isWider(wanted, namespace.visibility) ? namespace.visibility : wanted
}

/** The levels of visibility that the instance reserves for administrators (contract 21 R3). */
export function refusedLevels(actor: Actor, restricted: readonly Visibility[]): Visibility[] {
  return isAdministrator(actor) ? [] : visibilityLevels.filter((level) => restricted.includes(level))
}

/**
 * The default visibility of a new group or project: the wanted one, or the next less open one that is not refused.
 * @param refused levels that the caller may not use
 */
export function unrefused(wanted: Visibility, refused: readonly Visibility[]): Visibility {
  const candidates = visibilityLevels.slice(0, visibilityLevels.indexOf(wanted) + 1).reverse()
  return candidates.find((level) => !refused.includes(level)) ?? wanted
}

/** The visibilities of the groups and projects that the caller can see without a role (contract 00, "Visibility"). */
export function openVisibilities(actor: Actor): Visibility[] {
  return actor.kind === 'user' && !actor.external && !actor.bot ? ['public', 'internal'] : ['public']
}

/** Whether the visibility alone lets the caller see a group or project. */
export function isOpenTo(actor: Actor, { visibility }: { visibility: Visibility }): boolean {
  return openVisibilities(actor).includes(visibility)
}

/** Whether a line of the policy grants its ability in a group or project in which the caller has this level. */
export function isGranted(actor: Actor, resource: { visibility: Visibility }, level: number, rule: Rule): boolean {
  if (isAdministrator(actor) || level >= rule.role) return true
  if (!rule.visible || !isOpenTo(actor, resource)) return false
  return rule.visible === 'public' || actor.kind === 'user'
}

/** The number of a visibility, as exports and events of the system use it: 0, 10 or 20. */
export function levelOfVisibility(visibility: Visibility): number {
  return visibilityLevels.indexOf(visibility) * 10
}

/** The visibility of a number, as exports use it; null for any other value. */
export function visibilityOfLevel(level: unknown): Visibility | null {
  return visibilityLevels.find((visibility) => levelOfVisibility(visibility) === level) ?? null
}
