import { randomUUID } from 'node:crypto'
import { jsonText, now, portionsOf, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { deliverTo } from '../delivery/deliver.ts'
import type { Completion } from '../tables.ts'
import { systemHeader, type TriggerName, triggers } from '../triggers.ts'
import type { FollowedPlace } from './followers.ts'
import { asksFor, type CalledHook, calledHooks, insertDeliveries, insertEvent, type Place } from './store.ts'

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

/** Who is sent an event: hooks, and whether receivers that are no hooks may want it. */
export type Called = { hooks: readonly CalledHook[]; isFollowed: boolean }

export const callsNone = ({ hooks, isFollowed }: Called) => hooks.length === 0 && !isFollowed

const ofInstance = ({ project_id, namespace_id }: CalledHook) => project_id === null && namespace_id === null

/** Whether receivers that are no hooks may want one of these events, in one query. */
export function isFollowed(platform: Platform, db: Reader, names: readonly TriggerName[], place: FollowedPlace) {
  return platform.ports['hooks.is_followed'](platform, db, names, place)
}

async function calledFor(platform: Platform, db: Reader, names: readonly TriggerName[], place: Place): Promise<Called> {
  const { projectId } = place
  return {
    hooks: await calledHooks(db, names, place, now(platform.clock)),
    isFollowed: projectId !== 0 && (await isFollowed(platform, db, names, { projectId })),
  }
}

/** Whom an occasion calls, in a query for hooks and one for others. */
export function receiversFor(platform: Platform, db: Reader, { trigger, projectId = 0, namespaceId = 0 }: Occasion) {
  return calledFor(platform, db, [trigger], { projectId, namespaceId })
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

async function send(platform: Platform, tx: Tx, event_id: number, hooks: readonly CalledHook[]): Promise<void> {
  const created_at = now(platform.clock)
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

/** An event, of which it is known in which project it happened. */
type Fired = { trigger: TriggerName; projectId: number; payloads: Payloads }

/** Sends an event to these receivers, after the transaction. */
export async function fireTo(
  platform: Platform,
  tx: Tx,
  { hooks, isFollowed }: Called,
  { trigger, projectId, payloads }: Fired,
): Promise<void> {
  const { header, logged: trigger_name } = triggers[trigger]
  const uuid = randomUUID()
  const { completions = [] } = payloads
  const called = payloads.accepts ? hooks.filter(payloads.accepts) : hooks
  const [system, own] = [called.filter(ofInstance), called.filter((hook) => !ofInstance(hook))]
  const payload = own.length > 0 || isFollowed ? await payloads.own?.() : null
  if (payload) {
    let stored: Promise<number> | null = null
    const store = () => {
      stored ??= storeEvent(platform, tx, { uuid, header, trigger_name }, payload, completions)
      return stored
    }
    if (own.length > 0) await send(platform, tx, await store(), own)
    if (isFollowed) await platform.ports['hooks.follow'](platform, tx, { trigger, projectId, payload }, store)
  }
  if (system.length > 0) {
    const payload = await (payloads.system ?? payloads.own)?.()
    if (!payload) return
    const id = await storeEvent(platform, tx, { uuid, header: systemHeader, trigger_name }, payload, completions)
    await send(platform, tx, id, system)
  }
}

/** Sends an event to those who ask for it, after the transaction. Costs two queries when there is none. */
export async function fire(platform: Platform, tx: Tx, occasion: Occasion, payloads: Payloads): Promise<void> {
  const called = await receiversFor(platform, tx, occasion)
  const { trigger, projectId = 0 } = occasion
  if (!callsNone(called)) await fireTo(platform, tx, called, { trigger, projectId, payloads })
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
  const called = await calledFor(platform, tx, names, { projectId, namespaceId: 0 })
  const chosen = callsNone(called) ? null : await choose()
  if (!chosen) return
  const hooks = called.hooks.filter((hook) => asksFor(hook, chosen.trigger))
  await fireTo(platform, tx, { ...called, hooks }, { ...chosen, projectId })
}
