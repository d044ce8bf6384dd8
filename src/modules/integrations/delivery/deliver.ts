import { createHash } from 'node:crypto'
import { now, type Reader, type Tx } from '../../../infra/database/index.ts'
import { sendOutbound } from '../../../infra/net/index.ts'
import { enqueue, type Job, type Platform, type Ports } from '../../../platform/index.ts'
import {
  type Happened,
  isExecutable,
  longestPauseMs,
  pausedUntil,
  payloadOfEvent,
  type TriggerName,
} from '../../hooks/index.ts'
import { outboundPolicy } from '../../projects/index.ts'
import { catalogue } from '../catalogue/catalogue.ts'
import { fieldsOf } from '../catalogue/entry.ts'
import { applied } from '../core/inheritance.ts'
import { openSecrets } from '../core/secrets.ts'
import { settingsAboveProject } from '../core/store.ts'
import { readAddress } from '../core/validation.ts'
import type { IntegrationRow } from '../tables.ts'
import { buildSenders } from './builds.ts'
import { chatSenders } from './chats.ts'
import { mailEvent } from './mails.ts'
import { messageOf } from './message.ts'
import type { EventPayload } from './payload.ts'
import type { Sending, Sent } from './sending.ts'
import * as store from './store.ts'
import { columnsOf, wants } from './wants.ts'

/** Of the answer nothing is used. */
const bodyBytes = 1024

/** The requests of an integration for an event; none where it does not send events of this kind. */
export function sendingsOf(slug: string, sent: Sent): readonly Sending[] {
  const [chat, build] = [chatSenders[slug], buildSenders[slug]]
  if (build) return build(sent)
  const message = chat ? messageOf(sent.trigger, sent.payload) : null
  return chat && message ? chat({ ...sent, message }) : []
}

/** Whether integrations may want an event of one of these kinds. */
export const isFollowed: Ports['hooks.is_followed'] = (_platform, db, names, place) =>
  store.isAsked(db, [...new Set(names.flatMap((name) => columnsOf[name] ?? []))], place)

/** The active settings that apply to a project. */
async function activeIn(db: Reader, projectId: number): Promise<IntegrationRow[]> {
  return applied(await settingsAboveProject(db, projectId), -1).filter(({ active }) => active)
}

const isSending = ({ clock }: Platform, row: IntegrationRow) => isExecutable(row, clock.now())

type Delivery = { projectId: number; slug: string; trigger: TriggerName; eventId: number; moment: string }

/** Enqueues a job for each integration that wants an event (contract 25, What a D row sends). */
export async function followEvent(
  platform: Platform,
  tx: Tx,
  { trigger, projectId, payload }: Happened,
  stored: () => Promise<number>,
): Promise<void> {
  for (const row of await activeIn(tx, projectId)) {
    const event = { trigger, projectId, payload: payload as EventPayload }
    if (!isSending(platform, row) || !(await wants(platform, row, event))) continue
    const delivery = { projectId, slug: row.slug, trigger, eventId: await stored(), moment: now(platform.clock) }
    await enqueue(platform, tx, deliverJob, delivery, { orderKey: `integrations:${row.id}` })
  }
}

/** The values of the fields, with those that are used while they are unset, and the secrets. */
function valuesOf({ slug, fields }: IntegrationRow, secrets: Readonly<Record<string, string>>): Sent['values'] {
  const entry = catalogue.get(slug)
  const defaults = Object.entries(entry ? fieldsOf(entry) : {}).map(([name, field]) => [name, field.default])
  return { ...Object.fromEntries(defaults), ...fields, ...secrets }
}

/** What went wrong, without the address, which may be secret. */
function reasonOf(error: unknown): string {
  const { name, code } = error as Error & { code?: string }
  return code ?? name
}

/** Sends a request. @returns null when it was accepted; else why it was not */
async function send(platform: Platform, values: Sent['values'], sending: Sending): Promise<string | null> {
  const { config, settings } = platform
  const url = readAddress(sending.url)
  if (!url) return 'invalid address'
  try {
    const { status } = await sendOutbound({
      ...{ url, method: sending.method, body: sending.body, policy: outboundPolicy(await settings.current()) },
      headers: { 'User-Agent': `GitLab/${config.version}`, ...sending.headers },
      ...{ timeoutMs: config.webhookTimeoutMs, maximumBytes: bodyBytes, cutsAnswer: true },
      verifiesCertificate: values.enable_ssl_verification !== false,
    })
    return status >= 200 && status < 300 ? null : String(status)
  } catch (error) {
    return reasonOf(error)
  }
}

/** Counts what came of a request: failures in a row pause the integration, a success ends it (contract 21 R7). */
async function countOutcome({ database, clock }: Platform, id: number, isAccepted: boolean): Promise<void> {
  await database.write(async (tx) => {
    if (isAccepted) return store.forgetFailures(tx, id)
    const failures = await store.countFailure(tx, id)
    if (failures !== null) await store.pauseUntil(tx, id, pausedUntil(failures, clock.now()))
  })
}

/** The same for each attempt to send an event to an integration. */
const keyOf = ({ id }: IntegrationRow, { eventId }: Delivery) =>
  createHash('sha256').update(`integrations:${id}:${eventId}`).digest('hex').slice(0, 32)

async function deliver(platform: Platform, row: IntegrationRow, delivery: Delivery, json: string): Promise<void> {
  const secrets = await openSecrets(platform, row)
  if (!secrets) return
  const { trigger, moment } = delivery
  const values = valuesOf(row, secrets)
  const payload = JSON.parse(json) as EventPayload
  const sent = { values, trigger, payload, json, key: keyOf(row, delivery), moment }
  if (catalogue.get(row.slug)?.does === 'mails') return mailEvent(platform, sent)
  for (const sending of sendingsOf(row.slug, sent)) {
    const refusal = await send(platform, values, sending)
    if (refusal !== null) {
      platform.log.info({ integration: row.id, slug: row.slug, reason: refusal }, 'an integration could not be reached')
    }
    await countOutcome(platform, row.id, refusal === null)
  }
}

/**
 * Sends an event to an integration, once. What applies to the project is looked up again: a setting that was changed or switched off
 * meanwhile, or a group that the project has left, is not sent it.
 */
export const deliverJob: Job<Delivery> = {
  kind: 'integrations.deliver',
  queue: 'integrations',
  // They wait for receivers, and a few that hang must not hold up the others.
  slots: 16,
  times: [{ table: 'integrations', column: 'disabled_until', longestMs: longestPauseMs }],
  async run(platform, delivery) {
    const { projectId, slug, trigger, eventId } = delivery
    const row = (await activeIn(platform.database.read, projectId)).find((one) => one.slug === slug)
    if (!row || !isSending(platform, row)) return
    const json = await payloadOfEvent(platform, eventId)
    if (json === null) return
    const event = { trigger, projectId, payload: JSON.parse(json) as EventPayload }
    if (await wants(platform, row, event)) await deliver(platform, row, delivery, json)
  },
}
