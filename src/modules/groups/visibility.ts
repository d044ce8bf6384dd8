import type { Visibility } from '../namespaces/index.ts'
import { visibilityLevels } from '../settings/index.ts'

/** The levels that let more people see a thing than this one does. */
export function levelsAbove(visibility: Visibility): Visibility[] {
  return visibilityLevels.slice(visibilityLevels.indexOf(visibility) + 1)
}

/** Whether a thing of this visibility may lie in a group of that one: child ≤ parent (contract 21 R3). */
export function isTooVisible(visibility: Visibility, parent: Visibility): boolean {
  return levelsAbove(parent).includes(visibility)
}

/** The least open of the two. */
export function lower(a: Visibility, b: Visibility): Visibility {
  return isTooVisible(a, b) ? b : a
}

/**
 * The visibility that a new thing has when nobody names one: the wanted one, or the next less open one that is not refused.
 * @param refused levels that only administrators may use
 */
export function unrefused(wanted: Visibility, refused: readonly Visibility[]): Visibility {
  const candidates = visibilityLevels.slice(0, visibilityLevels.indexOf(wanted) + 1).reverse()
  return candidates.find((level) => !refused.includes(level)) ?? wanted
}
