/** Which rows the queries of deliveries change and find. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Tx } from '../../../infra/database/index.ts'
import { freshDatabase } from '../../../testing/database.ts'
import { onPostgres } from '../../../testing/index.ts'
import { insertHook } from '../core/store.ts'
import { insertDeliveries, insertEvent } from '../firing/store.ts'
import type { WebHookChanges } from '../tables.ts'
import * as store from './store.ts'

const moment = '2026-03-01T12:00:00.000Z'
const later = '2026-03-01T12:02:00.000Z'

let database: Awaited<ReturnType<typeof freshDatabase>>
let event_id: number
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(() =>
  database.write(async (tx) => {
    await tx.deleteFrom('web_hooks').execute()
    await tx.deleteFrom('web_hook_events').execute()
    event_id = await eventOf(tx, moment)
  }),
)

function eventOf(tx: Tx, created_at: string): Promise<number> {
  const sent = { trigger_name: 'push_hooks', header: 'Push Hook', payload: '{}', completions: null }
  return insertEvent(tx, { uuid: randomUUID(), ...sent, created_at })
}

/** Creates a hook with deliveries, each of which is pending or not. */
async function hookWith(tx: Tx, changes: WebHookChanges, ...arePending: boolean[]): Promise<number> {
  const url = 'http://example.com/'
  const { id } = await insertHook(tx, { uuid: randomUUID(), url, created_at: moment, updated_at: moment, ...changes })
  const rows = arePending.map((is_pending, index) => {
    return { web_hook_id: id, event_id, idempotency_key: `${id}-${index}`, is_pending, created_at: moment }
  })
  if (rows.length > 0) await insertDeliveries(tx, rows)
  return id
}

async function stateOf(tx: Tx, id: number) {
  const columns = ['lease_job_id', 'lease_until', 'recent_failures', 'disabled_until'] as const
  const hook = await tx.selectFrom('web_hooks').select(columns).where('id', '=', id).executeTakeFirstOrThrow()
  const deliveries = tx.selectFrom('web_hook_deliveries').select('is_pending').where('web_hook_id', '=', id)
  return { ...hook, deliveries: (await deliveries.orderBy('id').execute()).map(({ is_pending }) => is_pending) }
}

const job = 7
const leased = { lease_job_id: job, lease_until: moment }
const state = { ...leased, recent_failures: 1, disabled_until: later, deliveries: [true, false] }

test.each<[name: string, change: (tx: Tx, id: number) => Promise<unknown>, changed: object]>([
  ['takeLease', (tx, id) => store.takeLease(tx, id, 8, moment, later), { lease_job_id: 8, lease_until: later }],
  ['keepLease', (tx, id) => store.keepLease(tx, id, job, later), { lease_until: later }],
  ['endLease', (tx, id) => store.endLease(tx, id, job), { lease_job_id: null, lease_until: null }],
  ['dropPending', (tx, id) => store.dropPending(tx, id), { deliveries: [false] }],
  ['countFailure', (tx, id) => store.countFailure(tx, id), { recent_failures: 2 }],
  ['disableUntil', (tx, id) => store.disableUntil(tx, id, moment), { disabled_until: moment }],
  ['forgetFailures', (tx, id) => store.forgetFailures(tx, id), { recent_failures: 0, disabled_until: null }],
])('%s changes one hook, not another in the same state', (_name, change, changed) =>
  database.write(async (tx) => {
    const { deliveries, ...changes } = state
    const [one, other] = [await hookWith(tx, changes, ...deliveries), await hookWith(tx, changes, ...deliveries)]
    await change(tx, one)
    expect(await stateOf(tx, one)).toEqual({ ...state, ...changed })
    expect(await stateOf(tx, other)).toEqual(state)
  }),
)

test('a job takes a lease that is over, and neither extends nor ends that of another one', () =>
  database.write(async (tx) => {
    const id = await hookWith(tx, { ...leased, lease_until: later })
    const before = await stateOf(tx, id)
    expect(await store.takeLease(tx, id, 8, moment, later)).toBe(false)
    expect(await store.keepLease(tx, id, 8, moment)).toBe(false)
    await store.endLease(tx, id, 8)
    expect(await stateOf(tx, id)).toEqual(before)
    expect(await store.keepLease(tx, id, job, later)).toBe(true)
    expect(await store.takeLease(tx, id, job, moment, later)).toBe(true)
    expect(await store.takeLease(tx, id, 8, later, later)).toBe(true)
  }))

test('the oldest pending delivery of a hook is next, and the hooks that no job sends for are found by id', () =>
  database.write(async (tx) => {
    const first = await hookWith(tx, {}, false, true, true)
    const over = await hookWith(tx, leased, true)
    await hookWith(tx, { ...leased, lease_until: later }, true)
    const done = await hookWith(tx, {}, false)
    // Without an order the rows of SQLite come by id all the same; this reverses them.
    if (!onPostgres) await sql`pragma reverse_unordered_selects = on`.execute(tx)
    const next = await store.nextDelivery(tx, first)
    const found = await store.forgottenHooks(tx, moment, 3)
    const limited = await store.forgottenHooks(tx, moment, 1)
    if (!onPostgres) await sql`pragma reverse_unordered_selects = off`.execute(tx)
    expect(next).toMatchObject({ idempotency_key: `${first}-1`, header: 'Push Hook', payload: '{}' })
    expect([found, limited]).toEqual([[{ id: first }, { id: over }], [{ id: first }]])
    expect(await store.nextDelivery(tx, done)).toBeNull()
  }))

test('so many events from before a time are deleted, with their deliveries', () =>
  database.write(async (tx) => {
    const id = await hookWith(tx, {}, false)
    for (const time of ['2026-03-01T11:59:59.998Z', '2026-03-01T11:59:59.999Z']) await eventOf(tx, time)
    expect(await store.deleteEvents(tx, moment, 1)).toBe(1)
    expect(await store.deleteEvents(tx, moment, 2)).toBe(1)
    expect(await stateOf(tx, id)).toMatchObject({ deliveries: [false] })
    expect(await store.deleteEvents(tx, later, 2)).toBe(1)
    expect(await stateOf(tx, id)).toMatchObject({ deliveries: [] })
  }))

test('deliveries are pending of one hook and not of others, and events are found by their id', () =>
  database.write(async (tx) => {
    const pending = await hookWith(tx, {}, false, true)
    const [done, unused] = [await hookWith(tx, {}, false), await hookWith(tx, {})]
    const found = await Promise.all([pending, done, unused].map((id) => store.hasPending(tx, id)))
    expect(found).toEqual([true, false, false])
    const other = await eventOf(tx, later)
    for (const id of [event_id, other]) expect(await store.eventById(tx, id)).toMatchObject({ id })
    expect(await store.eventById(tx, 0)).toBeNull()
  }))
