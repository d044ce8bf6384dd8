import { type Insertable, sql } from 'kysely'
import { countRows, locked, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import { gives } from '../../access/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import type {
  ApprovalRow,
  ApprovalRuleRow,
  ApprovalRulesTable,
  ReviewerRow,
  ReviewerState,
  RuleType,
} from '../tables.ts'

/** The approvals of these merge requests, oldest first. */
export async function approvalsOf(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, ApprovalRow[]>> {
  if (ids.length === 0) return new Map()
  const query = db
    .selectFrom('approvals')
    .selectAll()
    .where(within(db, 'merge_request_id', ids))
  return Map.groupBy(await query.orderBy('id').execute(), ({ merge_request_id }) => merge_request_id)
}

/** Stores an approval. @returns false when the user has approved already */
export async function insertApproval(tx: Tx, mergeRequestId: number, userId: number, at: string): Promise<boolean> {
  const row = await tx
    .insertInto('approvals')
    .values({ merge_request_id: mergeRequestId, user_id: userId, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes the approval of a user. @returns false when there was none */
export async function deleteApproval(tx: Tx, mergeRequestId: number, userId: number): Promise<boolean> {
  const query = tx.deleteFrom('approvals').where('merge_request_id', '=', mergeRequestId)
  return (await query.where('user_id', '=', userId).executeTakeFirst()).numDeletedRows > 0n
}

/** Deletes all approvals, or those of one user; reviewers who approved have to look again. */
export async function withdrawApprovals(tx: Tx, mergeRequestId: number, userId?: number): Promise<void> {
  const users = userId === undefined ? sql<boolean>`true` : sql<boolean>`user_id = ${userId}`
  await tx.deleteFrom('approvals').where('merge_request_id', '=', mergeRequestId).where(users).execute()
  await tx
    .updateTable('merge_request_reviewers')
    .set({ state: 'unreviewed' })
    .where('merge_request_id', '=', mergeRequestId)
    .where('state', '=', 'approved')
    .where(users)
    .execute()
}

/** The reviewers of these merge requests, in the order in which they were asked. */
export async function reviewersOf(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, ReviewerRow[]>> {
  if (ids.length === 0) return new Map()
  const query = db
    .selectFrom('merge_request_reviewers')
    .selectAll()
    .where(within(db, 'merge_request_id', ids))
  return Map.groupBy(await query.orderBy('position').execute(), ({ merge_request_id }) => merge_request_id)
}

/** Asks these users for a review, in this order; those who were asked before keep their state. */
export async function setReviewers(tx: Tx, mergeRequestId: number, userIds: readonly number[], at: string) {
  const before = (await reviewersOf(tx, [mergeRequestId])).get(mergeRequestId) ?? []
  const known = new Map(before.map((row) => [row.user_id, row]))
  const next = [...new Set(userIds)]
  await tx.deleteFrom('merge_request_reviewers').where('merge_request_id', '=', mergeRequestId).execute()
  const rows = next.map((user_id, position) => {
    const { state = 'unreviewed' as const, created_at = at } = known.get(user_id) ?? {}
    return { merge_request_id: mergeRequestId, user_id, position, state, created_at }
  })
  if (rows.length > 0) await tx.insertInto('merge_request_reviewers').values(rows).execute()
  return { added: next.filter((id) => !known.has(id)), removed: [...known.keys()].filter((id) => !next.includes(id)) }
}

/** Stores the reviewers of an imported merge request, in this order; a user who is named twice is one. */
export async function insertReviewers(
  tx: Tx,
  merge_request_id: number,
  reviewers: readonly Pick<ReviewerRow, 'user_id' | 'state' | 'created_at'>[],
): Promise<void> {
  if (reviewers.length === 0) return
  const rows = reviewers.map((reviewer, position) => ({ merge_request_id, position, ...reviewer }))
  await tx
    .insertInto('merge_request_reviewers')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Sets the state of a user's review; nothing for a user who is no reviewer. */
export async function setReviewerState(tx: Tx, mergeRequestId: number, userId: number, state: ReviewerState) {
  await tx
    .updateTable('merge_request_reviewers')
    .set({ state })
    .where('merge_request_id', '=', mergeRequestId)
    .where('user_id', '=', userId)
    .execute()
}

/** Says that a reviewer has reviewed; an approval stands. */
export async function markReviewed(tx: Tx, mergeRequestId: number, userId: number): Promise<void> {
  await tx
    .updateTable('merge_request_reviewers')
    .set({ state: 'reviewed' })
    .where('merge_request_id', '=', mergeRequestId)
    .where('user_id', '=', userId)
    .where('state', '<>', 'approved')
    .execute()
}

/** Whose rule it is. */
export type RuleScope = { kind: 'project' | 'group' | 'merge_request'; id: number }

/** A rule with the users, groups and branches that it names. */
export type NamedRule = Pick<
  ApprovalRuleRow,
  'id' | 'name' | 'approvals_required' | 'report_type' | 'applies_to_all_protected_branches' | 'created_at'
> & {
  rule_type: RuleType
  scope: RuleScope
  /** The rule of the project from which one of a merge request was copied. */
  sourceId: number | null
  userIds: number[]
  groupIds: number[]
  /** Names of protected branches; none: the rule is for every branch. */
  branches: string[]
}

/** The approval rules of these projects, by id, in a fixed number of queries. */
export async function rulesOf(db: Reader, projectIds: readonly number[]): Promise<NamedRule[]> {
  if (projectIds.length === 0) return []
  const query = db
    .selectFrom('approval_rules')
    .selectAll()
    .where(within(db, 'project_id', projectIds))
  const rules = await query.orderBy('id').execute()
  const ids = rules.map(({ id }) => id)
  if (ids.length === 0) return []
  const [users, groups, branches] = await Promise.all([
    db
      .selectFrom('approval_rule_users')
      .selectAll()
      .where(within(db, 'rule_id', ids))
      .orderBy('user_id')
      .execute(),
    db
      .selectFrom('approval_rule_groups')
      .selectAll()
      .where(within(db, 'rule_id', ids))
      .orderBy('namespace_id')
      .execute(),
    db
      .selectFrom('approval_rule_branches')
      .selectAll()
      .where(within(db, 'rule_id', ids))
      .orderBy('name')
      .execute(),
  ])
  return rules.map(({ project_id, ...rule }) => ({
    ...rule,
    rule_type: rule.report_type === null ? rule.rule_type : 'report_approver',
    scope: { kind: 'project', id: project_id },
    sourceId: null,
    userIds: users.filter(({ rule_id }) => rule_id === rule.id).map(({ user_id }) => user_id),
    groupIds: groups.filter(({ rule_id }) => rule_id === rule.id).map(({ namespace_id }) => namespace_id),
    branches: branches.filter(({ rule_id }) => rule_id === rule.id).map(({ name }) => name),
  }))
}

/** Which of these users are members of which of these groups, directly or of a group above; in one query. */
export async function membersOfGroups(
  db: Reader,
  groupIds: readonly number[],
  userIds: readonly number[] | null,
  today: string,
): Promise<ReadonlyMap<number, Set<number>>> {
  if (groupIds.length === 0 || userIds?.length === 0) return new Map()
  const only = userIds === null ? sql`` : sql`and ${within(db, 'm.user_id', userIds)}`
  const { rows } = await sql<{ group_id: number; user_id: number }>`
    select distinct a.namespace_id as group_id, m.user_id from namespace_ancestors a
    join members m on m.namespace_id = a.ancestor_id
    where ${within(db, 'a.namespace_id', groupIds)} and ${gives('m', today)} ${only}`.execute(db as never)
  const groups = new Map<number, Set<number>>()
  for (const { group_id, user_id } of rows) groups.set(group_id, (groups.get(group_id) ?? new Set()).add(user_id))
  return groups
}

/** Users who are members of one of these groups, directly or of a group above; the first by id. */
export async function someMembersOf(
  db: Reader,
  groupIds: readonly number[],
  { today, limit }: { today: string; limit: number },
): Promise<number[]> {
  if (groupIds.length === 0) return []
  const { rows } = await sql<{ user_id: number }>`
    select distinct m.user_id from namespace_ancestors a
    join members m on m.namespace_id = a.ancestor_id
    where ${within(db, 'a.namespace_id', groupIds)} and ${gives('m', today)}
    order by m.user_id limit ${limit}`.execute(db as never)
  return rows.map(({ user_id }) => user_id)
}

type Named = { userIds?: readonly number[]; groupIds?: readonly number[]; branches?: readonly string[] }

async function setNamed(tx: Tx, ruleId: number, { userIds, groupIds, branches }: Named): Promise<void> {
  if (userIds) {
    await tx.deleteFrom('approval_rule_users').where('rule_id', '=', ruleId).execute()
    const rows = userIds.map((user_id) => ({ rule_id: ruleId, user_id }))
    if (rows.length > 0) await tx.insertInto('approval_rule_users').values(rows).execute()
  }
  if (groupIds) {
    await tx.deleteFrom('approval_rule_groups').where('rule_id', '=', ruleId).execute()
    const rows = groupIds.map((namespace_id) => ({ rule_id: ruleId, namespace_id }))
    if (rows.length > 0) await tx.insertInto('approval_rule_groups').values(rows).execute()
  }
  if (branches) {
    await tx.deleteFrom('approval_rule_branches').where('rule_id', '=', ruleId).execute()
    const rows = branches.map((name) => ({ rule_id: ruleId, name }))
    if (rows.length > 0) await tx.insertInto('approval_rule_branches').values(rows).execute()
  }
}

/** How many rules a project has. */
export function countRules(db: Reader, projectId: number): Promise<number> {
  return countRows(db.selectFrom('approval_rules').where('project_id', '=', projectId))
}

/** Inserts a rule. @returns its id @throws UniqueViolation when its name is taken, or for a second `any_approver` or report type */
export async function insertRule(tx: Tx, row: Insertable<ApprovalRulesTable>, named: Named): Promise<number> {
  const { id } = await tx.insertInto('approval_rules').values(row).returning('id').executeTakeFirstOrThrow()
  await setNamed(tx, id, named)
  return id
}

/** Changes a rule of a project. @returns false when there is none @throws UniqueViolation as `insertRule` */
export async function changeRule(
  tx: Tx,
  projectId: number,
  id: number,
  changes: { name?: string; approvals_required?: number; applies_to_all_protected_branches?: boolean },
  named: Named,
): Promise<boolean> {
  const query = tx.selectFrom('approval_rules').select('id').where('id', '=', id).where('project_id', '=', projectId)
  if (!(await locked(tx, query).executeTakeFirst())) return false
  if (Object.keys(changes).length > 0) {
    await tx.updateTable('approval_rules').set(changes).where('id', '=', id).execute()
  }
  await setNamed(tx, id, named)
  return true
}

/** Deletes a rule of a project. @returns false when there is none */
export async function deleteRule(tx: Tx, projectId: number, id: number): Promise<boolean> {
  const query = tx.deleteFrom('approval_rules').where('id', '=', id).where('project_id', '=', projectId)
  return (await query.executeTakeFirst()).numDeletedRows > 0n
}

/** These groups by id, without those that are being deleted. */
export async function groupsByIds(db: Reader, ids: readonly number[]): Promise<Map<number, NamespaceRow>> {
  if (ids.length === 0) return new Map()
  const query = db.selectFrom('namespaces').selectAll().where('kind', '=', 'group').where('pending_delete', '=', false)
  const rows = await query.where(within(db, 'namespaces.id', ids)).execute()
  return new Map(rows.map((row) => [row.id, row]))
}
