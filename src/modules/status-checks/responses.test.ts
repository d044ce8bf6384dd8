import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import {
  type ProjectWithMembers,
  type Receiver,
  startReceiver,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'
import { makePlace, openRequest, type Place, pushBranch } from '../merge-requests/testing.ts'
import { makeRunner, workOn } from '../runners/testing.ts'

let server: TestServer
let receiver: Receiver
let people: ProjectWithMembers | undefined
let place: Place
const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
beforeAll(async () => {
  server = await startTestServer({ clock })
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver.stop()
  await server.stop()
})
const allowLocal = (allow_local_requests_from_web_hooks_and_services: boolean) =>
  server.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services })
beforeEach(async () => {
  await allowLocal(true)
  place = await makePlace(server, people && { people })
  people ??= place
  await server.app.platform.jobs.drain()
  receiver.reset()
})

const mustPass = () => place.owner.put(place.base, { only_allow_merge_if_all_status_checks_passed: true })
let named = 0
async function makeCheck(given: object = {}) {
  named += 1
  const body = { name: `check ${named}`, external_url: `${receiver.url}/${named}?token=x`, ...given }
  const made = await place.maintainer.post(`${place.base}/external_status_checks`, body)
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return made.body as { id: number; name: string; external_url: string }
}
type Request = { iid: number; sha: string }
const listOf = async ({ iid }: Request, as = place.developer) => (await as.get(`${place.at}/${iid}/status_checks`)).body
const answer = ({ iid, sha }: Request, id: number, status: string, as = place.developer) =>
  as.post(`${place.at}/${iid}/status_check_responses`, { external_status_check_id: id, sha, status })
const retry = ({ iid }: Request, id: number, as = place.developer) =>
  as.post(`${place.at}/${iid}/status_checks/${id}/retry`)
const statusOf = async ({ iid }: Request) =>
  (await place.developer.get(`${place.at}/${iid}`)).body.detailed_merge_status
async function received() {
  await server.app.platform.jobs.drain()
  const sent = receiver.received.map(({ body }) => JSON.parse(body))
  receiver.reset()
  return sent
}

test('a check is pending, then what it answers about the head, and pending again after a push', async () => {
  const { id, name } = await makeCheck()
  const request = await openRequest(place, 'one')
  const url = `${receiver.url}/${named}`
  const shown = { id, name, external_url: url, status: 'pending' }
  const listed = await place.developer.get(`${place.at}/${request.iid}/status_checks`)
  expect(listed).toMatchObject({ status: 200, body: [shown] })
  expect(listed.headers.get('poll-interval')).toBe('10000')
  expect(await listOf(request, place.reporter)).toEqual([{ ...shown, external_url: '' }])
  const passed = await answer(request, id, 'passed')
  expect(passed).toMatchObject({
    status: 201,
    body: { id: expect.any(Number), merge_request: { iid: request.iid }, external_status_check: { id, hmac: false } },
  })
  expect(await listOf(request)).toEqual([{ ...shown, status: 'passed' }])
  expect((await answer(request, id, 'failed')).status).toBe(201)
  expect(await listOf(request)).toEqual([{ ...shown, status: 'failed' }])
  await pushBranch(place, 'one', { 'more.txt': 'more\n' }, { from: 'one' })
  expect(await listOf(request)).toEqual([shown])
})

test('an answer is about the head, a check of the project, and by a developer', async () => {
  const { id } = await makeCheck()
  const request = await openRequest(place, 'two')
  const wrong = await answer({ ...request, sha: 'a'.repeat(40) }, id, 'passed')
  const sentence = `SHA does not match HEAD of source branch: ${request.sha}`
  expect(wrong).toMatchObject({ status: 409, body: { message: sentence } })
  expect((await answer(request, id + 1_000, 'passed')).status).toBe(404)
  expect((await answer(request, id, 'passed', place.reporter)).status).toBe(403)
  const path = `${place.at}/${request.iid}/status_check_responses`
  for (const [given, error] of [
    [{ external_status_check_id: id, sha: '', status: 'passed' }, 'sha is empty'],
    [{ external_status_check_id: id, sha: request.sha, status: 'skipped' }, 'status does not have a valid value'],
    [{ external_status_check_id: 'x', sha: request.sha, status: 'passed' }, 'external_status_check_id is invalid'],
    [{ sha: request.sha, status: 'passed' }, 'external_status_check_id is missing'],
  ] as const) {
    expect(await place.developer.post(path, given)).toMatchObject({ status: 400, body: { error } })
  }
  const other = await makePlace(server, { people: place })
  const { body: foreign } = await other.maintainer.post(`${other.base}/external_status_checks`, {
    name: 'foreign',
    external_url: 'https://foreign.example/',
  })
  expect((await answer(request, foreign.id, 'passed')).status).toBe(404)
  expect(await listOf(request)).toMatchObject([{ status: 'pending' }])
})

