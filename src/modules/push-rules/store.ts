import { prepareQuery, type Reader, rows, type Tx } from '../../infra/database/index.ts'
import { type PushRuleRow, pushRules } from './tables.ts'

export const { insert: insertPushRule, update: updatePushRule } = rows(pushRules)

const ruleBy = (column: 'project_id' | 'namespace_id') =>
  prepareQuery((db, { id }: { id: number }) => db.selectFrom('push_rules').selectAll().where(column, '=', id))
const queries = { project: ruleBy('project_id'), group: ruleBy('namespace_id') }

/** The rule of a project or group. */
export async function pushRuleOf(db: Reader, kind: 'project' | 'group', id: number): Promise<PushRuleRow | null> {
  return (await queries[kind](db, { id }))[0] ?? null
}

/** The rule of a namespace or of the nearest group above it that has one. */
export async function nearestPushRule(db: Reader, namespaceId: number): Promise<PushRuleRow | null> {
  const query = db
    .selectFrom('namespace_ancestors')
    .innerJoin('push_rules', 'push_rules.namespace_id', 'namespace_ancestors.ancestor_id')
    .selectAll('push_rules')
    .where('namespace_ancestors.namespace_id', '=', namespaceId)
    .orderBy('namespace_ancestors.depth')
    .limit(1)
  return (await query.executeTakeFirst()) ?? null
}

/** @returns false when it was deleted already */
export async function deletePushRule(tx: Tx, id: number): Promise<boolean> {
  return (await tx.deleteFrom('push_rules').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n
}
