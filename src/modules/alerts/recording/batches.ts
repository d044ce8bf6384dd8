import { setImmediate as nextTurn } from 'node:timers/promises'
import { notFound } from '../../../api/index.ts'
import { now, portionsOf, type Tx } from '../../../infra/database/index.ts'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import type { Occurrence } from '../payloads/occurrence.ts'
import { type Recorded, recordOccurrences } from './record.ts'
import { holdReceiving } from './store.ts'

/** Occurrences of one delivery that wait to be recorded. */
type Waiting = {
  projectId: number
  integrationId: number
  occurrences: readonly Occurrence[]
  resolve(recorded: Recorded[]): void
  reject(error: unknown): void
}

/** What deliveries wait for; one transaction at a time records many of them, since each waits for the disk. */
type Queue = { waiting: Waiting[]; isRunning: boolean }

const queueOf = perPlatform<Queue>(() => ({ waiting: [], isRunning: false }))

/** Occurrences in one transaction, about. */
const largestBatch = 500

/** Takes deliveries from the front until the batch is full. */
function take(queue: Queue): Waiting[] {
  let size = 0
  let count = 0
  for (const { occurrences } of queue.waiting) {
    if (count > 0 && size + occurrences.length > largestBatch) break
    size += occurrences.length
    count += 1
  }
  return queue.waiting.splice(0, count)
}

/** Records deliveries in one transaction. @returns the alerts of each; null when its integration was deleted meanwhile */
async function recordBatch(platform: Platform, tx: Tx, batch: readonly Waiting[]): Promise<(Recorded[] | null)[]> {
  const ids = new Set(batch.map(({ integrationId }) => integrationId))
  const there = await holdReceiving(tx, [...ids], now(platform.clock))
  const accepted = batch.filter(({ integrationId }) => there.has(integrationId))
  const results = new Map<Waiting, Recorded[]>()
  const byProject = [...Map.groupBy(accepted, ({ projectId }) => projectId)].sort(([a], [b]) => a - b)
  for (const [projectId, deliveries] of byProject) {
    const received = deliveries.flatMap(({ occurrences, integrationId }) =>
      occurrences.map((occurrence) => ({ occurrence, integrationId })),
    )
    const recorded = await recordOccurrences(platform, tx, projectId, received)
    for (const delivery of deliveries) results.set(delivery, recorded.splice(0, delivery.occurrences.length))
  }
  return batch.map((delivery) => results.get(delivery) ?? null)
}

async function attempt(platform: Platform, batch: readonly Waiting[]): Promise<void> {
  const results = await platform.database.write((tx) => recordBatch(platform, tx, batch))
  for (const [index, { resolve, reject }] of batch.entries()) {
    const recorded = results[index]
    if (recorded) resolve(recorded)
    else reject(notFound())
  }
}

/** Records a batch. When that fails, each delivery is tried alone, so that none fails because of another. */
async function settle(platform: Platform, batch: readonly Waiting[]): Promise<void> {
  try {
    await attempt(platform, batch)
  } catch (error) {
    const [only, ...others] = batch
    if (others.length === 0) only?.reject(error)
    else for (const delivery of batch) await settle(platform, [delivery])
  }
}

/**
 * Waits while deliveries that have arrived already are read. A transaction on SQLite blocks the event loop: without a turn
 * of it, the next transaction would find one delivery only.
 */
async function gather(queue: Queue): Promise<void> {
  for (let before = 0; before < queue.waiting.length && before < largestBatch; ) {
    before = queue.waiting.length
    await nextTurn()
  }
}

async function work(platform: Platform, queue: Queue): Promise<void> {
  queue.isRunning = true
  while (queue.waiting.length > 0) {
    await gather(queue)
    await settle(platform, take(queue))
  }
  queue.isRunning = false
}

/** The alerts of a delivery, each once. */
const unique = (recorded: readonly Recorded[]) => [...new Map(recorded.map((alert) => [alert.iid, alert])).values()]

/**
 * Records the occurrences of a delivery together with those of others, and returns when they are stored.
 * @returns each alert once, in the order of the payload
 * @throws ApiError 404 when the integration was deleted meanwhile
 */
export async function recordDelivery(
  platform: Platform,
  integration: { id: number; project_id: number },
  occurrences: readonly Occurrence[],
): Promise<Recorded[]> {
  const queue = queueOf(platform)
  const delivery = { projectId: integration.project_id, integrationId: integration.id }
  // Without occurrences, that something was received is recorded.
  const parts = occurrences.length === 0 ? [[]] : [...portionsOf(occurrences, largestBatch)]
  const stored = parts.map(
    (part) =>
      new Promise<Recorded[]>((resolve, reject) => {
        queue.waiting.push({ ...delivery, occurrences: part, resolve, reject })
      }),
  )
  if (!queue.isRunning) void work(platform, queue)
  return unique((await Promise.all(stored)).flat())
}
