import { type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { columnOf, type Owner } from '../owner.ts'
import { type TransferFailureRow, type TransferImportRow, transferFailures, transferImports } from '../tables.ts'

export const { byId: importById, insert: insertImport, update: updateImport } = rows(transferImports)
const { insert: insertFailureRow } = rows(transferFailures)

/** The import into a project or group. */
export async function importOf(db: Reader, owner: Owner): Promise<TransferImportRow | null> {
  const query = db.selectFrom('transfer_imports').selectAll().where(columnOf(owner), '=', owner.id)
  return (await query.executeTakeFirst()) ?? null
}

/** Which relation of which part of an import. */
export type Step = { importId: number; part: string; relation: string }

/** How far a step is: how many of its lines are done, and whether it is over. */
export async function progressOf(
  db: Reader,
  { importId, part, relation }: Step,
): Promise<{ done: number; isFinished: boolean }> {
  const row = await db
    .selectFrom('transfer_progress')
    .select(['done', 'is_finished'])
    .where('import_id', '=', importId)
    .where('part', '=', part)
    .where('relation', '=', relation)
    .executeTakeFirst()
  return { done: row?.done ?? 0, isFinished: row?.is_finished ?? false }
}

/** Records how far a step is. */
export async function recordProgress(
  tx: Tx,
  { importId: import_id, part, relation }: Step,
  progress: { done: number; isFinished: boolean },
): Promise<void> {
  const values = { done: progress.done, is_finished: progress.isFinished }
  await tx
    .insertInto('transfer_progress')
    .values({ import_id, part, relation, ...values })
    .onConflict((conflict) => conflict.columns(['import_id', 'part', 'relation']).doUpdateSet(values))
    .execute()
}

/** Failures of an import that are stored (contract 25, ImportStatus). */
export const mostFailures = 100

/** Stores a failure, unless there are as many as are stored. */
export async function insertFailure(tx: Tx, failure: Omit<TransferFailureRow, 'id'>): Promise<void> {
  if ((await failuresOf(tx, failure.import_id)).length < mostFailures) await insertFailureRow(tx, failure)
}

/** The failures of an import, in their order. */
export async function failuresOf(db: Reader, importId: number): Promise<TransferFailureRow[]> {
  const query = db.selectFrom('transfer_failures').selectAll().where('import_id', '=', importId)
  return query.orderBy('id').limit(mostFailures).execute()
}

/** Forgets how far an import was: it is over. */
export async function deleteProgress(tx: Tx, importId: number): Promise<void> {
  await tx.deleteFrom('transfer_progress').where('import_id', '=', importId).execute()
}

/** Those of these secrets that an import has. */
export async function secretsOfImports(db: Reader, secrets: readonly string[]): Promise<string[]> {
  const query = db
    .selectFrom('transfer_imports')
    .select('secret')
    .where(within(db, 'secret', secrets))
  return (await query.execute()).flatMap(({ secret }) => secret ?? [])
}
