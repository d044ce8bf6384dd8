import type { Actor } from '../../../api/index.ts'
import { wildcardMatcher } from '../../../infra/wildcards/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { may, type Project, type ProjectRow } from '../../projects/index.ts'
import { type Entry, entriesOf } from '../store/entries.ts'
import { ruleOwnerOf, rulesFor } from '../store/rules.ts'
import type { ProtectedBranchRow } from '../tables.ts'
import { type GrantFacts, grantFacts, isGranted } from './grants.ts'
import { anonymousPrincipal, type Principal, principalOf } from './principal.ts'

/** A rule with the lists that decide about pushes and merges. */
type BranchRule = ProtectedBranchRow & { push: readonly Entry[]; merge: readonly Entry[] }

/** What the API shows of a branch's protection to one principal (contract 01, Branch). */
export type BranchFacts = {
  protected: boolean
  developersCanPush: boolean
  developersCanMerge: boolean
  canPush: boolean
}

/** What one principal may do with the branches of one project. */
export type BranchAccess = {
  isProtected(branch: string): boolean
  mayPush(branch: string): boolean
  mayMerge(branch: string): boolean
  mayForcePush(branch: string): boolean
  needsCodeOwners(branch: string): boolean
  facts(branch: string): BranchFacts
}

/** Whether a rule that applies to a project belongs to its top-level group. */
const isInherited = (rule: BranchRule) => rule.project_id === null

const hasDevelopers = (entries: readonly Entry[]) => entries.some((entry) => entry.access_level === role.developer)

/** Whether the principal may push to unprotected branches. A deploy key without push access is refused before. */
const isPusher = ({ deployKeyId, administrator, level }: Principal) =>
  deployKeyId !== undefined || administrator || level >= role.developer

/**
 * Applies rules to branches: the most permissive rule that matches a branch decides (contract 01, "Who may push, merge,
 * force-push"). A rule is matched when a branch is asked for, because there may be thousands of rules.
 */
function accessByRules(rules: readonly BranchRule[], principal: Principal, facts: GrantFacts): BranchAccess {
  const matchers = rules.map((rule) => ({ rule, matches: wildcardMatcher(rule.name) }))
  const isOn = (rule: BranchRule, list: 'push' | 'merge') =>
    isGranted(rule[list], { isInherited: isInherited(rule) }, principal, facts)
  const known = new Map<string, readonly BranchRule[]>()

  function rulesOf(branch: string): readonly BranchRule[] {
    const matching = known.get(branch) ?? matchers.filter(({ matches }) => matches(branch)).map(({ rule }) => rule)
    known.set(branch, matching)
    return matching
  }

  function mayPushBy(matching: readonly BranchRule[]): boolean {
    if (!isPusher(principal)) return false
    return matching.length === 0 || matching.some((rule) => isOn(rule, 'push'))
  }

  return {
    isProtected: (branch) => rulesOf(branch).length > 0,
    mayPush: (branch) => mayPushBy(rulesOf(branch)),
    mayMerge(branch) {
      const matching = rulesOf(branch)
      return mayPushBy(matching) || (isPusher(principal) && matching.some((rule) => isOn(rule, 'merge')))
    },
    mayForcePush(branch) {
      const matching = rulesOf(branch)
      const inherited = matching.filter(isInherited)
      const deciding = inherited.length > 0 ? inherited : matching
      return mayPushBy(matching) && (deciding.length === 0 || deciding.some((rule) => rule.allow_force_push))
    },
    needsCodeOwners: (branch) => rulesOf(branch).some((rule) => rule.code_owner_approval_required),
    facts(branch) {
      const matching = rulesOf(branch)
      return {
        protected: matching.length > 0,
        developersCanPush: matching.some((rule) => hasDevelopers(rule.push)),
        developersCanMerge: matching.some((rule) => hasDevelopers(rule.merge)),
        canPush: mayPushBy(matching),
      }
    },
  }
}

/**
 * Loads what a principal may do with branches of a project, in a constant number of queries.
 * @param branches the names that will be asked for; without them any name may be
 */
export async function branchAccess(
  platform: Platform,
  project: ProjectRow,
  principal: Principal,
  branches?: readonly string[],
): Promise<BranchAccess> {
  const db = platform.database.read
  const owner = ruleOwnerOf(project)
  const rows = await rulesFor(db, owner, branches)
  const ids = rows.map(({ id }) => id)
  const lists = await entriesOf(db, ['push', 'merge'], ids)
  const rules = rows.map((row) => {
    const { push = [], merge = [] } = lists.get(row.id) ?? {}
    return { ...row, push, merge }
  })
  const entries = rules.flatMap(({ push, merge }) => [...push, ...merge])
  return accessByRules(rules, principal, await grantFacts(platform, project, owner, principal, entries))
}

/**
 * What the API shows of branches to a caller.
 * @param branches the names that will be asked for; without them any name may be
 */
export async function branchFacts(
  platform: Platform,
  project: Project,
  actor: Actor,
  branches?: readonly string[],
): Promise<(branch: string) => BranchFacts> {
  const { facts } = await branchAccess(platform, project, principalOf(actor, project.role), branches)
  if (may(actor, project, 'push_code')) return facts
  return (branch) => ({ ...facts(branch), canPush: false })
}

/** Whether a caller may push to a branch, existing or not: by role and by the rules. */
export async function mayPush(platform: Platform, project: Project, actor: Actor, branch: string): Promise<boolean> {
  if (!may(actor, project, 'push_code')) return false
  return (await branchAccess(platform, project, principalOf(actor, project.role), [branch])).mayPush(branch)
}

/** Whether a caller may push to a branch so that it loses commits. */
export async function mayForcePush(
  platform: Platform,
  project: Project,
  actor: Actor,
  branch: string,
): Promise<boolean> {
  if (!may(actor, project, 'push_code')) return false
  return (await branchAccess(platform, project, principalOf(actor, project.role), [branch])).mayForcePush(branch)
}

/** Whether a caller may merge into a branch: by the merge list or the push list. */
export async function mayMerge(platform: Platform, project: Project, actor: Actor, branch: string): Promise<boolean> {
  if (!may(actor, project, 'push_code')) return false
  return (await branchAccess(platform, project, principalOf(actor, project.role), [branch])).mayMerge(branch)
}

/** Returns a test of which branches match a rule of the project or its top-level group. */
export async function protectedBranchTest(
  platform: Platform,
  project: ProjectRow,
  branches?: readonly string[],
): Promise<(branch: string) => boolean> {
  return (await branchAccess(platform, project, anonymousPrincipal, branches)).isProtected
}
