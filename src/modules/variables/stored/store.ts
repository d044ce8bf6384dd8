import { type ExpressionBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import type { Reader, Tables, Tx } from '../../../infra/database/index.ts'
import { within } from '../../../infra/database/index.ts'
import type { VariableOwner } from '../owner.ts'
import type { NewVariableRow, VariableRow, VariableRowChanges } from '../tables.ts'

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

/** @throws UniqueViolation of `ci_variables_…_unique` */
export async function insertVariable(tx: Tx, variable: NewVariableRow): Promise<VariableRow> {
  return tx.insertInto('ci_variables').values(variable).returningAll().executeTakeFirstOrThrow()
}

/** @throws UniqueViolation of `ci_variables_…_unique` */
export async function updateVariable(tx: Tx, id: number, changes: VariableRowChanges): Promise<VariableRow> {
  return tx.updateTable('ci_variables').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export async function deleteVariable(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('ci_variables').where('id', '=', id).execute()
}

/**
 * The variables of the instance, of these groups and of a project, in one query.
 * @param groupIds the groups above the project
 */
export async function variablesAbove(
  db: Reader,
  projectId: number,
  groupIds: readonly number[],
): Promise<VariableRow[]> {
  return db
    .selectFrom('ci_variables')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('project_id', '=', projectId),
        within(db, 'namespace_id', groupIds),
        sql<boolean>`namespace_id is null and project_id is null`,
      ]),
    )
    .orderBy('id')
    .execute()
}
