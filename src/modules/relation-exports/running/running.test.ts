/** How exports begin again, fail, stall and are removed. */
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { storageKey } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { makePeople, type People, startTestServer, type TestServer } from '../../../testing/index.ts'
import { relationsOf } from '../relations.ts'
import { addIssues, exported, exportsOf, type Line, linesOf, storedKeys } from '../testing.ts'

// Objects have the time of the file system.
const clock = manualClock({ start: new Date().toISOString() })
const names = relationsOf('project').map(({ name }) => name)

let server: TestServer
let platform: Platform
let people: People
let place: string
let projectId: number
let original: Platform['ports']

beforeAll(async () => {
  server = await startTestServer({ clock })
  platform = server.app.platform
  original = { ...platform.ports }
  people = await makePeople(server)
  const project = await server.make.project('exported', people.owner)
  projectId = project.id
  place = `/projects/${project.id}`
  await addIssues(platform.database, project.id, people.owner.id, 1, 1050)
})
afterEach(() => Object.assign(platform.ports, original))
afterAll(() => server.stop())

const statuses = async (): Promise<Line[]> => (await people.owner.get(`${exportsOf(place)}/status`)).body
const statusOf = async (name: string) => (await statuses()).find(({ relation }) => relation === name)
const start = (body: object = {}) => people.owner.post(exportsOf(place), body)
const drain = () => platform.jobs.drain()

/** Replaces what the export of issues asks of another module. */
function whenIssuesAreRead(then: (issueIds: readonly number[]) => Promise<void>) {
  const answer: Platform['ports']['issues.exported_epics'] = async (given, db, ids, actor) => {
    await then(ids)
    return original['issues.exported_epics'](given, db, ids, actor)
  }
  Object.assign(platform.ports, { 'issues.exported_epics': answer })
}

test('a relation that fails is retried, then marked, and its files are deleted; the others are finished', async () => {
  let attempts = 0
  whenIssuesAreRead(async (ids) => {
    // The last rows are in the second batch.
    if (ids.length === 100) return
    attempts += 1
    throw new Error('internals: /srv/secret')
  })
  await start({ batched: true })
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    await drain()
    expect([attempts, (await statusOf('issues')).status]).toEqual([attempt, attempt < 4 ? 0 : -1])
    clock.advance(200_000)
  }
  await drain()
  const failed = { status: -1, error: 'Export failed', updated_at: expect.any(String) }
  expect(await statusOf('issues')).toMatchObject({
    ...{ ...failed, batched: true, batches_count: 1, total_objects_count: 0 },
    batches: [{ ...failed, batch_number: 1, objects_count: 1000 }],
  })
  const others = (await statuses()).filter(({ relation }) => relation !== 'issues')
  expect(others.filter(({ status }) => status !== 1)).toEqual([])
  expect(
    await people.owner.get(`${exportsOf(place)}/download?relation=issues&batched=true&batch_number=1`),
  ).toMatchObject({
    status: 404,
    body: { message: 'Batch file not found' },
  })
  const files = others.reduce((sum, { batched, batches_count }) => sum + (batched ? batches_count : 1), 0)
  expect(await storedKeys(server)).toHaveLength(files)
})

test('a failed export begins again with the next request', async () => {
  const again = await exported(server, people.owner, place)
  expect([...again.values()].filter(({ status, error }) => status !== 1 || error !== null)).toEqual([])
  expect(await storedKeys(server)).toHaveLength(names.length)
})

test('two requests at once make one export', async () => {
  const answers = await Promise.all([start(), start({ batched: true }), start()])
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
  await drain()
  expect((await statuses()).filter(({ status }) => status !== 1)).toEqual([])
  const rows = await platform.database.read.selectFrom('relation_exports').select('relation').execute()
  expect(rows.map(({ relation }) => relation).sort()).toEqual([...names].sort())
  expect(await linesOf(people.owner, place, 'self')).toHaveLength(1)
})

test('a relation that is being exported goes on, unless it has stopped; the former run leaves nothing', async () => {
  await exported(server, people.owner, place)
  const waiting = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const reached = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  onTestFinished(() => waiting.forEach(({ resolve }) => void resolve()))
  let calls = -1
  whenIssuesAreRead(async () => {
    calls += 1
    reached[calls]?.resolve()
    await waiting[calls]?.promise
  })
  await start()
  await reached[0]?.promise
  await start({ batched: true })
  expect(await statusOf('issues')).toMatchObject({ status: 0, batched: false })
  // One relation alone, with what it has come to so far, and the file of none of its batches.
  const query = `${exportsOf(place)}/status?relation=issues`
  expect((await people.owner.get(query)).body).toMatchObject([
    { relation: 'issues', status: 0, batched: false, batches_count: 0 },
  ])
  const batch = `${exportsOf(place)}/download?relation=issues&batched=true&batch_number=1`
  expect(await people.owner.get(batch)).toMatchObject({ status: 400, body: { message: 'Export is not batched' } })
  // Without progress for more than ten minutes.
  const past = new Date(clock.now().getTime() - 11 * 60_000).toISOString()
  await platform.database.write((tx) =>
    tx.updateTable('relation_exports').set({ updated_at: past }).where('relation', '=', 'issues').execute(),
  )
  await start({ batched: true })
  expect(await statusOf('issues')).toMatchObject({ status: 0, batched: true, batches: [] })
  expect(await people.owner.get(batch)).toMatchObject({ status: 404, body: { message: 'Batch not found' } })
  for (const { resolve } of waiting) resolve()
  await drain()
  expect((await statuses()).filter(({ status }) => status !== 1)).toEqual([])
  expect(await statusOf('issues')).toMatchObject({ batched: true, batches_count: 2, total_objects_count: 1050 })
  const files = (await statuses()).reduce((sum, one) => sum + (one.batched ? one.batches_count : 1), 0)
  expect(await storedKeys(server)).toHaveLength(files)
})

