/** What becomes of events that wait for a hook. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { changeableClock } from '../../../testing/changeable-clock.ts'
import { type Hooked, startWithReceiver } from '../testing.ts'
import { pruneJob } from './deliver.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
/** Goes by `clock`, except where a test puts it back. */
const going = changeableClock()
going.change(clock)
let given: Hooked
let named = 0
beforeAll(async () => {
  given = await startWithReceiver({ clock: going })
  await given.commit('first')
})
afterAll(() => given.stop())
beforeEach(() => given.clear())

const hooksPath = () => `/projects/${given.project.id}/hooks`

/** Pushes a commit and waits for its deliveries. */
async function push() {
  named += 1
  await given.commit(`file-${named}`)
  await given.settle()
}

/** Lets events wait while webhooks are switched off. @returns what sends those that wait then */
async function holding() {
  const { server, settle } = given
  const { database, jobs } = server.app.platform
  await server.root.post('/features/web_hook_worker', { value: false })
  return async () => {
    await server.root.delete('/features/web_hook_worker')
    await database.write((tx) => jobs.enqueue(tx, 'web_hooks.resume', null))
    await settle()
  }
}

/** Lets copies of the one delivery that waits for a hook wait as well. @returns the keys of all, in their order */
async function repeat(hookId: number, copies: number): Promise<string[]> {
  const { database } = given.server.app.platform
  const query = database.read.selectFrom('web_hook_deliveries').select(['event_id', 'created_at', 'idempotency_key'])
  const first = await query.where('web_hook_id', '=', hookId).executeTakeFirstOrThrow()
  const others = Array.from({ length: copies }, (_, index) => {
    return { ...first, web_hook_id: hookId, is_pending: true, idempotency_key: `${hookId} key ${index}` }
  })
  await database.write((tx) => tx.insertInto('web_hook_deliveries').values(others).execute())
  return [first, ...others].map(({ idempotency_key }) => idempotency_key)
}

