import { now, type Tx } from '../../../infra/database/index.ts'
import { enqueue, enqueueAll, type Job, type Platform } from '../../../platform/index.ts'
import { isFeatureOn } from '../../features/index.ts'
import { openSecrets } from '../core/secrets.ts'
import { hookById, secretsOf } from '../core/store.ts'
import { completed } from '../payloads/completion.ts'
import type { WebHookRow } from '../tables.ts'
import { attempt } from './attempt.ts'
import { isExecutable, longestPauseMs } from './failures.ts'
import { countOutcome, loggedColumns } from './record.ts'
import * as store from './store.ts'

/** Longer than a request to a receiver; it is extended after each. */
const leaseMs = 120_000
/** After so many requests, other hooks are served first. */
const mostAtOnce = 20

const leaseEnd = ({ clock }: Platform) => new Date(clock.now().getTime() + leaseMs).toISOString()

type StoredPayload = Pick<store.FullDelivery, 'event_id' | 'payload' | 'completions'>

/** The payload with what git adds to it, which is stored for the other hooks. */
async function completePayload(platform: Platform, { event_id, payload, completions }: StoredPayload): Promise<string> {
  if (completions === null) return payload
  const complete = await completed(platform, payload, completions)
  await platform.database.write((tx) => store.completeEvent(tx, event_id, complete))
  return complete
}

/** The payload of a stored event, as JSON text; null when the event is gone. */
export async function payloadOfEvent(platform: Platform, eventId: number): Promise<string | null> {
  const event = await store.eventById(platform.database.read, eventId)
  return event && completePayload(platform, { ...event, event_id: eventId })
}

/** Sends one delivery and records what came of it. @returns whether the job still sends for this hook */
async function deliver(platform: Platform, hook: WebHookRow, jobId: number, delivery: store.FullDelivery) {
  const { database } = platform
  const secrets = await openSecrets(platform, await secretsOf(database.read, [hook.id]))
  const { uuid, header, idempotency_key: idempotencyKey } = delivery
  const payload = await completePayload(platform, delivery)
  const made = await attempt(platform, { hook, secrets, event: { uuid, header, payload }, idempotencyKey })
  return database.write(async (tx) => {
    if (!(await store.keepLease(tx, hook.id, jobId, leaseEnd(platform)))) return false
    await store.finishDelivery(tx, delivery.id, loggedColumns(made))
    await countOutcome(platform, tx, hook.id, made)
    return true
  })
}

/** Sends pending deliveries of a hook in their order. When the hook was disabled meanwhile they are dropped. */
async function drain(platform: Platform, hookId: number, jobId: number, signal: AbortSignal): Promise<void> {
  const { database, clock } = platform
  for (let count = 0; count < mostAtOnce; count += 1) {
    signal.throwIfAborted()
    const delivery = await store.nextDelivery(database.read, hookId)
    if (!delivery) return
    const hook = await hookById(database.read, hookId)
    if (!hook) return
    if (!isExecutable(hook, clock.now())) return database.write((tx) => store.dropPending(tx, hookId))
    if (!(await deliver(platform, hook, jobId, delivery))) return
  }
}

/** Whether webhooks of the project or group of a hook are sent now. */
async function isSending(platform: Platform, hookId: number): Promise<boolean> {
  const hook = await hookById(platform.database.read, hookId)
  const about = { projectId: hook?.project_id ?? null, groupId: hook?.namespace_id ?? null }
  return isFeatureOn(platform, 'web_hook_worker', about)
}

/**
 * Sends the pending deliveries of a hook, one after another (contract 21 R7). Each event has such a job; the first one sends
 * for all, the others find the hook taken and end. After the lease has ended it is looked again whether a delivery is pending:
 * there were more than are sent at once, or the job of one that came meanwhile has ended because of the lease.
 */
export const deliverJob: Job<{ hookId: number }> = {
  kind: 'web_hooks.deliver',
  queue: 'web_hooks',
  // They wait for receivers, and a few that hang must not hold up the others.
  slots: 16,
  async run(platform, { hookId }, { jobId, signal }) {
    const { database, clock } = platform
    if (!(await store.hasPending(database.read, hookId))) return
    // While it is off, the events stay, and the hook is found by the job that looks for forgotten ones.
    if (!(await isSending(platform, hookId))) return
    const taken = await database.write((tx) => store.takeLease(tx, hookId, jobId, now(clock), leaseEnd(platform)))
    if (!taken) return
    await drain(platform, hookId, jobId, signal)
    await database.write((tx) => store.endLease(tx, hookId, jobId))
    if (!(await store.hasPending(database.read, hookId))) return
    await database.write((tx) => enqueue(platform, tx, deliverJob, { hookId }))
  },
}

/** Has the pending deliveries of hooks sent. */
export async function deliverTo(platform: Platform, tx: Tx, hookIds: readonly number[]): Promise<void> {
  await enqueueAll(
    platform,
    tx,
    deliverJob,
    hookIds.map((hookId) => ({ hookId })),
  )
}

const mostForgotten = 500

/** Finds hooks whose job was lost, such as by a process that died in each of its attempts. */
export const resumeJob: Job<null> = {
  kind: 'web_hooks.resume',
  every: { seconds: 300 },
  times: [
    { table: 'web_hooks', column: 'disabled_until', longestMs: longestPauseMs },
    { table: 'web_hooks', column: 'lease_until', longestMs: leaseMs },
  ],
  async run(platform) {
    const { database, clock } = platform
    const hooks = await store.forgottenHooks(database.read, now(clock), mostForgotten)
    await database.write((tx) =>
      deliverTo(
        platform,
        tx,
        hooks.map(({ id }) => id),
      ),
    )
  },
}

const retentionMs = 7 * 86_400_000
const portion = 1_000

/** Deletes deliveries after a week (contract 21, x.project_hooks_events). */
export const pruneJob: Job<null> = {
  kind: 'web_hooks.prune',
  every: { seconds: 3_600 },
  async run(platform, _payload, { signal }) {
    const { database, clock } = platform
    // Events that wait must not be lost.
    if (!(await isFeatureOn(platform, 'web_hook_worker'))) return
    const before = new Date(clock.now().getTime() - retentionMs).toISOString()
    let deleted = portion
    while (deleted === portion && !signal.aborted) {
      deleted = await database.write((tx) => store.deleteEvents(tx, before, portion))
    }
  },
}
