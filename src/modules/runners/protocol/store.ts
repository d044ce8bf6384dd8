import { type Insertable, sql } from 'kysely'
import { prepareQuery, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { RunnerFacts, RunnerManagerRow, RunnerManagersTable } from '../tables.ts'

const bySystem = prepareQuery((db, { runnerId, systemId }: { runnerId: number; systemId: string }) =>
  db.selectFrom('runner_managers').selectAll().where('runner_id', '=', runnerId).where('system_id', '=', systemId),
)

/** The program that uses a runner's token under an identifier. */
export async function managerOf(db: Reader, runnerId: number, systemId: string): Promise<RunnerManagerRow | null> {
  return (await bySystem(db, { runnerId, systemId }))[0] ?? null
}

/** Inserts a manager, or changes the one with its identifier. */
export async function putManager(tx: Tx, manager: Insertable<RunnerManagersTable>): Promise<RunnerManagerRow> {
  const { runner_id: _runner, system_id: _system, created_at: _created, ...seen } = manager
  return tx
    .insertInto('runner_managers')
    .values(manager)
    .onConflict((conflict) => conflict.columns(['runner_id', 'system_id']).doUpdateSet(seen))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Inserts a manager that has not taken part yet; one that exists stays as it is. */
export async function addManager(tx: Tx, manager: Insertable<RunnerManagersTable>): Promise<void> {
  await tx
    .insertInto('runner_managers')
    .values(manager)
    .onConflict((conflict) => conflict.columns(['runner_id', 'system_id']).doNothing())
    .execute()
}

export async function deleteManager(tx: Tx, runnerId: number, systemId: string): Promise<boolean> {
  const query = tx.deleteFrom('runner_managers').where('runner_id', '=', runnerId).where('system_id', '=', systemId)
  return (await query.executeTakeFirst()).numDeletedRows > 0n
}

/** Records the last contact of a runner; `updated_at` stays, since nothing that decides about jobs changes. */
export async function noteContact(
  tx: Tx,
  runnerId: number,
  seen: RunnerFacts & { name: string | null; ip_address: string; contacted_at: string },
): Promise<void> {
  await tx.updateTable('runners').set(seen).where(sql<boolean>`id = ${runnerId}`).execute()
}
