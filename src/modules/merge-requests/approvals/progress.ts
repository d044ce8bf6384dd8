import { dayOf } from '../../../api/index.ts'
import { hasTier } from '../../../config.ts'
import type { Platform } from '../../../platform/index.ts'
import type { MergeRequestRow } from '../tables.ts'
import { approvalsOf, membersOfGroups, type NamedRule, rulesOf } from './store.ts'

/** How far a rule is fulfilled: who has given an approval that counts for it. */
export type RuleProgress = { rule: NamedRule; approvedBy: readonly number[]; missing: number }

type Membership = ReadonlyMap<number, ReadonlySet<number>>

/** Whether an approval of a user counts for a rule. Rules that name no one accept everyone who may approve. */
export function countsFor(rule: NamedRule, userId: number, members: Membership): boolean {
  if (rule.rule_type === 'any_approver' || rule.userIds.length + rule.groupIds.length === 0) return true
  return rule.userIds.includes(userId) || rule.groupIds.some((id) => members.get(id)?.has(userId))
}

function progressOf(rule: NamedRule, approvers: readonly number[], members: Membership): RuleProgress {
  const approvedBy = approvers.filter((userId) => countsFor(rule, userId, members))
  return { rule, approvedBy, missing: Math.max(0, rule.approvals_required - approvedBy.length) }
}

/**
 * The progress of each rule of each of these merge requests, in a fixed number of queries. Members of groups count as they
 * are now (contract 19, "Approvals").
 */
export async function approvalProgress(
  { database, clock, config }: Platform,
  rows: readonly MergeRequestRow[],
): Promise<ReadonlyMap<number, RuleProgress[]>> {
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
  return new Map(
    ruled.map((row) => {
      const own = rules.filter(({ project_id }) => project_id === row.project_id)
      return [row.id, own.map((rule) => progressOf(rule, approversOf(row.id), members))]
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
