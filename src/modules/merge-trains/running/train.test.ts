import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ProjectWithMembers, startTestServer, type TestServer } from '../../../testing/index.ts'
import { lines, pushBranch, textWith } from '../../merge-requests/testing.ts'
import { makeRunner, type TestRunner, workOn } from '../../runners/testing.ts'
import {
  add,
  board,
  carOf,
  finishTest,
  forTrains,
  makeTrainPlace,
  notesOf,
  openOne,
  removed,
  requestOf,
  settle,
  type TrainPlace,
  tipOfMain,
  trainOf,
} from '../testing.ts'
import { mostTested } from './train.ts'

let server: TestServer
let people: ProjectWithMembers | undefined
let place: TrainPlace
let runner: TestRunner
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())
beforeEach(async () => {
  place = await makeTrainPlace(server, { people })
  people ??= place
  runner = await makeRunner(server, { runner_type: 'project_type', project_id: place.project.id })
})
afterEach(() => place.tree[Symbol.asyncDispose]())

const pipeline = async (id: number) => (await place.developer.get(`${place.base}/pipelines/${id}`)).body
const variablesIn = ({ variables }: { variables: { key: string; value: string }[] }) =>
  Object.fromEntries(variables.map(({ key, value }) => [key, value]))

/** Brings the work tree to the present `main`. */
async function refetch(): Promise<void> {
  const url = `${server.url.replace('//', `//o:${place.owner.token}@`)}/${place.path}.git`
  await place.tree.run('fetch', '--quiet', url, 'main')
  await place.tree.run('checkout', '--quiet', '-B', 'main', 'FETCH_HEAD')
}

