import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { type ProjectWithMembers, startTestServer, type TestServer } from '../../../testing/index.ts'
import { makePlace, openRequest, type Place, pushBranch } from '../testing.ts'

let server: TestServer
let people: ProjectWithMembers | undefined
const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
beforeAll(async () => {
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())

const forRequests = `
always: {script: a}
of_branches: {script: a, only: [branches]}
of_main: {script: a, only: [main]}
but_main: {script: a, except: [main]}
by_rule: {script: a, rules: [{if: '$CI_PIPELINE_SOURCE == "merge_request_event"'}]}
by_word: {script: a, only: [merge_requests], interruptible: true}
not_these: {script: a, except: [merge_requests]}
`
const ofRequests = ['by_rule', 'by_word']

/** A project whose `main` has a configuration. */
async function placeWith(config: string): Promise<Place> {
  const place = await makePlace(server, people && { people })
  people ??= place
  await pushBranch(place, 'main', { '.gitlab-ci.yml': config })
  await settle()
  return place
}
const settle = () => server.app.platform.jobs.drain()

const rowsOf = async ({ project }: Place, source = 'merge_request_event') => {
  await settle()
  const query = server.app.platform.database.read.selectFrom('pipelines').selectAll().orderBy('id')
  return query.where('project_id', '=', project.id).where('source', '=', source).execute()
}
const namesOf = async (pipelineId: number) => {
  const query = server.app.platform.database.read.selectFrom('ci_jobs').select('name').orderBy('id')
  return (await query.where('pipeline_id', '=', pipelineId).execute()).map(({ name }) => name)
}
type Request = { iid: number; sha: string }
const getOf = async (place: Place, { iid }: Request) => (await place.developer.get(`${place.at}/${iid}`)).body
const run = (place: Place, { iid }: Request, body: object = {}, by = place.developer) =>
  by.post(`${place.at}/${iid}/pipelines`, body)

describe('a pipeline of a merge request', () => {
  test('has the jobs that ask for it, and is created when it is opened, pushed to and reopened', async () => {
    const place = await placeWith(forRequests)
    const request = await openRequest(place, 'one')
    const [opened, ...others] = await rowsOf(place)
    expect(others).toEqual([])
    expect(opened).toMatchObject({
      ...{ ref: `refs/merge-requests/${request.iid}/head`, tag: false, sha: request.sha, status: 'pending' },
      ...{ user_id: place.developer.id, before_sha: null, protected: false },
    })
    expect(await namesOf(opened?.id ?? 0)).toEqual(ofRequests)
    const [branch] = (await rowsOf(place, 'push')).filter(({ ref }) => ref === 'one')
    expect(await namesOf(branch?.id ?? 0)).toEqual(['always', 'of_branches', 'but_main', 'not_these'])
    const sha = await pushBranch(place, 'one', { 'more.txt': 'more\n' }, { from: 'one' })
    const [, pushed, ...more] = await rowsOf(place)
    expect(more).toEqual([])
    expect(pushed).toMatchObject({ sha, user_id: place.owner.id })
    clock.advance(1_000)
    await place.developer.put(`${place.at}/${request.iid}`, { state_event: 'close' })
    await place.developer.put(`${place.at}/${request.iid}`, { title: 'Renamed' })
    expect(await rowsOf(place)).toHaveLength(2)
    await place.developer.put(`${place.at}/${request.iid}`, { state_event: 'reopen' })
    expect((await rowsOf(place)).map((row) => row.sha)).toEqual([request.sha, sha, sha])
  })

  test('is the head pipeline before any of the branch, also of a later one', async () => {
    const place = await placeWith(forRequests)
    const request = await openRequest(place, 'two')
    const second = await openRequest(place, 'to-other', undefined, { target_branch: 'main' })
    const [row] = await rowsOf(place)
    const later = await place.developer.post(`${place.base}/pipeline`, { ref: 'two' })
    expect(later.status).toBe(201)
    const { head_pipeline, pipeline } = await getOf(place, request)
    expect(head_pipeline).toMatchObject({ id: row?.id, source: 'merge_request_event' })
    expect(pipeline.id).toBe(row?.id)
    const listed = (await place.developer.get(`${place.at}/${request.iid}/pipelines`)).body
    const sources = listed.map(({ source }: { source: string }) => source)
    expect(sources.toSorted()).toEqual(['api', 'merge_request_event', 'push'])
    expect((await getOf(place, second)).head_pipeline.source).toBe('merge_request_event')
  })

  test('stays in the list when its head is pushed away', async () => {
    const place = await placeWith(forRequests)
    const request = await openRequest(place, 'away')
    await settle()
    await pushBranch(place, 'away', { 'away.txt': 'other\n' })
    const rows = await rowsOf(place)
    expect(rows.map(({ sha }) => sha === request.sha)).toEqual([true, false])
    const { body } = await place.developer.get(`${place.at}/${request.iid}/pipelines`)
    const listed = body.filter(({ source }: { source: string }) => source === 'merge_request_event')
    expect(listed.map(({ id }: { id: number }) => id)).toEqual(rows.map(({ id }) => id).reverse())
  })

  test('is not the one of another merge request of the same branch', async () => {
    const place = await placeWith(forRequests)
    await pushBranch(place, 'stable', { 's.txt': 's\n' }, { from: 'main' })
    const one = await openRequest(place, 'shared')
    await settle()
    const { body: other } = await place.developer.post(place.at, {
      ...{ source_branch: 'shared', target_branch: 'stable', title: 'Other' },
    })
    const rows = await rowsOf(place)
    expect(rows.map(({ ref }) => ref)).toEqual([one, other].map(({ iid }) => `refs/merge-requests/${iid}/head`))
    expect((await getOf(place, one)).head_pipeline.id).toBe(rows[0]?.id)
    expect((await getOf(place, other)).head_pipeline.id).toBe(rows[1]?.id)
    const listed = (await place.developer.get(`${place.at}/${one.iid}/pipelines`)).body
    const ids = listed.map(({ id }: { id: number }) => id)
    expect(ids).toContain(rows[0]?.id)
    expect(ids).not.toContain(rows[1]?.id)
  })

  test('holds a merge that needs a pipeline, whatever the branch has', async () => {
    const place = await placeWith(forRequests)
    await place.owner.put(place.base, { only_allow_merge_if_pipeline_succeeds: true })
    const request = await openRequest(place, 'held')
    const [row] = await rowsOf(place)
    const { database } = server.app.platform
    const end = (ids: number[], status: 'success' | 'failed') =>
      database.write((tx) =>
        tx
          .updateTable('pipelines')
          .set({ status, finished_at: clock.now().toISOString() })
          .where('id', 'in', ids)
          .execute(),
      )
    const branch = (await rowsOf(place, 'push')).filter(({ ref }) => ref === 'held').map(({ id }) => id)
    await end(branch, 'success')
    expect((await getOf(place, request)).detailed_merge_status).toBe('ci_still_running')
    await end([row?.id ?? 0], 'success')
    await end(branch, 'failed')
    expect((await getOf(place, request)).detailed_merge_status).toBe('mergeable')
  })

  test('is not created without a job for it, nor by a workflow that says so', async () => {
    const without = await placeWith('a: {script: a}\nb: {script: b, except: [tags]}\n')
    await openRequest(without, 'none')
    expect(await rowsOf(without)).toEqual([])
    const filtered = await placeWith(
      `workflow: {rules: [{if: '$CI_MERGE_REQUEST_IID', when: never}, {when: always}]}\n${forRequests}`,
    )
    await openRequest(filtered, 'filtered')
    expect(await rowsOf(filtered)).toEqual([])
  })

  test('takes the place of the branch where the workflow looks at open merge requests', async () => {
    const place = await placeWith(`
workflow:
  rules:
    - if: '$CI_PIPELINE_SOURCE == "merge_request_event"'
    - if: '$CI_COMMIT_BRANCH && $CI_OPEN_MERGE_REQUESTS'
      when: never
    - if: '$CI_COMMIT_BRANCH'
job: {script: a, rules: [{when: on_success}]}
`)
    await openRequest(place, 'instead')
    await rowsOf(place)
    const sha = await pushBranch(place, 'instead', { 'more.txt': 'more\n' }, { from: 'instead' })
    expect((await rowsOf(place, 'push')).map((row) => row.sha)).not.toContain(sha)
    expect((await rowsOf(place)).at(-1)?.sha).toBe(sha)
  })

  test('compares changes with the last common commit', async () => {
    const place = await placeWith(
      `job: {script: a, rules: [{if: $CI_MERGE_REQUEST_IID, changes: [first.txt]}]}\nother: {script: a, rules: [{if: $CI_MERGE_REQUEST_IID, changes: [a.txt]}]}\n`,
    )
    await openRequest(place, 'changed', { 'first.txt': 'first\n' })
    await rowsOf(place)
    await pushBranch(place, 'changed', { 'second.txt': 'second\n' }, { from: 'changed' })
    const rows = await rowsOf(place)
    expect(rows).toHaveLength(2)
    for (const { id } of rows) expect(await namesOf(id)).toEqual(['job'])
  })

  test('is protected where both branches are', async () => {
    const place = await placeWith(forRequests)
    for (const name of ['safe', 'main']) {
      await place.maintainer.post(`${place.base}/protected_branches`, { name, push_access_level: 30 })
    }
    const both = await openRequest(place, 'safe')
    const one = await openRequest(place, 'unsafe')
    const rows = await rowsOf(place)
    const isProtected = ({ iid }: Request) =>
      rows.find(({ ref }) => ref === `refs/merge-requests/${iid}/head`)?.protected
    expect([isProtected(both), isProtected(one)]).toEqual([true, false])
  })

  test('is cancelled by the next one where its jobs may be interrupted', async () => {
    const place = await placeWith('job: {script: a, only: [merge_requests], interruptible: true}\n')
    await openRequest(place, 'replaced')
    await rowsOf(place)
    await pushBranch(place, 'replaced', { 'more.txt': 'more\n' }, { from: 'replaced' })
    expect((await rowsOf(place)).map(({ status }) => status)).toEqual(['canceled', 'pending'])
  })

  test('is recorded as skipped where the commit says so', async () => {
    const place = await placeWith(forRequests)
    await openRequest(place, 'marked', undefined, {}, { message: 'words [ci skip]' })
    expect(await rowsOf(place)).toMatchObject([{ status: 'skipped' }])
  })

  test('is created once, although its job runs twice', async () => {
    const place = await placeWith(forRequests)
    const request = await openRequest(place, 'once')
    const [row] = await rowsOf(place)
    const { database, jobs } = server.app.platform
    const payload = { mergeRequestId: (await getOf(place, request)).id, sha: request.sha, userId: place.developer.id }
    const again = { ...payload, since: row?.created_at }
    await database.write((tx) => jobs.enqueue(tx, 'merge_requests.create_pipeline', again))
    expect(await rowsOf(place)).toHaveLength(1)
  })

  test('is not created for a user who was blocked meanwhile, nor for a former head', async () => {
    const place = await placeWith(forRequests)
    const leaving = await server.user('leaving')
    await server.make.member({ project: place.project }, leaving, 30)
    const request = await openRequest(place, 'left')
    await rowsOf(place)
    await server.root.post(`/users/${leaving.id}/block`)
    clock.advance(1_000)
    const { id } = await getOf(place, request)
    const { database, jobs } = server.app.platform
    const enqueue = (more: object) => {
      const payload = { mergeRequestId: id, sha: request.sha, userId: place.developer.id, since: clock.now() }
      return database.write((tx) => jobs.enqueue(tx, 'merge_requests.create_pipeline', { ...payload, ...more }))
    }
    await enqueue({ userId: leaving.id })
    await enqueue({ sha: 'a'.repeat(40) })
    await enqueue({ mergeRequestId: 0 })
    expect(await rowsOf(place)).toHaveLength(1)
    await enqueue({})
    expect(await rowsOf(place)).toHaveLength(2)
  })
})

describe('x.mr_pipeline_create', () => {
  test('creates another pipeline of the head, now or later', async () => {
    const place = await placeWith(forRequests)
    const request = await openRequest(place, 'asked')
    await rowsOf(place)
    const { status, body } = await run(place, request)
    expect(status).toBe(201)
    const ref = `refs/merge-requests/${request.iid}/head`
    expect(body).toMatchObject({
      sha: request.sha,
      ref,
      source: 'merge_request_event',
      user: { id: place.developer.id },
    })
    clock.advance(1)
    expect(await run(place, request, { async: true })).toMatchObject({ status: 202, body: 202 })
    expect(await rowsOf(place)).toHaveLength(3)
    expect((await place.developer.post(`${place.base}/pipelines/${body.id}/cancel`)).status).toBe(200)
    expect((await place.developer.post(`${place.base}/pipelines/${body.id}/retry`)).status).toBe(201)
  })

  test('is refused without jobs, below Developer, and when it is not open', async () => {
    const place = await placeWith('a: {script: a}\n')
    const request = await openRequest(place, 'refused')
    const sentence =
      'Pipeline will not run for the selected trigger. The rules configuration prevented any jobs from being added to the pipeline.'
    expect(await run(place, request)).toMatchObject({ status: 400, body: { message: { base: [sentence] } } })
    expect((await run(place, request, {}, place.reporter)).status).toBe(403)
    expect((await run(place, request, { async: 'maybe' })).status).toBe(400)
    expect((await run(place, { ...request, iid: 10_000 })).status).toBe(404)
    await place.developer.put(`${place.at}/${request.iid}`, { state_event: 'close' })
    expect(await run(place, request)).toMatchObject({ status: 405, body: { message: '405 Method Not Allowed' } })
  })

  test('needs the right to push to the source branch, and so does a retry', async () => {
    const place = await placeWith(forRequests)
    const request = await openRequest(place, 'closed-branch')
    const [row] = await rowsOf(place)
    const rule = { name: 'closed-branch', push_access_level: 40, merge_access_level: 40 }
    await place.maintainer.post(`${place.base}/protected_branches`, rule)
    expect(await run(place, request)).toMatchObject({ status: 400 })
    const retry = `${place.base}/pipelines/${row?.id}/retry`
    expect((await place.developer.post(retry)).status).toBe(403)
    expect((await place.maintainer.post(retry)).status).toBe(201)
    await place.owner.delete(`${place.at}/${request.iid}`)
    expect((await place.maintainer.post(retry)).status).toBe(403)
  })
})

test('lists of the pipelines of branches have none of merge requests', async () => {
  const place = await placeWith(forRequests)
  await openRequest(place, 'listed')
  await openRequest(place, 'zlisted')
  expect(await rowsOf(place)).toHaveLength(2)
  const refsOf = async (query: string) =>
    (await place.developer.get(`${place.base}/pipelines?${query}`)).body
      .map(({ ref }: { ref: string }) => ref)
      .toSorted()
  expect(await refsOf('scope=branches')).toEqual(['listed', 'main', 'zlisted'])
  const both = ['refs/merge-requests/1/head', 'refs/merge-requests/2/head']
  expect(await refsOf('source=merge_request_event')).toEqual(both)
})
