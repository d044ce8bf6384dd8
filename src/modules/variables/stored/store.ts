import { type ExpressionBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { prepareQuery, type Reader, rows, type Tables, type Tx } from '../../../infra/database/index.ts'
import type { VariableOwner } from '../owner.ts'
import { ciVariables, type VariableRow, type VariableRowChanges } from '../tables.ts'

export const { insert: insertVariable, remove: deleteVariable } = rows(ciVariables)

const belongsTo =
  ({ kind, id }: VariableOwner) =>
  (eb: ExpressionBuilder<Tables, 'ci_variables'>) => {
    if (kind === 'project') return eb('project_id', '=', id)
    if (kind === 'group') return eb('namespace_id', '=', id)
    return eb.and([eb('project_id', 'is', null), eb('namespace_id', 'is', null)])
  }

/** A page of the variables of an owner, by id. */
export async function pageOfVariables(db: Reader, owner: VariableOwner, page: PageRequest): Promise<Page<VariableRow>> {
  return pageOfRows(db, db.selectFrom('ci_variables').selectAll().where(belongsTo(owner)).orderBy('id'), page)
}

/** The variables of an owner with this key; at most two, since more make no difference. */
export async function variablesNamed(
  db: Reader,
  owner: VariableOwner,
  key: string,
  scope: string | undefined,
): Promise<VariableRow[]> {
  const query = db.selectFrom('ci_variables').selectAll().where(belongsTo(owner)).where('key', '=', key)
  return (scope === undefined ? query : query.where('environment_scope', '=', scope)).orderBy('id').limit(2).execute()
}

export async function countVariables(db: Reader, owner: VariableOwner): Promise<number> {
  const count = db.selectFrom('ci_variables').select((eb) => eb.fn.countAll<number>().as('count'))
  return Number((await count.where(belongsTo(owner)).executeTakeFirstOrThrow()).count)
}

/** The size of the values of an owner as they are stored, in bytes. */
export async function bytesOfValues(db: Reader, owner: VariableOwner): Promise<number> {
  const sum = sql<number>`coalesce(sum(octet_length(sealed_value)), 0)`
  const row = db.selectFrom('ci_variables').select(sum.as('bytes')).where(belongsTo(owner))
  return Number((await row.executeTakeFirstOrThrow()).bytes)
}

/** @throws UniqueViolation of `ci_variables_…_unique` */
export async function updateVariable(tx: Tx, id: number, changes: VariableRowChanges): Promise<VariableRow> {
  return tx.updateTable('ci_variables').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

const above = prepareQuery((db, { projectId, namespaceId }: { projectId: number; namespaceId: number }) => {
  const lineage = sql`select ancestor_id from namespace_ancestors where namespace_id = ${namespaceId}`
  return db
    .selectFrom('ci_variables')
    .leftJoin('namespace_ancestors', (join) =>
      join
        .onRef('namespace_ancestors.ancestor_id', '=', 'ci_variables.namespace_id')
        .on('namespace_ancestors.namespace_id', '=', namespaceId),
    )
    .selectAll('ci_variables')
    .select('namespace_ancestors.depth')
    .where((eb) =>
      eb.or([
        eb('ci_variables.project_id', '=', projectId),
        sql<boolean>`ci_variables.namespace_id in (${lineage})`,
        sql<boolean>`ci_variables.namespace_id is null and ci_variables.project_id is null`,
      ]),
    )
    .orderBy('ci_variables.id')
})

/**
 * The variables of the instance, of the groups above a project and of the project, in one query. `depth` is the distance of a
 * group to the project, 0 for the nearest.
 */
export async function variablesAbove(
  db: Reader,
  { id, namespace_id }: { id: number; namespace_id: number },
): Promise<(VariableRow & { depth: number | null })[]> {
  return above(db, { projectId: id, namespaceId: namespace_id })
}
