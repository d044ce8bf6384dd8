import { sql } from 'kysely'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { DeliveryChanges, DeliveryRow, WebHookEventRow, WebHookRow } from '../tables.ts'

/** A delivery with what is sent. */
export type FullDelivery = DeliveryRow & Pick<WebHookEventRow, 'uuid' | 'header' | 'payload' | 'completions'>

/**
 * Makes a job the one that sends the deliveries of a hook, unless another one does. A job that runs again after its process
 * died is the same one.
 * @returns whether it is
 */
export async function takeLease(
  tx: Tx,
  hookId: number,
  jobId: number,
  moment: string,
  until: string,
): Promise<boolean> {
  const query = tx.updateTable('web_hooks').set({ lease_job_id: jobId, lease_until: until }).where('id', '=', hookId)
  const isFree = sql<boolean>`(lease_job_id is null or lease_job_id = ${jobId} or lease_until <= ${moment})`
  const { numUpdatedRows } = await query.where(isFree).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Extends the lease. @returns whether the job still has it */
export async function keepLease(tx: Tx, hookId: number, jobId: number, until: string): Promise<boolean> {
  const query = tx.updateTable('web_hooks').set({ lease_until: until }).where('id', '=', hookId)
  const { numUpdatedRows } = await query.where('lease_job_id', '=', jobId).executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function endLease(tx: Tx, hookId: number, jobId: number): Promise<void> {
  const query = tx.updateTable('web_hooks').set({ lease_job_id: null, lease_until: null }).where('id', '=', hookId)
  await query.where('lease_job_id', '=', jobId).execute()
}

/** The oldest delivery of a hook that is pending. */
export async function nextDelivery(db: Reader, hookId: number): Promise<FullDelivery | null> {
  const query = db
    .selectFrom('web_hook_deliveries as delivery')
    .innerJoin('web_hook_events as event', 'event.id', 'delivery.event_id')
    .selectAll('delivery')
    .select(['event.uuid', 'event.header', 'event.payload', 'event.completions'])
    .where('delivery.web_hook_id', '=', hookId)
    .where('delivery.is_pending', '=', true)
  return (await query.orderBy('delivery.id').limit(1).executeTakeFirst()) ?? null
}

export async function eventById(db: Reader, id: number): Promise<WebHookEventRow | null> {
  return (await db.selectFrom('web_hook_events').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** Stores the complete payload of an event. */
export async function completeEvent(tx: Tx, id: number, payload: string): Promise<void> {
  await tx.updateTable('web_hook_events').set({ payload, completions: null }).where('id', '=', id).execute()
}

export async function hasPending(db: Reader, hookId: number): Promise<boolean> {
  const query = db.selectFrom('web_hook_deliveries').select('id').where('web_hook_id', '=', hookId)
  return (await query.where('is_pending', '=', true).limit(1).executeTakeFirst()) !== undefined
}

/** Drops what a hook that was disabled meanwhile is not sent any more. */
export async function dropPending(tx: Tx, hookId: number): Promise<void> {
  await tx.deleteFrom('web_hook_deliveries').where('web_hook_id', '=', hookId).where('is_pending', '=', true).execute()
}

export async function finishDelivery(tx: Tx, id: number, changes: DeliveryChanges): Promise<void> {
  await tx.updateTable('web_hook_deliveries').set(changes).where('id', '=', id).execute()
}

/** Counts a failure of a hook that exists, in the database, so that concurrent ones all count. @returns the failures in a row */
export async function countFailure(tx: Tx, hookId: number): Promise<number> {
  const query = tx.updateTable('web_hooks').set((eb) => ({ recent_failures: eb('recent_failures', '+', 1) }))
  const { recent_failures } = await query
    .where('id', '=', hookId)
    .returning('recent_failures')
    .executeTakeFirstOrThrow()
  return recent_failures
}

export async function disableUntil(tx: Tx, hookId: number, disabled_until: string | null): Promise<void> {
  await tx.updateTable('web_hooks').set({ disabled_until }).where('id', '=', hookId).execute()
}

/** Ends what failures have led to. */
export async function forgetFailures(tx: Tx, hookId: number): Promise<void> {
  const query = tx.updateTable('web_hooks').set({ recent_failures: 0, disabled_until: null }).where('id', '=', hookId)
  await query.where('recent_failures', '>', 0).execute()
}

/** Hooks with pending deliveries that no job sends. */
export async function forgottenHooks(db: Reader, moment: string, limit: number): Promise<Pick<WebHookRow, 'id'>[]> {
  return db
    .selectFrom('web_hooks')
    .select('id')
    .where(sql<boolean>`(lease_until is null or lease_until <= ${moment})`)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('web_hook_deliveries')
          .select('web_hook_deliveries.id')
          .whereRef('web_hook_deliveries.web_hook_id', '=', 'web_hooks.id')
          .where('is_pending', '=', true),
      ),
    )
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Deletes some events from before this time (ISO text), with their deliveries. @returns how many */
export async function deleteEvents(tx: Tx, before: string, limit: number): Promise<number> {
  const old = tx.selectFrom('web_hook_events').select('id').where('created_at', '<', before).limit(limit)
  const { numDeletedRows } = await tx.deleteFrom('web_hook_events').where('id', 'in', old).executeTakeFirst()
  return Number(numDeletedRows)
}
