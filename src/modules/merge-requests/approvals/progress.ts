import { dayOf } from '../../../api/index.ts'
import { hasTier } from '../../../config.ts'
import { wildcardMatcher } from '../../../infra/wildcards/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { projectById } from '../../projects/index.ts'
import { protectedBranchTest } from '../../protected-branches/index.ts'
import type { MergeRequestRow } from '../tables.ts'
import { withLessCoverage } from './coverage.ts'
import { approvalsOf, membersOfGroups, type NamedRule, rulesOf } from './store.ts'

/** How far a rule is fulfilled: who has given an approval that counts for it. */
export type RuleProgress = {
  rule: NamedRule
  approvedBy: readonly number[]
  /** Approvals that the rule asks of this merge request: none while its report gives no reason. */
  required: number
  missing: number
}

type Membership = ReadonlyMap<number, ReadonlySet<number>>

/** Whether an approval of a user counts for a rule. Rules that name no one accept everyone who may approve. */
export function countsFor(rule: NamedRule, userId: number, members: Membership): boolean {
  if (rule.rule_type === 'any_approver' || rule.userIds.length + rule.groupIds.length === 0) return true
  return rule.userIds.includes(userId) || rule.groupIds.some((id) => members.get(id)?.has(userId))
}

function progressOf(
  rule: NamedRule,
  { approvers, members, isRequired }: { approvers: readonly number[]; members: Membership; isRequired: boolean },
): RuleProgress {
  const required = isRequired ? rule.approvals_required : 0
  const approvedBy = approvers.filter((userId) => countsFor(rule, userId, members))
  return { rule, approvedBy, required, missing: Math.max(0, required - approvedBy.length) }
}

/** Whether rules are for a merge request, by its target branch (contract 24, "Approvals"). In a fixed number of queries a project. */
async function branchTest(platform: Platform, rules: readonly NamedRule[], rows: readonly MergeRequestRow[]) {
  const isProtected = new Map<number, (branch: string) => boolean>()
  const all = rules.filter((rule) => rule.applies_to_all_protected_branches)
  for (const id of new Set(all.map(({ project_id }) => project_id))) {
    const project = await projectById(platform.database.read, id)
    const targets = rows.filter(({ project_id }) => project_id === id).map(({ target_branch }) => target_branch)
    if (project) isProtected.set(id, await protectedBranchTest(platform, project, targets))
  }
  return (rule: NamedRule, { target_branch: target }: MergeRequestRow) => {
    if (rule.applies_to_all_protected_branches) return isProtected.get(rule.project_id)?.(target) ?? true
    return rule.branches.length === 0 || rule.branches.some((name) => wildcardMatcher(name)(target))
  }
}

/** Whether rules require their approvals: those of a report only when the coverage falls, as no scanner reports exist. */
async function reportTest(platform: Platform, rules: readonly NamedRule[], rows: readonly MergeRequestRow[]) {
  const projects = new Set(
    rules.filter((rule) => rule.report_type === 'code_coverage').map(({ project_id }) => project_id),
  )
  const lost = await withLessCoverage(
    platform,
    rows.filter(({ project_id, state }) => projects.has(project_id) && state === 'opened'),
  )
  return (rule: NamedRule, { id }: MergeRequestRow) =>
    rule.report_type === null || (rule.report_type === 'code_coverage' && lost.has(id))
}

/**
 * The progress of each rule of each of these merge requests, in a fixed number of queries. Members of groups count as they
 * are now (contract 19, "Approvals").
 */
export async function approvalProgress(
  platform: Platform,
  rows: readonly MergeRequestRow[],
): Promise<ReadonlyMap<number, RuleProgress[]>> {
  const { database, clock, config } = platform
  // Rules are a function of a higher tier.
  if (!hasTier(config.edition, 'premium')) return new Map()
  const db = database.read
  const rules = await rulesOf(db, [...new Set(rows.map(({ project_id }) => project_id))])
  const projects = new Set(rules.map(({ project_id }) => project_id))
  const ruled = rows.filter(({ project_id }) => projects.has(project_id))
  const approvals = await approvalsOf(
    db,
    ruled.map(({ id }) => id),
  )
  const approversOf = (id: number) => (approvals.get(id) ?? []).map(({ user_id }) => user_id)
  const approvers = [...new Set(ruled.flatMap(({ id }) => approversOf(id)))]
  const groupIds = [...new Set(rules.flatMap((rule) => rule.groupIds))]
  const members = await membersOfGroups(db, groupIds, approvers, dayOf(clock.now()))
  const [isFor, requires] = await Promise.all([branchTest(platform, rules, ruled), reportTest(platform, rules, ruled)])
  return new Map(
    ruled.map((row) => {
      const own = rules.filter((rule) => rule.project_id === row.project_id && isFor(rule, row))
      const facts = { approvers: approversOf(row.id), members }
      return [row.id, own.map((rule) => progressOf(rule, { ...facts, isRequired: requires(rule, row) }))]
    }),
  )
}

/** How many approvals each of these merge requests lacks: the sum over the rules. Those that lack none may be absent. */
export async function missingApprovals(
  platform: Platform,
  rows: readonly MergeRequestRow[],
): Promise<ReadonlyMap<number, number>> {
  const progress = await approvalProgress(platform, rows)
  return new Map([...progress].map(([id, rules]) => [id, rules.reduce((sum, { missing }) => sum + missing, 0)]))
}