describe('a merge train', () => {
  test('tests each merge request with those before it, and merges them one after another as they were tested', async () => {
    const [one = 0, two = 0] = await board(server, place, 'first', 'second')
    const before = (await tipOfMain(place)).id
    const [car, next] = [await carOf(place, one), await carOf(place, two)]
    expect([car.status, next.status]).toEqual(['fresh', 'fresh'])
    const commitOf = async ({ sha }: { sha: string }) =>
      (await place.owner.get(`${place.base}/repository/commits/${sha}`)).body
    expect((await commitOf(car.pipeline)).parent_ids).toEqual([before, (await requestOf(place, one)).sha])
    expect((await commitOf(next.pipeline)).parent_ids[0]).toBe(car.pipeline.sha)

    const url = `${server.url.replace('//', `//o:${place.owner.token}@`)}/${place.path}.git`
    const refs = await place.tree.run('ls-remote', url, 'refs/merge-requests/*/train')
    expect(refs).toContain(`${next.pipeline.sha}\trefs/merge-requests/${two}/train`)

    const later = await runner.take()
    const job = await runner.take()
    expect(variablesIn(later)).toMatchObject({
      ...{ CI_MERGE_REQUEST_EVENT_TYPE: 'merge_train', CI_MERGE_REQUEST_IID: String(one) },
      CI_MERGE_REQUEST_REF_PATH: `refs/merge-requests/${one}/train`,
      ...{ CI_COMMIT_SHA: car.pipeline.sha, CI_COMMIT_REF_NAME: 'first', CI_PIPELINE_SOURCE: 'merge_request_event' },
    })
    await workOn(server, job).update({ state: 'success' })
    await settle(server)
    // The second one is green, and waits for its turn.
    expect(await trainOf(place)).toEqual([
      [one, 'fresh'],
      [two, 'fresh'],
    ])
    await workOn(server, later).update({ state: 'success' })
    await settle(server)
    expect((await tipOfMain(place)).id).toBe(next.pipeline.sha)
    for (const [iid, { pipeline: tested }] of [
      [one, car],
      [two, next],
    ]) {
      expect(await carOf(place, iid)).toMatchObject({
        ...{ status: 'merged', merged_at: expect.any(String), duration: expect.any(Number) },
        pipeline: { id: tested.id, status: 'success' },
      })
      expect(await requestOf(place, iid)).toMatchObject({
        ...{ state: 'merged', merge_commit_sha: tested.sha, merge_when_pipeline_succeeds: false },
        ...{ merge_error: null, merge_user: { id: place.maintainer.id } },
      })
    }
    const listed = (await place.developer.get(`${place.at}/${two}/pipelines`)).body
    expect(listed.map(({ id }: { id: number }) => id)).toContain(next.pipeline.id)
  })

  test('goes on without one whose pipeline fails: those behind it are tested anew', async () => {
    const [one = 0, two = 0, three = 0] = await board(server, place, 'failing', 'good', 'better')
    const [was, third] = [await carOf(place, two), await carOf(place, three)]
    const job = await runner.take()
    expect(job.git_info.ref).toBe(`refs/merge-requests/${one}/train`)
    await workOn(server, job).update({ state: 'failed' })
    await settle(server)
    expect(await carOf(place, one)).toBeNull()
    expect((await notesOf(place, one)).at(-1)).toBe(`${removed}: its pipeline failed`)
    expect(await requestOf(place, one)).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: false })
    const renewed = await carOf(place, two)
    expect(renewed).toMatchObject({ id: was.id, status: 'fresh' })
    expect(renewed.pipeline.id).not.toBe(was.pipeline.id)
    for (const { id } of [was.pipeline, third.pipeline]) expect((await pipeline(id)).status).toBe('canceled')
    await finishTest(server, runner, two, 'success')
    await finishTest(server, runner, three, 'success')
    for (const iid of [two, three]) expect((await carOf(place, iid)).status).toBe('merged')
    const { status } = await place.owner.get(`${place.base}/repository/files/failing.txt?ref=main`)
    expect(status).toBe(404)
    expect((await add(place, one)).status).toBe(201)
    await settle(server)
    expect((await carOf(place, one)).status).toBe('fresh')
  })

  test('merges at once what has no job', async () => {
    await pushBranch(place, 'main', { '.gitlab-ci.yml': 'a: {script: a, only: [tags]}\n' }, { from: 'main' })
    const [iid = 0] = await board(server, place, 'without-jobs')
    expect(await carOf(place, iid)).toMatchObject({ status: 'merged', pipeline: null })
    await refetch()
    await place.tree.run('rm', '--quiet', '.gitlab-ci.yml')
    await place.tree.run('commit', '--quiet', '-m', 'no configuration')
    await place.tree.push(place.owner, 'main')
    const [other = 0] = await board(server, place, 'without-configuration')
    expect(await carOf(place, other)).toMatchObject({ status: 'merged', pipeline: null })
  })

  test('tests all anew when the target branch was pushed to', async () => {
    const [one = 0, two = 0] = await board(server, place, 'before-push', 'behind-push')
    const was = [await carOf(place, one), await carOf(place, two)]
    const pushed = await pushBranch(place, 'main', { 'pushed.txt': 'x' }, { from: 'main' })
    await settle(server)
    const now = [await carOf(place, one), await carOf(place, two)]
    expect(now.map(({ status }) => status)).toEqual(['fresh', 'fresh'])
    expect(now[0].pipeline.sha).not.toBe(was[0].pipeline.sha)
    for (const { pipeline: old } of was) expect((await pipeline(old.id)).status).toBe('canceled')
    await finishTest(server, runner, one, 'success')
    await finishTest(server, runner, two, 'success')
    const { body } = await place.owner.get(`${place.base}/repository/merge_base?refs[]=${pushed}&refs[]=main`)
    expect(body.id).toBe(pushed)
    expect((await tipOfMain(place)).id).toBe(now[1].pipeline.sha)
  })

  test('takes off what conflicts with those before it', async () => {
    const text = (index: number, line: string) => ({ 'a.txt': textWith(index, line) })
    const one = await openOne(place, 'line', text(3, 'this'))
    const two = await openOne(place, 'same-line', text(3, 'that'))
    expect(lines[3]).toBe('line 3')
    for (const iid of [one, two]) expect((await add(place, iid)).status).toBe(201)
    await settle(server)
    expect(await trainOf(place)).toEqual([[one, 'fresh']])
    expect((await notesOf(place, two)).at(-1)).toBe(`${removed}: it cannot be merged with what is before it`)
  })

  test(`tests ${mostTested} at once`, async () => {
    const iids = await board(server, place, ...Array.from({ length: mostTested + 2 }, (_, index) => `many-${index}`))
    const states = (await trainOf(place, '&per_page=100')).map(([, status]) => status)
    expect(states).toEqual([...Array(mostTested).fill('fresh'), 'idle', 'idle'])
    await finishTest(server, runner, iids[0] as number, 'success')
    expect((await carOf(place, iids[mostTested] as number)).status).toBe('fresh')
    expect((await carOf(place, iids[mostTested + 1] as number)).status).toBe('idle')
  })
})

