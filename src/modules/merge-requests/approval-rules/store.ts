import type { Insertable } from 'kysely'
import { countRows, type Reader, type TableOf, type Tx, within } from '../../../infra/database/index.ts'
import type { NamedRule, RuleScope } from '../approvals/store.ts'
import type { ScopedRuleRow, scopedApprovalRules } from '../tables.ts'

type ScopedRulesTable = TableOf<typeof scopedApprovalRules>

/** Rules of groups and merge requests. */
export type Scope = RuleScope & { kind: 'group' | 'merge_request' }

/**
 * The ids of rules of groups and merge requests begin above this one, and those of projects lie below: where rules of all stand in
 * one list, an id names one of them. It leaves room for clients with integers of 32 bits.
 */
const lastOfProjects = 1_000_000_000
const idOf = (rowId: number) => lastOfProjects + rowId
const rowIdOf = (id: number) => id - lastOfProjects

const columns = { group: 'namespace_id', merge_request: 'merge_request_id' } as const

async function named(db: Reader, rows: readonly ScopedRuleRow[]): Promise<NamedRule[]> {
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return []
  const [users, groups] = await Promise.all([
    db
      .selectFrom('scoped_approval_rule_users')
      .selectAll()
      .where(within(db, 'rule_id', ids))
      .orderBy('user_id')
      .execute(),
    db
      .selectFrom('scoped_approval_rule_groups')
      .selectAll()
      .where(within(db, 'rule_id', ids))
      .orderBy('namespace_id')
      .execute(),
  ])
  return rows.map(({ id, name, approvals_required, report_type, created_at, ...row }) => ({
    ...{ id: idOf(id), name, approvals_required, report_type, created_at, sourceId: row.source_rule_id },
    rule_type: report_type === null ? row.rule_type : 'report_approver',
    scope:
      row.merge_request_id === null
        ? { kind: 'group', id: row.namespace_id ?? 0 }
        : { kind: 'merge_request', id: row.merge_request_id },
    applies_to_all_protected_branches: row.namespace_id !== null,
    userIds: users.filter(({ rule_id }) => rule_id === id).map(({ user_id }) => user_id),
    groupIds: groups.filter(({ rule_id }) => rule_id === id).map(({ namespace_id }) => namespace_id),
    branches: [],
  }))
}

/** The rules of these groups or merge requests, by id, in a fixed number of queries. */
export async function scopedRulesOf(db: Reader, kind: Scope['kind'], ids: readonly number[]): Promise<NamedRule[]> {
  if (ids.length === 0) return []
  const query = db
    .selectFrom('scoped_approval_rules')
    .selectAll()
    .where(within(db, columns[kind], ids))
  return named(db, await query.orderBy('id').execute())
}

/** The rules of the groups above these projects, by project. */
export async function groupRulesAbove(
  db: Reader,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, NamedRule[]>> {
  if (projectIds.length === 0) return new Map()
  const pairs = await db
    .selectFrom('projects')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'projects.namespace_id')
    .innerJoin('scoped_approval_rules', 'scoped_approval_rules.namespace_id', 'namespace_ancestors.ancestor_id')
    .select(['projects.id as project_id', 'scoped_approval_rules.namespace_id as group_id'])
    .distinct()
    .where(within(db, 'projects.id', projectIds))
    .execute()
  const groupIds = [...new Set(pairs.map(({ group_id }) => Number(group_id)))]
  const rules = await scopedRulesOf(db, 'group', groupIds)
  const above = Map.groupBy(pairs, ({ project_id }) => project_id)
  return new Map(
    [...above].map(([id, groups]) => {
      const own = new Set(groups.map(({ group_id }) => group_id))
      return [id, rules.filter(({ scope }) => own.has(scope.id))]
    }),
  )
}

/** The row of a rule of a group or merge request. @param id as it is shown */
export async function scopedRow(db: Reader, { kind, id: scopeId }: Scope, id: number): Promise<ScopedRuleRow | null> {
  const query = db.selectFrom('scoped_approval_rules').selectAll().where('id', '=', rowIdOf(id))
  return (await query.where(columns[kind], '=', scopeId).executeTakeFirst()) ?? null
}

/** How many rules a group or merge request has. */
export function countScopedRules(db: Reader, { kind, id }: Scope): Promise<number> {
  return countRows(db.selectFrom('scoped_approval_rules').where(columns[kind], '=', id))
}

type Named = { userIds?: readonly number[]; groupIds?: readonly number[] }

async function setNamed(tx: Tx, rowId: number, { userIds, groupIds }: Named): Promise<void> {
  if (userIds) {
    await tx.deleteFrom('scoped_approval_rule_users').where('rule_id', '=', rowId).execute()
    const rows = userIds.map((user_id) => ({ rule_id: rowId, user_id }))
    if (rows.length > 0) await tx.insertInto('scoped_approval_rule_users').values(rows).execute()
  }
  if (groupIds) {
    await tx.deleteFrom('scoped_approval_rule_groups').where('rule_id', '=', rowId).execute()
    const rows = groupIds.map((namespace_id) => ({ rule_id: rowId, namespace_id }))
    if (rows.length > 0) await tx.insertInto('scoped_approval_rule_groups').values(rows).execute()
  }
}

type NewScopedRule = Omit<Insertable<ScopedRulesTable>, 'id' | 'merge_request_id' | 'namespace_id'>

/** Inserts a rule. @returns its id as it is shown @throws UniqueViolation as `insertRule` */
export async function insertScopedRule(tx: Tx, { kind, id }: Scope, row: NewScopedRule, names: Named): Promise<number> {
  const values = { ...row, [columns[kind]]: id }
  const inserted = await tx.insertInto('scoped_approval_rules').values(values).returning('id').executeTakeFirstOrThrow()
  await setNamed(tx, inserted.id, names)
  return idOf(inserted.id)
}

/** Changes a rule that is claimed. @throws UniqueViolation when its name is taken */
export async function changeScopedRow(
  tx: Tx,
  rowId: number,
  changes: { name?: string; approvals_required?: number; updated_at: string },
  names: Named,
): Promise<void> {
  await tx.updateTable('scoped_approval_rules').set(changes).where('id', '=', rowId).execute()
  await setNamed(tx, rowId, names)
}

/** Deletes a rule that is claimed. */
export async function deleteScopedRow(tx: Tx, rowId: number): Promise<void> {
  await tx.deleteFrom('scoped_approval_rules').where('id', '=', rowId).execute()
}
