import type { Insertable } from 'kysely'
import { countRows, type Reader, rows, type Tables, type Tx, within } from '../../infra/database/index.ts'
import { type ProtectedBranchRow, rulesByIds } from '../protected-branches/index.ts'
import { externalStatusChecks, type ResponseRow, type StatusCheckRow } from './tables.ts'

export const {
  byId: statusCheckById,
  insert: insertStatusCheck,
  update: updateStatusCheckRow,
  remove: removeStatusCheck,
} = rows(externalStatusChecks)

/** A check with the protected branches that it is limited to, by id. */
export type ScopedCheck = StatusCheckRow & { branches: readonly ProtectedBranchRow[] }

/** Adds the branches to checks, in two queries. */
export async function withBranches(db: Reader, checks: readonly StatusCheckRow[]): Promise<ScopedCheck[]> {
  if (checks.length === 0) return []
  const ids = checks.map(({ id }) => id)
  const scopes = await db
    .selectFrom('external_status_check_branches')
    .selectAll()
    .where(within(db, 'check_id', ids))
    .orderBy('protected_branch_id')
    .execute()
  const branches = await rulesByIds(
    db,
    scopes.map(({ protected_branch_id }) => protected_branch_id),
  )
  const byCheck = Map.groupBy(scopes, ({ check_id }) => check_id)
  return checks.map((check) => {
    const own = byCheck.get(check.id) ?? []
    return { ...check, branches: own.flatMap((scope) => branches.get(scope.protected_branch_id) ?? []) }
  })
}

/** All checks of these projects, by id; a project has few. In three queries. */
export async function checksOf(db: Reader, projectIds: readonly number[]): Promise<ScopedCheck[]> {
  if (projectIds.length === 0) return []
  const query = db
    .selectFrom('external_status_checks')
    .selectAll()
    .where(within(db, 'project_id', projectIds))
  return withBranches(db, await query.orderBy('project_id').orderBy('id').execute())
}

export function countStatusChecks(db: Reader, projectId: number): Promise<number> {
  return countRows(db.selectFrom('external_status_checks').where('project_id', '=', projectId))
}

/** Limits a check to these protected branches. */
export async function setBranches(tx: Tx, check_id: number, ids: readonly number[]): Promise<void> {
  await tx.deleteFrom('external_status_check_branches').where('check_id', '=', check_id).execute()
  const scopes = ids.map((protected_branch_id) => ({ check_id, protected_branch_id }))
  if (scopes.length > 0) await tx.insertInto('external_status_check_branches').values(scopes).execute()
}

/** A commit of a merge request. */
export type Head = { mergeRequestId: number; sha: string }

/** The answers about these commits, in one query. */
export async function responsesTo(db: Reader, heads: readonly Head[]): Promise<ResponseRow[]> {
  if (heads.length === 0) return []
  const shas = [...new Set(heads.map(({ sha }) => sha))]
  const wanted = new Set(heads.map(({ mergeRequestId, sha }) => `${mergeRequestId} ${sha}`))
  const ids = heads.map(({ mergeRequestId }) => mergeRequestId)
  const query = db
    .selectFrom('status_check_responses')
    .selectAll()
    .where(within(db, 'merge_request_id', ids))
    .where(within(db, 'sha', shas))
  const found = await query.execute()
  return found.filter(({ merge_request_id, sha }) => wanted.has(`${merge_request_id} ${sha}`))
}

/** Stores an answer in place of the one before about the same commit. */
export async function putResponse(tx: Tx, row: Insertable<Tables['status_check_responses']>): Promise<ResponseRow> {
  const { status, answered_at } = row
  return tx
    .insertInto('status_check_responses')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['merge_request_id', 'sha', 'check_id']).doUpdateSet({ status, answered_at }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function removeResponse(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('status_check_responses').where('id', '=', id).execute()
}
