import { sql } from 'kysely'
import type { Reader, Tx } from '../../infra/database/index.ts'
import type { InstanceFactsTable } from './tables.ts'

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

/** Forgets all facts but the secret key, without which the secrets in the database cannot be read. */
export async function forgetPlaces(tx: Tx): Promise<void> {
  await tx.deleteFrom('instance_facts').where(sql<boolean>`name <> 'secret-key'`).execute()
}
