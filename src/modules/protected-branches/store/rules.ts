import { type ExpressionBuilder, type Insertable, sql, type Updateable } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import {
  contains,
  countRows,
  locked,
  type Reader,
  rows,
  type Tables,
  type Tx,
  within,
} from '../../../infra/database/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { type ProtectedBranchesTable, type ProtectedBranchRow, protectedBranches } from '../tables.ts'

export const { insert: insertRule, remove: deleteRule } = rows(protectedBranches)

/** The project or top-level group that rules belong to. The rules of a project's top-level group apply to it as well. */
export type RuleOwner = { kind: 'project' | 'group'; id: number; namespaceId: number }

/** A project as the owner of rules. */
export const ruleOwnerOf = ({ id, namespace_id }: Pick<ProjectRow, 'id' | 'namespace_id'>): RuleOwner => ({
  kind: 'project',
  id,
  namespaceId: namespace_id,
})

type Eb = ExpressionBuilder<Tables, 'protected_branches'>

/** The id of a namespace's top-level group, as a sub-query. */
export const topLevelOf = (namespaceId: number) =>
  sql<number>`(select ancestor_id from namespace_ancestors where namespace_id = ${namespaceId}
    order by depth desc limit 1)`

const appliesTo = (owner: RuleOwner) => (eb: Eb) =>
  owner.kind === 'group'
    ? eb('namespace_id', '=', owner.id)
    : eb.or([eb('project_id', '=', owner.id), eb('namespace_id', '=', topLevelOf(owner.namespaceId))])

/** The rules that may match one of these branches: by exact name or by a wildcard. Without names, all rules. */
export async function rulesFor(
  db: Reader,
  owner: RuleOwner,
  branches?: readonly string[],
): Promise<ProtectedBranchRow[]> {
  const query = db.selectFrom('protected_branches').selectAll().where(appliesTo(owner)).orderBy('name').orderBy('id')
  if (!branches) return query.execute()
  return query
    .where((eb) => eb.or([within(db, 'name', [...new Set(branches)]), sql<boolean>`name like '%*%'`]))
    .execute()
}

/** A page of rules, by name and then by id. @param search part of the name, in any case */
export async function pageOfRules(
  db: Reader,
  owner: RuleOwner,
  search: string | undefined,
  page: PageRequest,
): Promise<Page<ProtectedBranchRow>> {
  let query = db.selectFrom('protected_branches').selectAll().where(appliesTo(owner))
  if (search) query = query.where(contains('name', search))
  return pageOfRows(db, query.orderBy('name').orderBy('id'), page)
}

/** The rule with exactly this name; the project's own rule comes before an inherited one. */
export async function ruleNamed(db: Reader, owner: RuleOwner, name: string): Promise<ProtectedBranchRow | null> {
  const query = db.selectFrom('protected_branches').selectAll().where(appliesTo(owner)).where('name', '=', name)
  const rows = await query.orderBy('id').execute()
  return rows.find((row) => row.project_id !== null) ?? rows[0] ?? null
}

/** Like `ruleNamed`, and locks the rule until the transaction ends. */
export async function lockRule(tx: Tx, owner: RuleOwner, name: string): Promise<ProtectedBranchRow | null> {
  const row = await ruleNamed(tx, owner, name)
  if (!row) return null
  const query = tx.selectFrom('protected_branches').selectAll().where('id', '=', row.id)
  return (await locked(tx, query).executeTakeFirst()) ?? null
}

/** Counts the rules of an owner, without inherited ones. */
export function countRules(db: Reader, owner: RuleOwner): Promise<number> {
  const column = owner.kind === 'project' ? 'project_id' : 'namespace_id'
  return countRows(db.selectFrom('protected_branches').where(column, '=', owner.id))
}

/** Like `insertRule`; null when the project already has a rule with that name. */
export async function insertRuleUnlessThere(tx: Tx, rule: Insertable<ProtectedBranchesTable>): Promise<number | null> {
  const query = tx.insertInto('protected_branches').values(rule)
  const row = await query
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}

export async function updateRule(
  tx: Tx,
  id: number,
  changes: Updateable<ProtectedBranchesTable>,
): Promise<ProtectedBranchRow> {
  return tx.updateTable('protected_branches').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Rules by their ids; those of none are left out. */
export async function rulesByIds(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, ProtectedBranchRow>> {
  if (ids.length === 0) return new Map()
  const query = db
    .selectFrom('protected_branches')
    .selectAll()
    .where(within(db, 'id', ids))
  return new Map((await query.execute()).map((row) => [row.id, row]))
}

/** Those of these ids that are own rules of a project, which stay until the transaction ends. */
export async function holdRulesOf(tx: Tx, projectId: number, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const query = tx
    .selectFrom('protected_branches')
    .select('id')
    .where('project_id', '=', projectId)
    .where(within(tx, 'id', ids))
    .orderBy('id')
  return (await locked(tx, query, 'key share').execute()).map(({ id }) => id)
}
