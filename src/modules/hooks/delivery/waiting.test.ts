/** What becomes of events that wait for a hook. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { type Hooked, startWithReceiver } from '../testing.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
let given: Hooked
let named = 0
beforeAll(async () => {
  given = await startWithReceiver({ clock })
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

test('of many events that waited for a hook each is sent, also the 41st', async () => {
  const { receiver, hook, server } = given
  const { id } = await hook({})
  const send = await holding()
  await push()
  const { database } = server.app.platform
  const query = database.read.selectFrom('web_hook_deliveries').select(['event_id', 'created_at', 'idempotency_key'])
  const first = await query.where('web_hook_id', '=', id).executeTakeFirstOrThrow()
  const others = Array.from({ length: 40 }, (_, index) => {
    return { ...first, web_hook_id: id, is_pending: true, idempotency_key: `key ${index}` }
  })
  await database.write((tx) => tx.insertInto('web_hook_deliveries').values(others).execute())
  await send()
  const keys = receiver.received.map(({ headers }) => headers['idempotency-key'])
  expect(keys).toEqual([first.idempotency_key, ...others.map(({ idempotency_key }) => idempotency_key)])
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
  clock.advance(300_000)
  await given.settle()
  expect(receiver.received).toHaveLength(1)
})