const leaseOf = (id: number) =>
  given.server.app.platform.database.read
    .selectFrom('web_hooks')
    .select(['lease_job_id', 'lease_until'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

test('of many events that waited for two hooks each is sent in order, also the 41st, by a new job after 20', async () => {
  const { receiver, hook, groupHook, server } = given
  const ids: number[] = [
    (await hook({ url: `${receiver.url}/0` })).id,
    (await groupHook({ url: `${receiver.url}/1` })).id,
  ]
  const send = await holding()
  await push()
  const expected = [await repeat(ids[0] as number, 40), await repeat(ids[1] as number, 40)]
  const leases: Awaited<ReturnType<typeof leaseOf>>[][] = [[], []]
  const queues = new Set<string>()
  const { read } = server.app.platform.database
  receiver.answer = async (response, { url }) => {
    const index = Number(url?.slice(1))
    const lease = await leaseOf(ids[index] as number)
    leases[index]?.push(lease)
    const jobs = read.selectFrom('jobs').select('queue').where('state', '=', 'running')
    const job = await jobs.where('id', '=', Number(lease.lease_job_id)).executeTakeFirst()
    queues.add(job?.queue ?? 'none')
    response.writeHead(204).end()
  }
  await send()
  const until = new Date(clock.now().getTime() + 120_000).toISOString()
  for (const [index, keys] of expected.entries()) {
    const came = receiver.received.filter(({ url }) => url === `/${index}`)
    expect(came.map(({ headers }) => headers['idempotency-key'])).toEqual(keys)
    const ofHook = leases[index] ?? []
    expect(new Set(ofHook.map(({ lease_until }) => lease_until))).toEqual(new Set([until]))
    const byJob = Map.groupBy(ofHook, ({ lease_job_id }) => lease_job_id)
    expect([...byJob.values()].map(({ length }) => length)).toEqual([20, 20, 1])
  }
  expect([...queues]).toEqual(['web_hooks'])
})

test('a job whose lease another one has taken records and sends nothing more', async () => {
  const { receiver, hook, owner, server } = given
  const { id } = await hook({})
  const send = await holding()
  await push()
  await repeat(id, 1)
  const { database } = server.app.platform
  const taken = { lease_job_id: 1_000_000_000, lease_until: '2999-01-01T00:00:00.000Z' }
  receiver.answer = async (response) => {
    await database.write((tx) => tx.updateTable('web_hooks').set(taken).where('id', '=', id).execute())
    response.writeHead(500).end()
  }
  await send()
  expect(receiver.received).toHaveLength(1)
  expect(await leaseOf(id)).toEqual(taken)
  expect((await owner.get(`${hooksPath()}/${id}/events`)).body).toEqual([])
  const failures = database.read.selectFrom('web_hooks').select('recent_failures').where('id', '=', id)
  expect(await failures.executeTakeFirst()).toEqual({ recent_failures: 0 })
})

test('at most 16 receivers are waited for', async () => {
  const { receiver, hook, server } = given
  await Promise.all(Array.from({ length: 17 }, () => hook({})))
  const send = await holding()
  await push()
  const { read } = server.app.platform.database
  const answers: (() => void)[] = []
  receiver.answer = (response) => void answers.push(() => response.writeHead(204).end())
  const sent = send()
  await expect.poll(() => answers.length).toBe(16)
  const jobs = read.selectFrom('jobs').select('state').where('kind', '=', 'web_hooks.deliver').orderBy('state')
  const states = (await jobs.execute()).map(({ state }) => state)
  receiver.answer = (response) => void response.writeHead(204).end()
  for (const answer of answers) answer()
  await sent
  expect(states).toEqual(['pending', ...Array.from({ length: 16 }, () => 'running')])
  expect(receiver.received).toHaveLength(17)
})

test('after the 40th failure in a row a hook gets neither what waits for it nor what comes', async () => {
  const { receiver, hook, owner, server } = given
  const { id } = await hook({})
  const { database } = server.app.platform
  receiver.answer = (response) => void response.writeHead(500).end()
  const send = await holding()
  for (let count = 0; count < 2; count += 1) await push()
  await database.write((tx) => tx.updateTable('web_hooks').set({ recent_failures: 39 }).where('id', '=', id).execute())
  await send()
  const events = () => database.read.selectFrom('web_hook_events').select('id').orderBy('id').execute()
  const stored = await events()
  await push()
  const { body: log } = await owner.get(`${hooksPath()}/${id}/events`)
  expect([receiver.received.length, log.length]).toEqual([1, 1])
  expect(await events()).toEqual(stored)
  expect((await owner.get(`${hooksPath()}/${id}`)).body).toMatchObject({
    alert_status: 'disabled',
    disabled_until: null,
  })
})

test('events wait while webhooks are switched off, for more than a week', async () => {
  const { receiver, hook, server } = given
  await hook({})
  await server.root.post('/features/web_hook_worker', { value: false })
  await push()
  clock.advance(8 * 86_400_000)
  await given.settle()
  expect(receiver.received).toEqual([])
  await server.root.delete('/features/web_hook_worker')
  clock.advance(299_999)
  await given.settle()
  expect(receiver.received).toEqual([])
  clock.advance(1)
  await given.settle()
  expect(receiver.received).toHaveLength(1)
})

test('events are deleted when they are older than a week, not by a job that has to end', async () => {
  const { server } = given
  const { platform } = server.app
  const { database } = platform
  const ages = [0, 7 * 86_400_000, 7 * 86_400_000 + 1]
  await database.write(async (tx) => {
    await tx.deleteFrom('web_hook_events').execute()
    const sent = { trigger_name: 'push_hooks', header: 'Push Hook', payload: '{}', completions: null }
    for (const ageMs of ages) {
      const created_at = new Date(clock.now().getTime() - ageMs).toISOString()
      await tx
        .insertInto('web_hook_events')
        .values({ uuid: `${ageMs}`, ...sent, created_at })
        .execute()
    }
  })
  const left = async () =>
    (await database.read.selectFrom('web_hook_events').select('uuid').orderBy('id').execute()).map(({ uuid }) =>
      Number(uuid),
    )
  await pruneJob.run(platform, null, { jobId: 1, attempt: 1, signal: AbortSignal.abort() })
  expect(await left()).toEqual(ages)
  await pruneJob.run(platform, null, { jobId: 1, attempt: 1, signal: new AbortController().signal })
  expect(await left()).toEqual(ages.slice(0, 2))
})

test('a pause or a lease that no right clock has set ends when the clock is put back', async () => {
  const { hook, settle, server } = given
  const { database } = server.app.platform
  const after = (ms: number) => new Date(clock.now().getTime() + ms).toISOString()
  // The clocks of processes may differ by a minute.
  const [longestPauseMs, longestLeaseMs] = [86_400_000 + 60_000, 120_000 + 60_000]
  const cases = [
    [longestPauseMs, longestLeaseMs],
    [longestPauseMs + 1, longestLeaseMs + 1],
  ] as const
  const ids: number[] = []
  for (const [pauseMs, durationMs] of cases) {
    const { id } = await hook({})
    const times = { disabled_until: after(pauseMs), lease_job_id: 1_000_000_000, lease_until: after(durationMs) }
    await database.write((tx) => tx.updateTable('web_hooks').set(times).where('id', '=', id).execute())
    ids.push(id)
  }
  going.change(manualClock({ start: after(1_000) }))
  await settle()
  going.change(clock)
  await settle()
  const times = database.read.selectFrom('web_hooks').select(['disabled_until', 'lease_until']).where('id', 'in', ids)
  expect(await times.orderBy('id').execute()).toEqual([
    { disabled_until: after(longestPauseMs), lease_until: after(longestLeaseMs) },
    { disabled_until: after(0), lease_until: after(0) },
  ])
})