describe('a merge request on a train', () => {
  test('is merged by others only where trains may be skipped', async () => {
    const [one = 0, two = 0] = await board(server, place, 'in-front', 'skipping')
    const { maintainer, owner, at, base } = place
    const notAllowed = { status: 405, body: { message: '405 Method Not Allowed' } }
    expect(await maintainer.put(`${at}/${two}/merge`)).toMatchObject(notAllowed)
    expect(await maintainer.put(`${at}/${two}/merge`, { auto_merge: true })).toMatchObject(notAllowed)
    const was = await carOf(place, two)
    await owner.put(base, { merge_trains_skip_train_allowed: true })
    expect(await maintainer.put(`${at}/${two}/merge`)).toMatchObject({ status: 200, body: { state: 'merged' } })
    await settle(server)
    expect(await carOf(place, two)).toMatchObject({ status: 'skip_merged', merged_at: expect.any(String) })
    expect((await pipeline(was.pipeline.id)).status).toBe('canceled')
    expect(await trainOf(place)).toEqual([[one, 'fresh']])
    await finishTest(server, runner, one, 'success')
    expect((await carOf(place, one)).status).toBe('merged')
  })

  test('is merged by a push that brings its commits', async () => {
    const [iid = 0] = await board(server, place, 'by-hand')
    await refetch()
    await place.tree.run('merge', '--quiet', '--no-ff', '-m', 'by hand', 'by-hand')
    await place.tree.push(place.owner, 'main')
    await settle(server)
    expect(await carOf(place, iid)).toMatchObject({ status: 'skip_merged' })
    expect(await trainOf(place)).toEqual([])
  })

  test('is asked for approvals, threads and checks again before its merge', async () => {
    const [iid = 0] = await board(server, place, 'discussed')
    await place.owner.put(place.base, { only_allow_merge_if_all_discussions_are_resolved: true })
    await place.developer.post(`${place.at}/${iid}/discussions`, { body: 'Wait.' })
    await finishTest(server, runner, iid, 'success')
    expect(await requestOf(place, iid)).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: false })
    expect((await notesOf(place, iid)).at(-1)).toBe(`${removed}: not all threads are resolved`)
  })

  test('needs no pipeline of its head besides that of the train', async () => {
    await pushBranch(place, 'main', { '.gitlab-ci.yml': `${forTrains}head: {script: a, only: [branches]}\n` })
    await settle(server)
    await place.owner.put(place.base, { only_allow_merge_if_pipeline_succeeds: true })
    const iid = await openOne(place, 'tested')
    await settle(server)
    expect((await add(place, iid)).status).toBe(400)
    expect((await add(place, iid, { auto_merge: true })).status).toBe(202)
    const take = async (ref: string) => {
      for (;;) {
        const job = await runner.take()
        if (job.git_info.ref === ref) return job
        await workOn(server, job).update({ state: 'success' })
      }
    }
    await workOn(server, await take('tested')).update({ state: 'success' })
    await settle(server)
    const entered = await carOf(place, iid)
    expect(entered.status).toBe('fresh')
    const again = await place.maintainer.post(`${place.base}/pipeline`, { ref: 'tested' })
    await place.maintainer.post(`${place.base}/pipelines/${again.body.id}/cancel`)
    await workOn(server, await take(`refs/merge-requests/${iid}/train`)).update({ state: 'success' })
    await settle(server)
    expect((await carOf(place, iid)).status).toBe('merged')
  })

  test('with a skipped pipeline is merged where the project says so', async () => {
    const manual = `test: {script: a, when: manual, rules: [{if: '$CI_MERGE_REQUEST_EVENT_TYPE', when: manual, allow_failure: true}]}\n`
    await pushBranch(place, 'main', { '.gitlab-ci.yml': manual }, { from: 'main' })
    const [iid = 0] = await board(server, place, 'manual')
    expect((await notesOf(place, iid)).at(-1)).toBe(`${removed}: its pipeline was skipped`)
    await place.owner.put(place.base, { allow_merge_on_skipped_pipeline: true })
    expect((await add(place, iid)).status).toBe(201)
    await settle(server)
    expect(await carOf(place, iid)).toMatchObject({ status: 'merged', pipeline: { status: 'skipped' } })
  })

  test('leaves where its configuration is invalid', async () => {
    const iid = await openOne(place, 'invalid', { '.gitlab-ci.yml': 'a: {nothing: true}\n' })
    expect((await add(place, iid)).status).toBe(201)
    await settle(server)
    expect((await notesOf(place, iid)).at(-1)).toContain(`${removed}: it got no pipeline (`)
  })

  test('is merged by the method of the project', async () => {
    await place.owner.put(place.base, { merge_method: 'ff' })
    const [one = 0, two = 0] = await board(server, place, 'forward', 'not-forward')
    expect(await trainOf(place)).toEqual([[one, 'fresh']])
    expect((await notesOf(place, two)).at(-1)).toBe(`${removed}: it cannot be merged with what is before it`)
    await finishTest(server, runner, one, 'success')
    const { state, sha, merge_commit_sha } = await requestOf(place, one)
    expect([state, merge_commit_sha]).toEqual(['merged', null])
    expect((await tipOfMain(place)).id).toBe(sha)
    expect((await carOf(place, one)).status).toBe('merged')
  })
})
