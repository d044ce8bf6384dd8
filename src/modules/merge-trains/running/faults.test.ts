import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { makeRunner, type TestRunner } from '../../runners/testing.ts'
import {
  board,
  carOf,
  finishTest,
  jobContext,
  makeTrainPlace,
  requestOf,
  runTrainOf,
  settle,
  type TrainPlace,
  trainOf,
} from '../testing.ts'
import { forgetMergedJob } from './watch.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
let server: TestServer
let place: TrainPlace
let runner: TestRunner
beforeAll(async () => {
  server = await startTestServer({ clock })
  place = await makeTrainPlace(server)
  runner = await makeRunner(server)
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

const run = () => runTrainOf(server, place)
const changeCar = (id: number, changes: object) =>
  server.app.platform.database.write((tx) =>
    tx.updateTable('merge_train_cars').set(changes).where('id', '=', id).execute(),
  )
const pipelinesOf = async (iid: number): Promise<{ id: number; sha: string; status: string }[]> => {
  const ref = `refs/merge-requests/${iid}/train`
  return (await place.developer.get(`${place.base}/pipelines?ref=${encodeURIComponent(ref)}`)).body
}
const switchWorker = (value: boolean) => server.root.post('/features/auto_merge_worker', { value })

test('a train that several processes look at tests and merges each car once', async () => {
  await switchWorker(false)
  const [one = 0, two = 0] = await board(server, place, 'once', 'twice')
  expect(await trainOf(place)).toEqual([
    [one, 'idle'],
    [two, 'idle'],
  ])
  await switchWorker(true)
  await Promise.all([run(), run(), run(), run()])
  for (const iid of [one, two]) {
    const { pipeline } = await carOf(place, iid)
    const alive = (await pipelinesOf(iid)).filter(({ status }) => status !== 'canceled')
    expect(alive.map(({ id }) => id)).toEqual([pipeline.id])
  }
  await switchWorker(false)
  for (const iid of [one, two]) await finishTest(server, runner, iid, 'success')
  expect(await trainOf(place)).toEqual([
    [one, 'fresh'],
    [two, 'fresh'],
  ])
  await switchWorker(true)
  await Promise.all([run(), run(), run(), run()])
  await run()
  for (const iid of [one, two]) expect((await carOf(place, iid)).status).toBe('merged')
  const { body } = await place.owner.get(`${place.base}/repository/commits?ref_name=main&first_parent=true`)
  expect(body.filter(({ title }: { title: string }) => title.startsWith('Merge branch'))).toHaveLength(2)
  // What waited for the worker.
  clock.advance(120_000)
  await settle(server)
})

test('a pipeline that was created before its process ended is found again', async () => {
  const [iid = 0] = await board(server, place, 'found')
  const { id, pipeline } = await carOf(place, iid)
  await changeCar(id, { status: 'idle', pipeline_id: null })
  await run()
  expect(await carOf(place, iid)).toMatchObject({ status: 'fresh', pipeline: { id: pipeline.id } })
  expect(await pipelinesOf(iid)).toHaveLength(1)
  await finishTest(server, runner, iid, 'success')
})

test('a car whose pipeline was deleted is tested anew', async () => {
  const [iid = 0] = await board(server, place, 'deleted')
  const was = await carOf(place, iid)
  await switchWorker(false)
  await finishTest(server, runner, iid, 'success')
  expect((await place.owner.delete(`${place.base}/pipelines/${was.pipeline.id}`)).status).toBe(204)
  await switchWorker(true)
  await run()
  const { status, pipeline } = await carOf(place, iid)
  expect(status).toBe('fresh')
  expect(pipeline.id).not.toBe(was.pipeline.id)
  expect((await requestOf(place, iid)).state).toBe('opened')
  await finishTest(server, runner, iid, 'success')
  // What waited for the worker.
  clock.advance(120_000)
  await settle(server)
})

test('a merge that was interrupted goes on', async () => {
  await switchWorker(false)
  const [iid = 0] = await board(server, place, 'interrupted')
  await switchWorker(true)
  await run()
  const { id, pipeline } = await carOf(place, iid)
  await switchWorker(false)
  await finishTest(server, runner, iid, 'success')
  const merging = {
    ...{ userId: place.maintainer.id, administrator: false, target: pipeline.sha, mergeCommit: pipeline.sha },
    ...{ squashCommit: null, startedAt: clock.now().toISOString(), process: 'ended' },
  }
  const row = { state: 'locked' as const, merging: JSON.stringify(merging) }
  const request = await requestOf(place, iid)
  await changeCar(id, { status: 'merging' })
  await server.app.platform.database.write((tx) =>
    tx.updateTable('merge_requests').set(row).where('id', '=', request.id).execute(),
  )
  await switchWorker(true)
  // The merge belongs to another process until it is settled.
  await run()
  expect(await carOf(place, iid)).toMatchObject({ status: 'merging' })
  clock.advance(10 * 60_000)
  const { jobs, database } = server.app.platform
  await database.write((tx) => jobs.enqueue(tx, 'merge_requests.recover', null))
  await settle(server)
  expect(await carOf(place, iid)).toMatchObject({ status: 'merged', duration: expect.any(Number) })
  expect(await requestOf(place, iid)).toMatchObject({ state: 'merged', merge_commit_sha: pipeline.sha })
})

test('cars of a removed user are the ghost user’s', async () => {
  const passing = await server.user('passing')
  await server.make.member({ project: place.project }, passing, 40)
  const [iid = 0] = await board(server, { ...place, maintainer: passing }, 'of-passing')
  await finishTest(server, runner, iid, 'success')
  await server.root.delete(`/users/${passing.id}`)
  await settle(server)
  expect((await carOf(place, iid)).user.username).toBe('ghost')
})

test('a car is forgotten 90 days after its merge', async () => {
  const [iid = 0] = await board(server, place, 'forgotten')
  await finishTest(server, runner, iid, 'success')
  const { platform } = server.app
  const day = 86_400_000
  clock.advance(90 * day - 60_000)
  await forgetMergedJob.run(platform, null, jobContext)
  expect((await carOf(place, iid)).status).toBe('merged')
  clock.advance(120_000)
  await forgetMergedJob.run(platform, null, jobContext)
  expect(await carOf(place, iid)).toBeNull()
})
