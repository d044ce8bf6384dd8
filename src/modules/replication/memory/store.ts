import { type Insertable, type Selectable, sql } from 'kysely'
import { jsonText, type Reader, type Tables, type Tx } from '../../../infra/database/index.ts'

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

/** Forgets what was remembered under any name. */
export async function forgetAll(tx: Tx): Promise<void> {
  await tx.deleteFrom('geo_sync_state').execute()
}

export async function forget(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('geo_sync_state').where('name', '=', name).execute()
}

type ConfirmedRead = Tables['geo_confirmed_reads']
export type ConfirmedReadRow = Selectable<ConfirmedRead>
/** A caller, what they do, and with what. */
export type ReadKey = Pick<ConfirmedReadRow, 'caller' | 'action' | 'resource'>

/** Stores that a read was confirmed, or was again. */
export async function confirmRead(tx: Tx, read: Insertable<ConfirmedRead>): Promise<void> {
  const { type, replicable_id, confirmed_at } = read
  await tx
    .insertInto('geo_confirmed_reads')
    .values(read)
    .onConflict((conflict) =>
      conflict.columns(['caller', 'action', 'resource']).doUpdateSet({ type, replicable_id, confirmed_at }),
    )
    .execute()
}

/** A time, both ends included. */
type Period = { since: string; until: string }

/** What was confirmed in a period of an action of a caller; of one resource, if it is named. */
export async function confirmedReads(
  db: Reader,
  { caller, action, resource }: Omit<ReadKey, 'resource'> & Partial<ReadKey>,
  { since, until }: Period,
): Promise<ConfirmedReadRow[]> {
  let query = db
    .selectFrom('geo_confirmed_reads')
    .selectAll()
    .where('caller', '=', caller)
    .where('action', '=', action)
    .where('confirmed_at', '>=', since)
    .where('confirmed_at', '<=', until)
  if (resource !== undefined) query = query.where('resource', '=', resource)
  return query.orderBy('confirmed_at', 'desc').limit(10).execute()
}

type Forgotten = Pick<ReadKey, 'caller'> & Partial<ReadKey>

/** The columns that a key names. */
const namedBy = (read: Forgotten) =>
  (['caller', 'action', 'resource'] as const).flatMap((name) => {
    const value = read[name]
    return value === undefined ? [] : [[name, value] as const]
  })

/** Whether anything is confirmed that `forgetReads` would delete. */
export async function hasReads(db: Reader, read: Forgotten): Promise<boolean> {
  let query = db.selectFrom('geo_confirmed_reads').select('caller').limit(1)
  for (const [name, value] of namedBy(read)) query = query.where(name, '=', value)
  return (await query.executeTakeFirst()) !== undefined
}

/** Forgets one confirmation, or all of a caller. */
export async function forgetReads(tx: Tx, read: Forgotten): Promise<void> {
  let query = tx.deleteFrom('geo_confirmed_reads')
  for (const [name, value] of namedBy(read)) query = query.where(name, '=', value)
  await query.execute()
}

/** Deletes what was confirmed outside of a period, and the oldest beyond a number. */
export async function pruneReads(tx: Tx, { since, until }: Period, most: number): Promise<void> {
  await tx
    .deleteFrom('geo_confirmed_reads')
    .where((eb) => eb.or([eb('confirmed_at', '<', since), eb('confirmed_at', '>', until)]))
    .execute()
  const oldest = await tx
    .selectFrom('geo_confirmed_reads')
    .select('confirmed_at')
    .orderBy('confirmed_at', 'desc')
    .offset(most)
    .limit(1)
    .executeTakeFirst()
  if (oldest) await tx.deleteFrom('geo_confirmed_reads').where('confirmed_at', '<=', oldest.confirmed_at).execute()
}