test('a check that was put to pending counts as failed after two minutes', async () => {
  const { id } = await makeCheck()
  const request = await openRequest(place, 'three')
  await answer(request, id, 'pending')
  clock.advance(119_999)
  expect(await listOf(request)).toMatchObject([{ status: 'pending' }])
  expect(await retry(request, id)).toMatchObject({ status: 422 })
  clock.advance(1)
  expect(await listOf(request)).toMatchObject([{ status: 'failed' }])
  expect((await retry(request, id)).status).toBe(202)
})

test('only a failed check is sent again, and is pending then', async () => {
  const { id } = await makeCheck()
  const request = await openRequest(place, 'four')
  const sentence = { message: 'External status check must be failed' }
  expect(await retry(request, id)).toMatchObject({ status: 422, body: sentence })
  await answer(request, id, 'failed')
  await received()
  expect((await retry(request, id, place.reporter)).status).toBe(403)
  const both = await Promise.all([retry(request, id), retry(request, id)])
  expect(both.map(({ status }) => status).toSorted()).toEqual([202, 422])
  expect(both.find(({ status }) => status === 202)?.body).toEqual({ message: '202 Accepted' })
  expect(await received()).toMatchObject([{ external_approval_rule: { id }, object_attributes: { action: 'update' } }])
  expect(await listOf(request)).toMatchObject([{ status: 'pending' }])
  await answer(request, id, 'passed')
  expect(await retry(request, id)).toMatchObject({ status: 422, body: sentence })
  expect((await retry(request, 0)).status).toBe(404)
})

describe('what is sent', () => {
  test('is the payload of webhooks with the check, signed, at each change', async () => {
    const { id, name, external_url } = await makeCheck({ shared_secret: 'key' })
    const request = await openRequest(place, 'five')
    await server.app.platform.jobs.drain()
    const [first] = receiver.received
    const signature = createHmac('sha256', 'key')
      .update(first?.body ?? '')
      .digest('hex')
    expect(first).toMatchObject({ method: 'POST', url: expect.stringMatching(/^\/\d+\?token=x$/) })
    expect(first?.headers).toMatchObject({ 'x-gitlab-signature': signature, 'x-service-signature': signature })
    const [opened] = await received()
    expect(opened).toMatchObject({
      object_kind: 'merge_request',
      external_approval_rule: { id, name, external_url },
      object_attributes: { iid: request.iid, action: 'open', last_commit: { id: request.sha } },
    })
    await place.developer.put(`${place.at}/${request.iid}`, { title: 'Renamed' })
    await place.developer.put(`${place.at}/${request.iid}`, { state_event: 'close' })
    await place.developer.put(`${place.at}/${request.iid}`, { state_event: 'reopen' })
    const actions = (await received()).map(({ object_attributes: { action } }) => action)
    expect(actions.toSorted()).toEqual(['reopen', 'update'])
    await pushBranch(place, 'five', { 'more.txt': 'more\n' }, { from: 'five' })
    expect(await received()).toMatchObject([{ object_attributes: { action: 'update', oldrev: request.sha } }])
  })

  test('carries no signature without a secret', async () => {
    await makeCheck()
    await openRequest(place, 'six')
    await server.app.platform.jobs.drain()
    const names = Object.keys(receiver.received[0]?.headers ?? {})
    expect(names).toContain('user-agent')
    expect(names.filter((name) => name.includes('signature'))).toEqual([])
  })

  test('does not reach local addresses where they are not allowed', async () => {
    const { id } = await makeCheck()
    await allowLocal(false)
    const request = await openRequest(place, 'seven')
    expect(await received()).toEqual([])
    expect((await answer(request, id, 'passed')).status).toBe(201)
    const jobs = server.app.platform.database.read.selectFrom('jobs').select('id')
    expect(await jobs.where('kind', '=', 'status_checks.send').execute()).toEqual([])
  })
})

test('checks of protected branches are for merge requests into them', async () => {
  const protect = async (name: string) =>
    (await place.maintainer.post(`${place.base}/protected_branches`, { name })).body.id as number
  const ids = [await protect('release/*'), await protect('other')]
  await mustPass()
  const { id } = await makeCheck({ protected_branch_ids: ids })
  await pushBranch(place, 'release/1', { 'r.txt': 'r\n' })
  await received()
  const toMain = await openRequest(place, 'eight')
  const toRelease = await openRequest(place, 'nine', undefined, { target_branch: 'release/1' })
  expect(await listOf(toMain)).toEqual([])
  expect(await listOf(toRelease)).toMatchObject([{ id, status: 'pending' }])
  expect(await received()).toMatchObject([{ object_attributes: { iid: toRelease.iid } }])
  expect(await statusOf(toMain)).toBe('mergeable')
  expect(await statusOf(toRelease)).toBe('status_checks_must_pass')
  const { body } = await answer(toRelease, id, 'passed')
  expect(body.external_status_check.protected_branches.map((one: { id: number }) => one.id)).toEqual(ids)
  expect(await statusOf(toRelease)).toBe('mergeable')
})

