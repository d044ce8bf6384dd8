import { type Actor, isAdministrator } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { role } from '../../access/index.ts'
import { levelRequired, type Project, type ProtectedAction } from '../../projects/index.ts'
import type { RegistryTagRuleRow } from '../tables.ts'
import { partMatcher } from '../tags/matcher.ts'
import { compileTagPattern } from './patterns.ts'
import { rulesOfProject } from './store.ts'

/** Whether a tag is protected from a caller. */
export type TagTest = (name: string) => Promise<boolean>

/** The level of a caller of the API that counts for rules. */
export const levelOfActor = (actor: Actor, project: Project): number =>
  isAdministrator(actor) ? role.administrator : project.role.level

/** The level of a process without a caller. */
export const noLevel = 0

/**
 * Tells the tags with which callers of a level may not do this, by the rules of a project; of several rules that match a tag the
 * highest level counts (contract 26.17).
 * @returns null when all tags are free
 */
export function protectedTags(
  rules: readonly RegistryTagRuleRow[],
  action: ProtectedAction,
  level: number,
): TagTest | null {
  const above = rules.filter((rule) => levelRequired([rule], action) > level)
  if (above.length === 0) return null
  const patterns = above.map(({ pattern }) => compileTagPattern(pattern))
  const matches = partMatcher()
  return async (name) => {
    for (const pattern of patterns) if (await matches(pattern, name)) return true
    return false
  }
}

/** The tags of a project that callers of a level may not delete; null when there are none. */
export const tagsProtectedFromDeletion = async (db: Reader, projectId: number, level: number) =>
  protectedTags(await rulesOfProject(db, projectId), 'delete', level)
