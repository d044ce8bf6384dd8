import { anything, forms, type Page, type PageRequest, recordNotFound, type Static, Type } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { requireHook } from '../core/hooks.ts'
import type { HookOwner } from '../core/owner.ts'
import { openSecrets } from '../core/secrets.ts'
import { secretsOf } from '../core/store.ts'
import { type Attempt, attempt } from '../delivery/attempt.ts'
import { countOutcome, loggedColumns } from '../delivery/record.ts'
import { insertDeliveries, insertEvent } from '../firing/store.ts'
import type { WebHookEventRow, WebHookRow } from '../tables.ts'
import type { StatusFilter } from './params.ts'
import { deliveryOf, isStillThere, type LoggedDelivery, pageOfDeliveries } from './store.ts'

const headers = Type.Record(Type.String(), Type.String())

/** A request to a hook (contract 21, x.project_hooks_events). */
export const HookDelivery = Type.Object(
  {
    id: forms.id,
    url: Type.String(),
    trigger: Type.String(),
    request_headers: headers,
    request_data: anything,
    response_headers: headers,
    response_body: Type.String(),
    execution_duration: Type.Unsafe<number>({ type: 'number', description: 'In seconds.' } as never),
    response_status: Type.String(),
  },
  { title: 'HookDelivery' },
)

function present(row: LoggedDelivery): Static<typeof HookDelivery> {
  return {
    id: row.id,
    url: row.url ?? '',
    trigger: row.trigger_name,
    request_headers: row.request_headers ?? {},
    request_data: row.shown === null ? { oversize: true } : (JSON.parse(row.shown) as unknown),
    response_headers: row.response_headers ?? {},
    response_body: row.response_body ?? '',
    execution_duration: row.execution_duration ?? 0,
    response_status: row.response_status ?? '',
  }
}

/** A page of the requests to a hook of the last week, the newest first (contract 21, x.project_hooks_events). */
export async function listDeliveries(
  { database }: Platform,
  owner: HookOwner,
  hookId: number,
  status: StatusFilter | undefined,
  page: PageRequest,
): Promise<Page<Static<typeof HookDelivery>>> {
  const { id } = await requireHook(database.read, owner, hookId)
  const found = await pageOfDeliveries(database.read, id, status, page)
  return { ...found, items: found.items.map(present) }
}

type Event = Omit<WebHookEventRow, 'id' | 'created_at' | 'completions'>

/**
 * Sends an event to a hook now, even to a disabled one, and records it (contract 21, x.project_hooks_test and _resend).
 * @param stored the event of an earlier request; null: a new one
 */
export async function sendNow(
  platform: Platform,
  hook: WebHookRow,
  event: Event,
  idempotencyKey: string,
  stored: number | null,
): Promise<Attempt> {
  const { database, clock } = platform
  const secrets = await openSecrets(platform, await secretsOf(database.read, [hook.id]))
  const made = await attempt(platform, { hook, secrets, event, idempotencyKey })
  await database.write(async (tx) => {
    if (!(await isStillThere(tx, hook.id, stored))) return
    const created_at = now(clock)
    const event_id = stored ?? (await insertEvent(tx, { ...event, completions: null, created_at }))
    const delivery = { web_hook_id: hook.id, event_id, idempotency_key: idempotencyKey, created_at }
    await insertDeliveries(tx, [{ ...delivery, ...loggedColumns(made) }])
    await countOutcome(platform, tx, hook.id, made)
  })
  return made
}

/** Sends an event of the log again (contract 21, x.project_hooks_resend). @throws ApiError 404 */
export async function resend(platform: Platform, owner: HookOwner, hookId: number, id: number): Promise<Attempt> {
  const { database } = platform
  const hook = await requireHook(database.read, owner, hookId)
  const found = await deliveryOf(database.read, hookId, id)
  if (!found) throw recordNotFound()
  const { event_id, idempotency_key, ...event } = found
  return sendNow(platform, hook, event, idempotency_key, event_id)
}
