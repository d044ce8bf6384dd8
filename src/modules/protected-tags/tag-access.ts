import type { Actor } from '../../api/index.ts'
import { wildcardMatcher } from '../../infra/wildcards/index.ts'
import type { Platform } from '../../platform/index.ts'
import { may, type Project, type ProjectRow } from '../projects/index.ts'
import {
  anonymousPrincipal,
  entriesOf,
  grantFacts,
  isGranted,
  type Principal,
  principalOf,
  ruleOwnerOf,
} from '../protected-branches/index.ts'
import { tagRulesFor } from './store.ts'

/** What one principal may do with the tags of one project. */
export type TagAccess = { isProtected(tag: string): boolean; mayCreate(tag: string): boolean }

/**
 * Loads what a principal may do with tags of a project, in a constant number of queries.
 * @param tags the names that will be asked for; without them any name may be
 */
export async function tagAccess(
  platform: Platform,
  project: ProjectRow,
  principal: Principal,
  tags?: readonly string[],
): Promise<TagAccess> {
  const db = platform.database.read
  const rows = await tagRulesFor(db, project.id, tags)
  const ids = rows.map(({ id }) => id)
  const lists = await entriesOf(db, ['create'], ids)
  const rules = rows.map(({ id, name }) => ({ matches: wildcardMatcher(name), create: lists.get(id)?.create ?? [] }))
  const entries = rules.flatMap(({ create }) => create)
  const facts = await grantFacts(platform, project, ruleOwnerOf(project), principal, entries)
  const rulesOf = (tag: string) => rules.filter(({ matches }) => matches(tag))
  return {
    isProtected: (tag) => rulesOf(tag).length > 0,
    mayCreate(tag) {
      const matching = rulesOf(tag)
      if (matching.length === 0) return true
      return matching.some(({ create }) => isGranted(create, { isInherited: false }, principal, facts))
    },
  }
}

/** Returns a test of which tags are protected. @param tags the names that will be asked for */
export async function protectedTagTest(
  platform: Platform,
  project: ProjectRow,
  tags: readonly string[],
): Promise<(tag: string) => boolean> {
  return (await tagAccess(platform, project, anonymousPrincipal, tags)).isProtected
}

/** Whether a caller may create a tag, or delete it when it is protected: by role and by the rules. */
export async function mayCreateTag(platform: Platform, project: Project, actor: Actor, tag: string): Promise<boolean> {
  if (!may(actor, project, 'push_code')) return false
  return (await tagAccess(platform, project, principalOf(actor, project.role), [tag])).mayCreate(tag)
}
