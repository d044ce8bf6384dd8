import { role } from '../access/index.ts'
import type { Entry } from './store/entries.ts'
import { wildcardMatcher } from './wildcard.ts'

/** Who wants to do something with a branch. */
export type Claimant = {
  /** Null for nobody in particular. */
  userId: number | null
  /** The role in the project. */
  level: number
  administrator: boolean
  /** Set when a deploy key pushes: what its owner may do is then of no account. */
  deployKeyId?: number
}

/** A rule as it counts when somebody wants to do something: the project's own, or one of its top-level group. */
export type BranchRule = {
  id: number
  name: string
  isInherited: boolean
  allowsForcePush: boolean
  needsCodeOwners: boolean
  push: readonly Entry[]
  merge: readonly Entry[]
}

/** What of the outside decides about entries: looked up once for all rules. */
export type Circumstances = {
  /** Groups in which the claimant has a role that counts, by what gives the group access. */
  groups: ReadonlyMap<number, { inProject: boolean; inHierarchy: boolean }>
  /** Whether the claimant's deploy key still counts. */
  hasLiveKey: boolean
}

/** What is true of one branch for one claimant; also what the API shows of it (contract 01, Branch). */
export type BranchFacts = {
  protected: boolean
  developersCanPush: boolean
  developersCanMerge: boolean
  canPush: boolean
}

/** Says who may do what with branches of one project, for one claimant. */
export type Judge = {
  rulesOf(branch: string): readonly BranchRule[]
  isProtected(branch: string): boolean
  mayPush(branch: string): boolean
  mayMerge(branch: string): boolean
  mayForcePush(branch: string): boolean
  needsCodeOwners(branch: string): boolean
  facts(branch: string): BranchFacts
}

type RuleOrigin = Pick<BranchRule, 'isInherited'>

function grants(entry: Entry, rule: RuleOrigin, who: Claimant, { groups, hasLiveKey }: Circumstances): boolean {
  if (who.deployKeyId !== undefined) return hasLiveKey && entry.deploy_key_id === who.deployKeyId
  if (entry.access_level !== null) {
    if (entry.access_level === role.none) return false
    return entry.access_level === role.administrator ? who.administrator : who.level >= entry.access_level
  }
  if (entry.user_id !== null) return entry.user_id === who.userId && who.level >= role.developer
  const group = entry.group_id === null ? undefined : groups.get(entry.group_id)
  return group !== undefined && (group.inProject || (rule.isInherited && group.inHierarchy))
}

/** Whether some entry of a list allows somebody what the list is about. */
export function isGranted(
  entries: readonly Entry[],
  rule: RuleOrigin,
  who: Claimant,
  circumstances: Circumstances,
): boolean {
  return entries.some((entry) => grants(entry, rule, who, circumstances))
}

const hasDevelopers = (entries: readonly Entry[]) => entries.some((entry) => entry.access_level === role.developer)

/** Whether somebody may push at all; a key that may not has been turned away at the door. */
function isPusher(who: Claimant): boolean {
  return who.deployKeyId !== undefined || who.administrator || who.level >= role.developer
}

/**
 * Judges by these rules, the most permissive of those that match a branch wins (contract 01, "Who may push, merge,
 * force-push"). Rules match when they are asked, so that they may be many.
 */
export function judgeBy(rules: readonly BranchRule[], who: Claimant, circumstances: Circumstances): Judge {
  const matchers = rules.map((rule) => ({ rule, matches: wildcardMatcher(rule.name) }))
  const isOn = (rule: BranchRule, list: 'push' | 'merge') => isGranted(rule[list], rule, who, circumstances)

  const known = new Map<string, readonly BranchRule[]>()

  function rulesOf(branch: string): readonly BranchRule[] {
    const matching = known.get(branch) ?? matchers.filter(({ matches }) => matches(branch)).map(({ rule }) => rule)
    known.set(branch, matching)
    return matching
  }

  function mayPushBy(matching: readonly BranchRule[]): boolean {
    if (!isPusher(who)) return false
    return matching.length === 0 || matching.some((rule) => isOn(rule, 'push'))
  }

  return {
    rulesOf,
    isProtected: (branch) => rulesOf(branch).length > 0,
    mayPush: (branch) => mayPushBy(rulesOf(branch)),
    mayMerge(branch) {
      const matching = rulesOf(branch)
      return mayPushBy(matching) || (isPusher(who) && matching.some((rule) => isOn(rule, 'merge')))
    },
    mayForcePush(branch) {
      const matching = rulesOf(branch)
      const inherited = matching.filter((rule) => rule.isInherited)
      const deciding = inherited.length > 0 ? inherited : matching
      return mayPushBy(matching) && (deciding.length === 0 || deciding.some((rule) => rule.allowsForcePush))
    },
    needsCodeOwners: (branch) => rulesOf(branch).some((rule) => rule.needsCodeOwners),
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
