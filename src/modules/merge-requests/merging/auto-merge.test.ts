import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { makeRunner, type TestRunner, workOn } from '../../runners/testing.ts'
import { makePlace, openRequest, type Place, pushBranch } from '../testing.ts'
import { autoMergeJob } from './auto-merge.ts'

let server: TestServer
let place: Place
let runner: TestRunner
beforeAll(async () => {
  server = await startTestServer()
  place = await makePlace(server)
  const config =
    'work:\n  script: make\n  rules:\n    - if: $CI_COMMIT_BRANCH && $CI_COMMIT_BRANCH != $CI_DEFAULT_BRANCH\n'
  await place.tree.run('checkout', '--quiet', 'main')
  await place.tree.commit('configure', { '.gitlab-ci.yml': config })
  await place.tree.push(place.owner, 'main')
  runner = await makeRunner(server)
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

const drain = () => server.app.platform.jobs.drain()
const read = async (iid: number) => (await place.developer.get(`${place.at}/${iid}`)).body
const wish = (iid: number, params: object = {}) =>
  place.maintainer.put(`${place.at}/${iid}/merge`, { auto_merge: true, ...params })

/** A merge request whose pipeline waits for a runner, which is asked to merge when that has succeeded. */
async function waiting(branch: string, params: object = {}) {
  const { iid, sha } = await openRequest(place, branch)
  await drain()
  const wished = await wish(iid, { sha, ...params })
  expect(wished).toMatchObject({
    status: 200,
    body: {
      ...{ state: 'opened', merge_when_pipeline_succeeds: true, merge_user: { id: place.maintainer.id } },
      ...{ merged_by: null, head_pipeline: { sha } },
    },
  })
  return iid as number
}

/** Lets the runner take the next job and report how it ended. */
async function finish(state: 'success' | 'failed') {
  const job = await runner.take()
  expect((await workOn(server, job).update({ state })).status).toBe(200)
  await drain()
  return Number(job.id)
}

test('a request is merged by itself when the jobs of its pipeline have succeeded', async () => {
  const { owner, base } = place
  await owner.put(base, { only_allow_merge_if_pipeline_succeeds: true })
  const iid = await waiting('good', { merge_commit_message: 'as wished', should_remove_source_branch: true })
  expect((await read(iid)).detailed_merge_status).toBe('ci_still_running')
  await finish('success')
  await expect
    .poll(() => read(iid))
    .toMatchObject({
      ...{ state: 'merged', merge_when_pipeline_succeeds: false, merge_user: { id: place.maintainer.id } },
      ...{ merge_error: null, should_remove_source_branch: true },
    })
  const { merge_commit_sha } = await read(iid)
  expect((await owner.get(`${base}/repository/branches/main`)).body.commit).toMatchObject({
    ...{ id: merge_commit_sha, message: 'as wished' },
  })
  expect((await owner.get(`${base}/repository/branches/good`)).status).toBe(404)
  await owner.put(base, { only_allow_merge_if_pipeline_succeeds: false })
})

test('a request waits while the worker is switched off', async () => {
  const iid = await waiting('paused')
  await server.root.post('/features/auto_merge_worker', { value: false })
  await finish('success')
  const { state, id } = await read(iid)
  expect(state).toBe('opened')
  await server.root.delete('/features/auto_merge_worker')
  // The job runs again after a minute.
  await autoMergeJob.run(server.app.platform, { mergeRequestId: id }, {} as never)
  expect((await read(iid)).state).toBe('merged')
})

test('a failed pipeline merges nothing, until a retry succeeds', async () => {
  const iid = await waiting('flaky')
  const job = await finish('failed')
  expect(await read(iid)).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: true, merge_error: null })
  expect((await place.owner.post(`${place.base}/jobs/${job}/retry`)).status).toBe(201)
  await finish('success')
  await expect.poll(async () => (await read(iid)).state).toBe('merged')
})

test('a push in between ends the wish: neither pipeline merges', async () => {
  const iid = await waiting('moved')
  const running = await runner.take()
  const sha = await pushBranch(place, 'moved', { 'unseen.txt': 'x' }, { from: 'moved' })
  expect(await read(iid)).toMatchObject({ sha, state: 'opened', merge_when_pipeline_succeeds: false, merge_user: null })
  await drain()
  await workOn(server, running).update({ state: 'success' })
  await drain()
  expect((await read(iid)).state).toBe('opened')
  await finish('success')
  expect((await runner.ask()).status).toBe(204)
  expect(await read(iid)).toMatchObject({ state: 'opened', merge_commit_sha: null })
  expect(await wish(iid, { sha })).toMatchObject({ status: 200, body: { state: 'merged' } })
})

test('a cancelled wish merges nothing', async () => {
  const { developer, reporter, maintainer, at } = place
  const iid = await waiting('cancelled')
  const cancel = (client: typeof developer) => client.post(`${at}/${iid}/cancel_merge_when_pipeline_succeeds`)
  expect((await cancel(reporter)).status).toBe(401)
  expect(await cancel(developer)).toMatchObject({ status: 201, body: { status: 'success' } })
  expect(await cancel(maintainer)).toMatchObject({ status: 406, body: { message: "Can't cancel the automatic merge" } })
  await finish('success')
  expect(await read(iid)).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: false, merge_user: null })
})

test('a request that can no longer be merged then says so', async () => {
  const iid = await waiting('hindered')
  await place.developer.put(`${place.at}/${iid}`, { title: 'Draft: later' })
  await finish('success')
  await expect
    .poll(() => read(iid))
    .toMatchObject({
      ...{ state: 'opened', merge_when_pipeline_succeeds: false },
      merge_error: 'The merge request could not be merged when its pipeline had succeeded.',
    })
})

test('a push option merges when the pipelines of the push have succeeded', async () => {
  const { tree, maintainer, developer, at } = place
  await tree.run('checkout', '--quiet', '-b', 'pushed', 'main')
  await tree.commit('by push', { 'pushed.txt': 'x' })
  await tree.push(maintainer, '-o', 'merge_request.create', '-o', 'merge_request.auto_merge', 'pushed')
  await drain()
  const [{ iid, state, merge_when_pipeline_succeeds: waits }] = (await developer.get(`${at}?source_branch=pushed`)).body
  expect([state, waits]).toEqual(['opened', true])
  await finish('success')
  await expect.poll(async () => (await read(iid)).state).toBe('merged')
})
