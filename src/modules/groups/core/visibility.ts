import { type Actor, isAdministrator } from '../../../api/index.ts'
import { visibilityLevels } from '../../../platform/settings/index.ts'
import { levelsAbove, type Visibility } from '../../namespaces/index.ts'

/** Whether a subgroup or project is more visible than its parent allows (contract 21 R3). */
export function isTooVisible(visibility: Visibility, parent: Visibility): boolean {
  return levelsAbove(parent).includes(visibility)
}

/**
 * The default visibility of a new group: the wanted one, or the next less open one that is not refused.
 * @param refused levels that the caller may not use
 */
export function unrefused(wanted: Visibility, refused: readonly Visibility[]): Visibility {
  const candidates = visibilityLevels.slice(0, visibilityLevels.indexOf(wanted) + 1).reverse()
  return candidates.find((level) => !refused.includes(level)) ?? wanted
}

/** The levels of visibility that the instance reserves for administrators (contract 21 R3). */
export function refusedLevels(actor: Actor, restricted: readonly Visibility[]): Visibility[] {
  return isAdministrator(actor) ? [] : visibilityLevels.filter((level) => restricted.includes(level))
}
