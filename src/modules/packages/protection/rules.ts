import type { Actor } from '../../../api/index.ts'
import { wildcardMatcher } from '../../../infra/wildcards/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { levelRequired, type Project, type ProtectedAction } from '../../projects/index.ts'
import { protectionLevelOf } from '../access/rights.ts'
import type { PackageType } from '../core/words.ts'
import { rulesFor } from './store.ts'

/** What rules restrict, for which package. */
export type ProtectedAct = { type: PackageType; name: string; action: ProtectedAction }

/**
 * Whether a rule of the project forbids the caller to publish or delete a package (contract 23 R4). The highest matching rule counts;
 * names are compared without case.
 */
export async function isProtected(
  { database }: Platform,
  project: Project,
  actor: Actor,
  { type, name, action }: ProtectedAct,
): Promise<boolean> {
  const rules = await rulesFor(database.read, project.id, type)
  const compared = name.toLowerCase()
  const matching = rules.filter(({ pattern }) => wildcardMatcher(pattern.toLowerCase())(compared))
  return levelRequired(matching, action) > protectionLevelOf(actor, project)
}
