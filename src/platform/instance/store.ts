import { sql } from 'kysely'
import { type Reader, rows, type Tx } from '../../infra/database/index.ts'
import { secretKeyName } from '../../infra/secrets/index.ts'
import { type BackupRow, backups, type InstanceFactsTable } from './tables.ts'

/** The recorded value of a fact; null when there is none. */
export async function factNamed(db: Reader, name: string): Promise<string | null> {
  const row = await db.selectFrom('instance_facts').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value ?? null
}

/** Records a fact, unless another node has. @returns what is recorded */
export async function recordFact(tx: Tx, fact: InstanceFactsTable): Promise<string> {
  await tx
    .insertInto('instance_facts')
    .values(fact)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return (await factNamed(tx, fact.name)) ?? fact.value
}

/** Deletes a fact. @returns whether it was recorded */
export async function forgetFact(tx: Tx, name: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('instance_facts').where('name', '=', name).executeTakeFirst()
  return numDeletedRows > 0n
}

/** The secret key, without which the secrets in the database cannot be read; and promotions of this server and of others. */
const kept = sql`(${sql.lit(secretKeyName)}, 'superseded', 'promotion', 'promoted')`

/** Forgets the folders and the SSH host keys. */
export async function forgetPlaces(tx: Tx): Promise<void> {
  await tx.deleteFrom('instance_facts').where(sql<boolean>`name not in ${kept}`).execute()
}

const { insert } = rows(backups)

/** So many records are stored, the newest. */
export const mostBackups = 100

/** Records a backup that was completed. */
export async function recordBackup(tx: Tx, backup: Omit<BackupRow, 'id'>): Promise<void> {
  const { id } = await insert(tx, backup)
  await tx
    .deleteFrom('backups')
    .where('id', '<=', id - mostBackups)
    .execute()
}

/** Selects the backups that were recorded, the latest first. */
export const selectBackups = (db: Reader) => db.selectFrom('backups').selectAll().orderBy('id', 'desc')

/** Forgets all backups: those of another place. */
export async function forgetBackups(tx: Tx): Promise<void> {
  await tx.deleteFrom('backups').execute()
}
