import { sql } from 'kysely'
import { jsonText, type Reader, type Tx } from '../../../infra/database/index.ts'

/** What a secondary remembers under a name; null when nothing. */
export async function remembered<T>(db: Reader, name: string): Promise<T | null> {
  const row = await db.selectFrom('geo_sync_state').select('value').where('name', '=', name).executeTakeFirst()
  return row ? (row.value as T) : null
}

export async function remember(tx: Tx, name: string, value: unknown): Promise<void> {
  await tx
    .insertInto('geo_sync_state')
    .values({ name, value: jsonText(value) })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: jsonText(value) }))
    .execute()
}

/** Counts requests of a day. */
export async function countRequests(tx: Tx, day: string, kind: string, count: number): Promise<void> {
  await tx
    .insertInto('geo_request_counts')
    .values({ day, kind, count })
    .onConflict((conflict) =>
      conflict.columns(['day', 'kind']).doUpdateSet({ count: sql<number>`geo_request_counts.count + ${count}` }),
    )
    .execute()
}

/** Requests since a day, by kind. */
export async function requestsSince(db: Reader, day: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('geo_request_counts')
    .select((eb) => ['kind', eb.fn.sum<number>('count').as('count')])
    .where('day', '>', day)
    .groupBy('kind')
    .execute()
  return new Map(rows.map(({ kind, count }) => [kind, Number(count)]))
}

export async function forget(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('geo_sync_state').where('name', '=', name).execute()
}
