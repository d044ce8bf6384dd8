import { type ExpressionBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfIds } from '../../../api/index.ts'
import { locked, type Reader, type Tables, type Tx, within } from '../../../infra/database/index.ts'
import type { DeliveryRow } from '../tables.ts'
import type { StatusFilter } from './params.ts'

/** Longer payloads are not shown, so that a page stays small. In characters. */
const longestShown = 262_144

const shown = sql<string | null>`case when length(event.payload) <= ${sql.lit(longestShown)} then event.payload end`

export type LoggedDelivery = DeliveryRow & { trigger_name: string; shown: string | null }

type Delivery = ExpressionBuilder<{ delivery: Tables['web_hook_deliveries'] }, 'delivery'>

const codes = { successful: [200, 299], client_failure: [400, 499], server_failure: [500, 599] } as const

const hasStatus = (status: StatusFilter) => (eb: Delivery) => {
  if (typeof status === 'number') return eb('delivery.response_code', '=', status)
  const [first, last] = codes[status]
  const among = eb.and([eb('delivery.response_code', '>=', first), eb('delivery.response_code', '<=', last)])
  // A request without a response is logged as `internal error`.
  return status === 'server_failure' ? eb.or([among, eb('delivery.response_code', 'is', null)]) : among
}

/** A page of the requests to a hook, the newest first. */
export async function pageOfDeliveries(
  db: Reader,
  hookId: number,
  status: StatusFilter | undefined,
  page: PageRequest,
): Promise<Page<LoggedDelivery>> {
  const query = db
    .selectFrom('web_hook_deliveries as delivery')
    .select('delivery.id')
    .where('delivery.web_hook_id', '=', hookId)
    .where('delivery.is_pending', '=', false)
  const found = status === undefined ? query : query.where((eb) => hasStatus(status)(eb as unknown as Delivery))
  return pageOfIds(db, found.orderBy('delivery.id', 'desc'), page, (ids) => deliveriesByIds(db, ids))
}

async function deliveriesByIds(db: Reader, ids: readonly number[]): Promise<Map<number, LoggedDelivery>> {
  const rows = await db
    .selectFrom('web_hook_deliveries as delivery')
    .innerJoin('web_hook_events as event', 'event.id', 'delivery.event_id')
    .selectAll('delivery')
    .select(['event.trigger_name', shown.as('shown')])
    .where(within(db, 'delivery.id', ids))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** A request to a hook with what was sent. */
export async function deliveryOf(db: Reader, hookId: number, id: number) {
  return (
    (await db
      .selectFrom('web_hook_deliveries as delivery')
      .innerJoin('web_hook_events as event', 'event.id', 'delivery.event_id')
      .select(['delivery.event_id', 'delivery.idempotency_key'])
      .select(['event.uuid', 'event.trigger_name', 'event.header', 'event.payload'])
      .where('delivery.web_hook_id', '=', hookId)
      .where('delivery.is_pending', '=', false)
      .where('delivery.id', '=', id)
      .executeTakeFirst()) ?? null
  )
}

/** The hook, unless it was deleted meanwhile; it stays until the transaction ends. */
export async function isStillThere(tx: Tx, hookId: number, eventId: number | null): Promise<boolean> {
  const hooks = tx.selectFrom('web_hooks').select('id').where('id', '=', hookId)
  const hook = await locked(tx, hooks, 'share').executeTakeFirst()
  if (!hook || eventId === null) return hook !== undefined
  const events = tx.selectFrom('web_hook_events').select('id').where('id', '=', eventId)
  return (await locked(tx, events, 'share').executeTakeFirst()) !== undefined
}
