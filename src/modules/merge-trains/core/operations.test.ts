import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { pushBranch } from '../../merge-requests/testing.ts'
import { makeRunner, type TestRunner } from '../../runners/testing.ts'
import {
  add,
  board,
  carOf,
  finishTest,
  makeTrainPlace,
  notesOf,
  openOne,
  requestOf,
  settle,
  type TrainPlace,
  trainOf,
} from '../testing.ts'

let server: TestServer
let place: TrainPlace
let runner: TestRunner
beforeAll(async () => {
  server = await startTestServer()
  place = await makeTrainPlace(server)
  runner = await makeRunner(server)
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

const cancel = (iid: number) =>
  place.maintainer.post(`${place.at}/${iid}/cancel_merge_when_pipeline_succeeds`).then(() => settle(server))
const text = (status: number, message: unknown) => ({ status, body: { message } })
const failedToMerge = text(400, '400 Bad request - Failed to merge')
const alreadySet = text(400, '400 Bad request - Merge request is already set to Auto-Merge')

describe('x.merge_train_add', () => {
  test('puts a merge request on the train of its target branch', async () => {
    const iid = await openOne(place, 'one')
    const { status, body } = await add(place, iid)
    expect(status).toBe(201)
    const { maintainer } = place
    expect(body).toEqual([
      {
        id: expect.any(Number),
        merge_request: {
          ...{ id: expect.any(Number), iid, project_id: place.project.id, title: 'Merge one', description: null },
          ...{ state: 'opened', created_at: expect.any(String), updated_at: expect.any(String) },
          web_url: expect.stringContaining(`/-/merge_requests/${iid}`),
        },
        user: expect.objectContaining({ id: maintainer.id, username: maintainer.username }),
        ...{ pipeline: null, target_branch: 'main', status: 'idle', merged_at: null, duration: null },
        ...{ created_at: expect.any(String), updated_at: expect.any(String) },
      },
    ])
    expect(await requestOf(place, iid)).toMatchObject({
      ...{ state: 'opened', merge_when_pipeline_succeeds: true, merge_user: { id: maintainer.id } },
    })
    expect(await notesOf(place, iid)).toContain('added this merge request to the merge train of `main`')
    await settle(server)
    const car = await carOf(place, iid)
    const ref = `refs/merge-requests/${iid}/train`
    expect(car).toMatchObject({ id: body[0].id, status: 'fresh', pipeline: { ref, source: 'merge_request_event' } })
    expect(await add(place, iid)).toMatchObject(alreadySet)
    await cancel(iid)
  })

  test('is refused where the project has no trains', async () => {
    const iid = await openOne(place, 'settings')
    const { developer, owner, base, trains } = place
    for (const setting of ['merge_trains_enabled', 'merge_pipelines_enabled']) {
      await owner.put(base, { [setting]: false })
      expect(await add(place, iid)).toMatchObject(text(403, '403 Forbidden'))
      for (const path of [trains, `${trains}/main`, `${trains}/merge_requests/${iid}`]) {
        expect(await developer.get(path)).toMatchObject(text(403, '403 Forbidden'))
      }
      await owner.put(base, { [setting]: true })
    }
  })

  test('squashes only with the merge method `merge`', async () => {
    const iid = await openOne(place, 'squashed')
    await place.owner.put(place.base, { merge_method: 'ff' })
    expect(await add(place, iid, { squash: true })).toMatchObject(text(403, '403 Forbidden'))
    expect((await add(place, iid, { squash: false })).status).toBe(201)
    await cancel(iid)
    await place.owner.put(place.base, { merge_method: 'merge' })
    expect((await add(place, iid, { squash: true })).status).toBe(201)
    await settle(server)
    await finishTest(server, runner, iid, 'success')
    const { state, squash_commit_sha, merge_commit_sha } = await requestOf(place, iid)
    expect([state, squash_commit_sha, merge_commit_sha]).toEqual(['merged', expect.any(String), expect.any(String)])
  })

  test('needs a known merge request, its head, and the right to merge', async () => {
    const iid = await openOne(place, 'checked')
    const { developer, reporter, trains } = place
    const { sha } = await requestOf(place, iid)
    expect(await add(place, 10_000)).toMatchObject(text(404, '404 Not found'))
    expect(await add(place, 'x' as never)).toMatchObject({
      status: 400,
      body: { error: 'merge_request_iid is invalid' },
    })
    const stale = text(409, `SHA does not match HEAD of source branch: ${sha}`)
    expect(await add(place, iid, { sha: 'a'.repeat(40) })).toMatchObject(stale)
    const at = `${trains}/merge_requests/${iid}`
    expect(await developer.post(at)).toMatchObject(text(401, '401 Unauthorized'))
    expect(await developer.post(at, { sha: 'x' })).toMatchObject(stale)
    expect(await reporter.post(at)).toMatchObject(text(403, '403 Forbidden'))
    expect((await server.anonymous.post(at)).status).toBe(401)
    expect((await add(place, iid, { sha })).status).toBe(201)
    await cancel(iid)
  })

  test('is refused for one that cannot be merged, or is no longer open', async () => {
    const { developer, at } = place
    const iid = await openOne(place, 'refused')
    await developer.put(`${at}/${iid}`, { title: 'Draft: refused' })
    expect(await add(place, iid)).toMatchObject(failedToMerge)
    await developer.put(`${at}/${iid}`, { title: 'refused', state_event: 'close' })
    expect(await add(place, iid, { auto_merge: true })).toMatchObject(failedToMerge)
    await developer.put(`${at}/${iid}`, { state_event: 'reopen' })
    await place.maintainer.put(`${at}/${iid}/merge`)
    expect(await add(place, iid, { auto_merge: true })).toMatchObject(failedToMerge)
  })

  test('takes one of several calls at once', async () => {
    const iid = await openOne(place, 'raced')
    const answers = await Promise.all(Array.from({ length: 5 }, () => add(place, iid)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400, 400])
    await settle(server)
    expect(await trainOf(place)).toEqual([[iid, 'fresh']])
    await cancel(iid)
  })
})

describe('a merge request whose checks have not passed', () => {
  test('enters the train when they have', async () => {
    const iid = await openOne(place, 'waiting')
    const { developer, at } = place
    await developer.put(`${at}/${iid}`, { title: 'Draft: waiting' })
    expect(await add(place, iid, { auto_merge: true })).toMatchObject({ status: 202, body: [] })
    expect(await add(place, iid, { auto_merge: true })).toMatchObject(alreadySet)
    expect(await requestOf(place, iid)).toMatchObject({ merge_when_pipeline_succeeds: true, state: 'opened' })
    expect(await notesOf(place, iid)).toContain(
      'set this merge request to be added to the merge train when its checks have passed',
    )
    await settle(server)
    expect(await carOf(place, iid)).toBeNull()
    await developer.put(`${at}/${iid}`, { title: 'waiting' })
    await settle(server)
    expect(await trainOf(place)).toEqual([[iid, 'fresh']])
    await cancel(iid)
  })

  test('waits for approvals, by the older name of the parameter', async () => {
    const iid = await openOne(place, 'unapproved')
    const { maintainer, at } = place
    const rule = { name: 'one', approvals_required: 1 }
    expect((await maintainer.post(`${at}/${iid}/approval_rules`, rule)).status).toBe(201)
    expect((await add(place, iid)).status).toBe(400)
    expect((await add(place, iid, { when_pipeline_succeeds: true })).status).toBe(202)
    expect((await maintainer.post(`${at}/${iid}/approve`)).status).toBe(201)
    await settle(server)
    expect(await trainOf(place)).toEqual([[iid, 'fresh']])
    expect((await maintainer.post(`${at}/${iid}/unapprove`)).status).toBe(201)
    await settle(server)
    expect(await trainOf(place)).toEqual([])
    expect((await notesOf(place, iid)).at(-1)).toContain(': approvals are missing')
  })

  test('may still be merged by others, taken back, or pushed to', async () => {
    const draft = async (branch: string) => {
      const iid = await openOne(place, branch)
      await place.developer.put(`${place.at}/${iid}`, { title: `Draft: ${branch}` })
      expect((await add(place, iid, { auto_merge: true })).status).toBe(202)
      return iid
    }
    const [taken, pushed] = [await draft('taken-back'), await draft('pushed-to')]
    await cancel(taken)
    await pushBranch(place, 'pushed-to', { 'more.txt': 'x' }, { from: 'pushed-to' })
    for (const iid of [taken, pushed]) {
      expect(await requestOf(place, iid)).toMatchObject({ merge_when_pipeline_succeeds: false })
      await place.developer.put(`${place.at}/${iid}`, { title: 'ready' })
    }
    await settle(server)
    expect(await trainOf(place)).toEqual([])
  })
})

describe('lists of cars', () => {
  test('have those of all target branches, by id, and in one scope', async () => {
    const { developer, trains } = place
    const done = (await developer.get(`${trains}?scope=complete`)).body.length
    const iids = await board(server, place, 'listed-1', 'listed-2')
    const numbers = async (query: string, at = trains) => {
      const { status, body } = await developer.get(`${at}?${query}`)
      expect(status).toBe(200)
      return body.map(({ merge_request }: { merge_request: { iid: number } }) => merge_request.iid)
    }
    expect(await numbers('scope=active')).toEqual(iids.toReversed())
    expect(await numbers('scope=active&sort=asc')).toEqual(iids)
    expect(await numbers('scope=active', `${trains}/main`)).toEqual(iids.toReversed())
    expect((await numbers('')).slice(0, 2)).toEqual(iids.toReversed())
    expect(await numbers('', `${trains}/main`)).toHaveLength(done + 2)
    expect(await numbers('scope=complete')).toHaveLength(done)
    expect(await numbers('', `${trains}/unknown%2Fbranch`)).toEqual([])
    const page = await developer.get(`${trains}?per_page=1&page=2&scope=active`)
    expect(page.headers.get('x-total')).toBe('2')
    expect(page.body[0].merge_request.iid).toBe(iids[0])
    for (const [query, error] of [
      ['scope=both', 'scope does not have a valid value'],
      ['sort=up', 'sort does not have a valid value'],
    ]) {
      expect(await developer.get(`${trains}?${query}`)).toMatchObject({ status: 400, body: { error } })
    }
    for (const iid of iids) await cancel(iid)
  })

  test('take as many queries for several cars as for one', async () => {
    const [first] = await board(server, place, 'counted-1')
    const queries = () => queriesOf(server, () => place.developer.get(`${place.trains}?scope=active`))
    const few = await queries()
    const more = await board(server, place, 'counted-2', 'counted-3', 'counted-4')
    expect(await queries()).toBe(few)
    for (const iid of [first as number, ...more]) await cancel(iid)
  })

  test('are not for those below Developer, and show no pipelines where these are off', async () => {
    const [iid = 0] = await board(server, place, 'hidden')
    const { developer, reporter, owner, base, trains } = place
    for (const path of [trains, `${trains}/main`, `${trains}/merge_requests/${iid}`]) {
      expect((await reporter.get(path)).status).toBe(403)
      expect((await server.anonymous.get(path)).status).toBe(401)
    }
    expect((await developer.get(`${trains}/merge_requests/${iid}`)).body.pipeline).not.toBeNull()
    await owner.put(base, { builds_access_level: 'disabled' })
    expect((await developer.get(`${trains}/merge_requests/${iid}`)).body.pipeline).toBeNull()
    await owner.put(base, { builds_access_level: 'enabled' })
    await cancel(iid)
  })
})

test('x.merge_train_get answers 404 for a merge request that is on no train', async () => {
  const iid = await openOne(place, 'never')
  const at = `${place.trains}/merge_requests`
  expect(await place.developer.get(`${at}/${iid}`)).toMatchObject(text(404, '404 Merge Train Merge Request Not Found'))
  expect(await place.developer.get(`${at}/10000`)).toMatchObject(text(404, '404 Not found'))
})