test('a batch is shown while its export runs, and its file only afterwards', async () => {
  const [reached, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  onTestFinished(() => waiting.resolve())
  whenIssuesAreRead(async (ids) => {
    // The last rows are in the second batch.
    if (ids.length === 100) return
    reached.resolve()
    await waiting.promise
  })
  await start({ batched: true })
  await reached.promise
  const status = async () => (await people.owner.get(`${exportsOf(place)}/status?relation=issues`)).body
  const batch = (number: number) =>
    people.owner.get(`${exportsOf(place)}/download?relation=issues&batched=true&batch_number=${number}`)
  const first = { status: 1, error: null, batch_number: 1, objects_count: 1000 }
  expect(await status()).toMatchObject([
    { relation: 'issues', status: 0, batched: true, batches_count: 1, total_objects_count: 0, batches: [first] },
  ])
  expect(await batch(1)).toMatchObject({ status: 404, body: { message: 'Batch file not found' } })
  expect(await batch(2)).toMatchObject({ status: 404, body: { message: 'Batch not found' } })
  // It has progressed ten minutes ago: another request leaves it alone.
  const updated_at = new Date(clock.now().getTime() - 10 * 60_000).toISOString()
  await platform.database.write((tx) =>
    tx.updateTable('relation_exports').set({ updated_at }).where('relation', '=', 'issues').execute(),
  )
  await start()
  expect(await status()).toMatchObject([{ status: 0, batched: true, batches: [first] }])
  waiting.resolve()
  await drain()
  expect(await status()).toMatchObject([{ status: 1, batches_count: 2, total_objects_count: 1050 }])
  expect(await linesOf(people.owner, place, 'issues', '&batched=true&batch_number=1')).toHaveLength(1000)
})

test('what has stopped for an hour has failed, and the users are exported still', async () => {
  const past = new Date(clock.now().getTime() - 61 * 60_000).toISOString()
  await platform.database.write(async (tx) => {
    await tx.updateTable('relation_exports').set({ updated_at: past }).execute()
    const unfinished = { status: 0, ticket: 'lost' } as const
    await tx
      .updateTable('relation_exports')
      .set(unfinished)
      .where('relation', 'in', ['labels', 'user_contributions'])
      .execute()
    await platform.jobs.enqueue(tx, 'relation_exports.watch', null)
  })
  await drain()
  expect(await statusOf('labels')).toMatchObject({ status: -1, error: 'Export timed out' })
  expect(await statusOf('user_contributions')).toMatchObject({ status: 1, error: null })
})

test('500 when the export cannot be stored', async () => {
  const { enqueue } = platform.jobs
  Object.assign(platform.jobs, { enqueue: () => Promise.reject(new Error('internals')) })
  const group = await server.make.group('exported-group', people.owner)
  const answers = [await start(), await people.owner.post(exportsOf(`/groups/${group.id}`))]
  Object.assign(platform.jobs, { enqueue })
  expect(answers).toMatchObject([
    { status: 500, body: { message: 'Project relations export could not be started.' } },
    { status: 500, body: { message: 'Group relations export could not be started.' } },
  ])
  expect((await people.owner.get(`${exportsOf(`/groups/${group.id}`)}/status`)).body).toEqual([])
})

test('files without an export are swept, and those of a deleted project are removed', async () => {
  await exported(server, people.owner, place)
  const known = await storedKeys(server)
  const hex = '0123456789abcdef'.repeat(2)
  const lost = [
    storageKey('relation-exports', 'project', projectId, hex, 0),
    storageKey('relation-exports', 'group', 99, hex, 1),
    storageKey('relation-exports', 'odd'),
  ]
  for (const key of lost) await platform.objects.put(key, Readable.from(['x']))
  const sweep = async () => {
    await platform.database.write((tx) => platform.jobs.enqueue(tx, 'relation_exports.sweep', null))
    await drain()
  }
  await sweep()
  expect(await storedKeys(server)).toHaveLength(known.length + lost.length)
  await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
  expect((await people.owner.delete(place)).status).toBe(202)
  await drain()
  expect((await storedKeys(server)).filter((key) => key.includes(`/project/${projectId}/`))).toEqual([])
  expect(await platform.database.read.selectFrom('relation_exports').select('id').execute()).toEqual([])
  clock.advance(2 * 86_400_000)
  await sweep()
  expect(await storedKeys(server)).toEqual([])
})

test('exports wait while their worker is switched off, and do not stall', async () => {
  const { id } = await server.make.project('paused', people.owner)
  const own = exportsOf(`/projects/${id}`)
  const statesOf = async () => {
    const { body } = await people.owner.get(`${own}/status`)
    return [...new Set((body as Line[]).map(({ status }) => status))]
  }
  await server.root.post('/features/relation_export_worker', { value: false })
  await people.owner.post(own)
  for (let minutes = 0; minutes <= 120; minutes += 10) {
    await drain()
    clock.advance(600_000)
  }
  // A run that the last advance has begun would see the worker switched on, or be put off after the next one.
  await drain()
  expect(await statesOf()).toEqual([0])
  await server.root.delete('/features/relation_export_worker')
  clock.advance(60_000)
  await drain()
  expect(await statesOf()).toEqual([1])
})
