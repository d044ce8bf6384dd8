import { randomUUID } from 'node:crypto'
import { jsonText, now, portionsOf, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { deliverTo } from '../delivery/deliver.ts'
import type { Completion } from '../tables.ts'
import { systemHeader, type TriggerName, triggers } from '../triggers.ts'
import { asksFor, type CalledHook, calledHooks, insertDeliveries, insertEvent } from './store.ts'

/** Something that happened, for which hooks may ask. */
export type Occasion = {
  trigger: TriggerName
  projectId?: number
  /** The group, for what is not in a project. */
  namespaceId?: number
}

/** Builds what is sent, only when a hook asks for it. Null: nothing is sent. */
export type Payloads = {
  /** For hooks of the project and of groups. */
  own?: () => Promise<object | null>
  /** The commits that the payload shows. */
  completions?: readonly Completion[]
  /** For hooks of the instance; the same as `own` by default. */
  system?: () => Promise<object | null>
  /** Whether a hook wants this one. */
  accepts?: (hook: CalledHook) => boolean
}

const ofInstance = ({ project_id, namespace_id }: CalledHook) => project_id === null && namespace_id === null

/** The hooks that an occasion calls, in one query. */
export function hooksFor({ clock }: Platform, db: Reader, { trigger, projectId = 0, namespaceId = 0 }: Occasion) {
  return calledHooks(db, [trigger], { projectId, namespaceId }, now(clock))
}

const mostAtOnce = 200

type NewEvent = { uuid: string; header: string; trigger_name: string }

/** Stores an event with its payload. @returns its id */
export async function storeEvent(
  { clock }: Platform,
  tx: Tx,
  event: NewEvent,
  payload: object,
  completions: readonly Completion[],
): Promise<number> {
  // PostgreSQL stores text without the character.
  const text = JSON.stringify(payload).replaceAll('\\u0000', '\\ufffd')
  const wanted = completions.length > 0 ? jsonText(completions) : null
  return insertEvent(tx, { ...event, payload: text, completions: wanted, created_at: now(clock) })
}

async function send(
  platform: Platform,
  tx: Tx,
  event: NewEvent,
  payload: object,
  hooks: readonly CalledHook[],
  completions: readonly Completion[],
): Promise<void> {
  const created_at = now(platform.clock)
  const event_id = await storeEvent(platform, tx, event, payload, completions)
  for (const some of portionsOf(hooks, mostAtOnce)) {
    const rows = some.map(({ id: web_hook_id }) => {
      return { web_hook_id, event_id, idempotency_key: randomUUID(), is_pending: true, created_at }
    })
    await insertDeliveries(tx, rows)
    await deliverTo(
      platform,
      tx,
      some.map(({ id }) => id),
    )
  }
}

/** Sends an event to these hooks, after the transaction. */
export async function fireTo(
  platform: Platform,
  tx: Tx,
  hooks: readonly CalledHook[],
  trigger: TriggerName,
  payloads: Payloads,
): Promise<void> {
  const { header, logged: trigger_name } = triggers[trigger]
  const uuid = randomUUID()
  const { completions = [] } = payloads
  const called = payloads.accepts ? hooks.filter(payloads.accepts) : hooks
  const [system, own] = [called.filter(ofInstance), called.filter((hook) => !ofInstance(hook))]
  if (own.length > 0) {
    const payload = await payloads.own?.()
    if (payload) await send(platform, tx, { uuid, header, trigger_name }, payload, own, completions)
  }
  if (system.length > 0) {
    const payload = await (payloads.system ?? payloads.own)?.()
    if (payload) await send(platform, tx, { uuid, header: systemHeader, trigger_name }, payload, system, completions)
  }
}

/** Sends an event to the hooks that ask for it, after the transaction. Costs one query when there is none. */
export async function fire(platform: Platform, tx: Tx, occasion: Occasion, payloads: Payloads): Promise<void> {
  const hooks = await hooksFor(platform, tx, occasion)
  if (hooks.length > 0) await fireTo(platform, tx, hooks, occasion.trigger, payloads)
}

/**
 * The same where only the data say which of several kinds of events it is: of comments, those on confidential issues.
 * @param choose null: nothing is sent
 */
export async function fireOneOf(
  platform: Platform,
  tx: Tx,
  names: readonly TriggerName[],
  projectId: number,
  choose: () => Promise<{ trigger: TriggerName; payloads: Payloads } | null>,
): Promise<void> {
  const hooks = await calledHooks(tx, names, { projectId, namespaceId: 0 }, now(platform.clock))
  const chosen = hooks.length > 0 ? await choose() : null
  if (!chosen) return
  const { trigger, payloads } = chosen
  const asking = hooks.filter((hook) => asksFor(hook, trigger))
  await fireTo(platform, tx, asking, trigger, payloads)
}
