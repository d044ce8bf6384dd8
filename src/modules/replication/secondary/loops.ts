import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { pruneConfirmations } from '../memory/confirmations.ts'
import * as memory from '../memory/store.ts'
import { PrimaryRefusal, PrimaryUnreachable } from './client.ts'
import { applyEvents, type Cursor, cursorName, type EventsAnswer } from './events.ts'
import { reconcile, scopeKey } from './reconcile.ts'
import { flushRequestCounts } from './requests.ts'
import { type Configuration, configurationName, pause, type Secondary, secondaryOf } from './state.ts'
import { reportStatus } from './status.ts'
import * as store from './store.ts'
import { startWork } from './work.ts'

/** The log is asked with this patience; the primary answers as soon as something happens. */
const waitSeconds = 25
const workMs = 1000
const scopeName = 'scope'

/** Notes whether the primary answers, and whether it knows this node. */
function noteContact(secondary: Secondary, error: unknown): void {
  if (error instanceof PrimaryUnreachable) secondary.unreachable = error.message
  else if (error === null || error instanceof PrimaryRefusal) {
    secondary.unreachable = null
    secondary.isUnregistered = error instanceof PrimaryRefusal && error.status === 401
  }
}

/** Runs a step again and again. Its failure is noted, and does not end the loop. */
async function repeat(
  platform: Platform,
  secondary: Secondary,
  name: string,
  step: () => Promise<number>,
): Promise<void> {
  while (!secondary.signal.aborted) {
    let waitMs = platform.config.geo.pollMs
    try {
      waitMs = await step()
    } catch (error) {
      if (secondary.signal.aborted) return
      noteContact(secondary, error)
      const isExpected = error instanceof PrimaryUnreachable || error instanceof PrimaryRefusal
      platform.log[isExpected ? 'warn' : 'error']({ err: error, loop: name }, 'a step of the replication failed')
    }
    if (waitMs > 0) await pause(platform, secondary, name, waitMs)
  }
}

/** Reads the own record (step 1 of contract 15, "Loop of the secondary"). */
async function poll(platform: Platform, secondary: Secondary): Promise<number> {
  const { client, signal } = secondary
  const answer = await client.get<Configuration>('/geo/node', { signal })
  noteContact(secondary, null)
  const isNew = JSON.stringify(secondary.configuration?.node) !== JSON.stringify(answer.node)
  secondary.configuration = answer
  await platform.database.write((tx) => memory.remember(tx, configurationName, answer))
  if (isNew) {
    secondary.wakeWork()
    secondary.pauses.get('events')?.()
    secondary.endWaiting()
  }
  return platform.config.geo.pollMs
}

const leftoverMs = 86_400_000

/** Deletes what transfers of ended processes have left behind. */
async function removeLeftovers({ objects, git, config, clock }: Platform): Promise<void> {
  await objects.removeAbandoned(leftoverMs)
  for (const storage of Object.keys(config.storages)) {
    await git.sweep(storage, { olderThanMs: leftoverMs, now: clock.now() })
  }
}

const times = new WeakMap<Secondary, { reconciledAtMs: number }>()

/** Compares with everything that the primary has: at first, when the scope has changed, when the log is gone, and by the clock. */
async function reconcileWhenDue(platform: Platform, secondary: Secondary, configuration: Configuration): Promise<void> {
  const { database, clock, config } = platform
  const cursor = await memory.remembered<Cursor>(database.read, cursorName)
  const isSameScope = (await memory.remembered<string>(database.read, scopeName)) === scopeKey(configuration)
  const nowMs = clock.now().getTime()
  const isRecent = nowMs - (times.get(secondary)?.reconciledAtMs ?? 0) < config.geo.reconcileMs
  if (cursor && isSameScope && isRecent) return
  // Events since then are applied again afterwards, so nothing is missed.
  const { last_event_id: newest } = await secondary.client.get<Configuration>('/geo/node', { signal: secondary.signal })
  await reconcile(platform, secondary)
  await database.write(async (tx) => {
    await memory.remember(tx, scopeName, scopeKey(configuration))
    if (!cursor) await memory.remember(tx, cursorName, { id: newest, at: now(clock) } satisfies Cursor)
  })
  await removeLeftovers(platform)
  times.set(secondary, { reconciledAtMs: nowMs })
  secondary.wakeWork()
}

/** Reads and applies events (steps 2 and 3). */
async function follow(platform: Platform, secondary: Secondary): Promise<number> {
  const { configuration, client, signal } = secondary
  const { database, config } = platform
  if (!configuration?.node.enabled) return config.geo.pollMs
  await reconcileWhenDue(platform, secondary, configuration)
  const cursor = await memory.remembered<Cursor>(database.read, cursorName)
  if (!cursor) return config.geo.pollMs
  const wait = Math.min(waitSeconds, Math.ceil(config.geo.reconcileMs / 1000))
  const waiting = new AbortController()
  secondary.endWaiting = () => waiting.abort()
  const options = { signal: AbortSignal.any([signal, waiting.signal]) }
  try {
    const answer = await client.get<EventsAnswer>(`/geo/events?after=${cursor.id}&wait=${wait}`, options)
    noteContact(secondary, null)
    await applyEvents(platform, secondary, answer)
    if (answer.events.length > 0) secondary.wakeWork()
    return 0
  } catch (error) {
    if (waiting.signal.aborted) return 0
    if (!(error instanceof PrimaryRefusal) || error.status !== 410) throw error
    await database.write((tx) => memory.forget(tx, cursorName))
    return 0
  }
}

/** Starts transfers and verifications (step 4); what ends wakes the loop. */
async function work(platform: Platform, secondary: Secondary): Promise<number> {
  const hadWork = await store.hasWork(platform.database.read)
  await startWork(platform, secondary)
  if (hadWork && !(await store.hasWork(platform.database.read))) secondary.wakeStatus()
  return Math.min(workMs, platform.config.geo.retryBaseMs)
}

/** Reports the status (step 5). */
async function report(platform: Platform, secondary: Secondary): Promise<number> {
  await flushRequestCounts(platform)
  await pruneConfirmations(platform)
  await reportStatus(platform, secondary)
  return platform.config.geo.statusMs
}

/** Starts the loops of a secondary (contract 15, "Loop of the secondary"). */
export async function startSecondary(platform: Platform): Promise<{ stop(): Promise<void> }> {
  const { database } = platform
  const secondary = secondaryOf(platform)
  await database.write((tx) => store.resetStarted(tx))
  secondary.configuration = await memory.remembered<Configuration>(database.read, configurationName)
  const steps = { poll, events: follow, work, status: report }
  const loops = Object.entries(steps).map(([name, step]) =>
    repeat(platform, secondary, name, () => step(platform, secondary)),
  )
  return {
    async stop() {
      secondary.stop()
      await Promise.all(loops)
      await Promise.all(Object.values(secondary.running).flatMap((running) => [...running]))
    },
  }
}
