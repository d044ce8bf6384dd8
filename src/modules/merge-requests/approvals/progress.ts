import { dayOf } from '../../../api/index.ts'
import { hasTier } from '../../../config.ts'
import type { Platform } from '../../../platform/index.ts'
import { rulesOfRequests } from '../approval-rules/applicable.ts'
import type { MergeRequestRow } from '../tables.ts'
import { withLessCoverage } from './coverage.ts'
import { approvalsOf, membersOfGroups, type NamedRule } from './store.ts'

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

/** Whether rules require their approvals: those of a report only when the coverage falls, as no scanner reports exist. */
async function reportTest(
  platform: Platform,
  rules: ReadonlyMap<number, readonly NamedRule[]>,
  rows: readonly MergeRequestRow[],
) {
  const covers = ({ id }: MergeRequestRow) => rules.get(id)?.some(({ report_type }) => report_type === 'code_coverage')
  const lost = await withLessCoverage(
    platform,
    rows.filter((row) => row.state === 'opened' && covers(row)),
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
  const rules = await rulesOfRequests(platform, rows)
  const ruled = rows.filter(({ id }) => (rules.get(id)?.length ?? 0) > 0)
  const approvals = await approvalsOf(
    db,
    ruled.map(({ id }) => id),
  )
  const approversOf = (id: number) => (approvals.get(id) ?? []).map(({ user_id }) => user_id)
  const approvers = [...new Set(ruled.flatMap(({ id }) => approversOf(id)))]
  const groupIds = [...new Set([...rules.values()].flat().flatMap((rule) => rule.groupIds))]
  const [members, requires] = await Promise.all([
    membersOfGroups(db, groupIds, approvers, dayOf(clock.now())),
    reportTest(platform, rules, ruled),
  ])
  return new Map(
    ruled.map((row) => {
      const facts = { approvers: approversOf(row.id), members }
      const own = rules.get(row.id) ?? []
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