test('a project that asks for all checks holds merges until they have passed', async () => {
  const [one, two] = [await makeCheck(), await makeCheck()]
  const request = await openRequest(place, 'ten')
  const merge = () => place.maintainer.put(`${place.at}/${request.iid}/merge`)
  expect(await statusOf(request)).toBe('mergeable')
  await mustPass()
  expect(await statusOf(request)).toBe('status_checks_must_pass')
  await answer(request, one.id, 'passed')
  await answer(request, two.id, 'failed')
  expect(await statusOf(request)).toBe('status_checks_must_pass')
  expect(await merge()).toMatchObject({ status: 405 })
  // In an edition that has no status checks, those that are stored hold nothing.
  const { config } = server.app.platform
  const { edition } = config
  config.edition = { ...edition, tier: 'premium' }
  expect(await statusOf(request)).toBe('mergeable')
  config.edition = edition
  const [listed] = (await place.developer.get(`${place.at}?iids[]=${request.iid}`)).body
  expect(listed).toMatchObject({ detailed_merge_status: 'status_checks_must_pass' })
  await place.maintainer.delete(`${place.base}/external_status_checks/${two.id}`)
  expect(await statusOf(request)).toBe('mergeable')
  expect(await merge()).toMatchObject({ status: 200, body: { state: 'merged' } })
})

test('a list of several projects holds those of the project of the check alone', async () => {
  await mustPass()
  await makeCheck()
  const held = await openRequest(place, 'listed')
  const other = await makePlace(server, { people: place })
  await other.owner.put(other.base, { only_allow_merge_if_all_status_checks_passed: true })
  const free = await openRequest(other, 'listed')
  await other.developer.get(`${other.at}/${free.iid}`)
  await statusOf(held)
  const listed = (await place.developer.get('/merge_requests?scope=all&source_branch=listed')).body
  const found = new Map(listed.map((one: { id: number; detailed_merge_status: string }) => [one.id, one]))
  expect(found.get(held.id)).toMatchObject({ detailed_merge_status: 'status_checks_must_pass' })
  expect(found.get(free.id)).toMatchObject({ detailed_merge_status: 'mergeable' })
})

test('answers of a check and of a merge request end with them', async () => {
  const { id } = await makeCheck()
  const request = await openRequest(place, 'eleven')
  await answer(request, id, 'passed')
  const rows = () =>
    server.app.platform.database.read
      .selectFrom('status_check_responses')
      .where('check_id', '=', id)
      .selectAll()
      .execute()
  expect(await rows()).toHaveLength(1)
  expect((await place.owner.delete(`${place.at}/${request.iid}`)).status).toBe(204)
  expect(await rows()).toEqual([])
})

test('auto-merge waits for checks, and the answer that lets the last one pass merges', async () => {
  const config = 'work:\n  script: make\n  rules:\n    - if: $CI_COMMIT_BRANCH == "awaited"\n'
  await place.tree.run('checkout', '--quiet', 'main')
  await place.tree.commit('configure', { '.gitlab-ci.yml': config })
  await place.tree.push(place.owner, 'main')
  const runner = await makeRunner(server)
  await mustPass()
  const checks = [await makeCheck(), await makeCheck()]
  const request = await openRequest(place, 'awaited')
  const { drain } = server.app.platform.jobs
  await drain()
  const wish = () => place.maintainer.put(`${place.at}/${request.iid}/merge`, { auto_merge: true })
  expect((await wish()).body).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: true })
  expect((await workOn(server, await runner.take()).update({ state: 'success' })).status).toBe(200)
  const waits = { state: 'opened', merge_when_pipeline_succeeds: true, merge_error: null }
  for (const [check, status] of [
    [checks[0], 'failed'],
    [checks[1], 'passed'],
  ] as const) {
    await answer(request, check?.id ?? 0, status)
    await drain()
    expect((await place.developer.get(`${place.at}/${request.iid}`)).body).toMatchObject(waits)
  }
  await answer(request, checks[0]?.id ?? 0, 'passed')
  await drain()
  const shown = () => place.developer.get(`${place.at}/${request.iid}`)
  await expect.poll(shown).toMatchObject({ body: { state: 'merged', merge_user: { id: place.maintainer.id } } })
})
