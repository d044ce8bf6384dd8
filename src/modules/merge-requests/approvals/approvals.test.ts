import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayAfter } from '../../../api/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { makePlace, openRequest, type Place, pushBranch } from '../testing.ts'

let server: TestServer
let place: Place
let other: Person
beforeAll(async () => {
  server = await startTestServer()
  place = await makePlace(server)
  other = await server.user('other-developer')
  await server.make.member(place, other, 30)
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }

test('rules of a project have names of their own, and one of them is for anyone', async () => {
  const { maintainer, developer, base, reporter } = place
  const path = `${base}/approval_rules`
  const made = await maintainer.post(path, {
    ...{
      name: 'team',
      approvals_required: 1,
      user_ids: [other.id, 99_999],
      usernames: [developer.username.toUpperCase()],
    },
  })
  expect(made).toMatchObject({
    status: 201,
    body: { name: 'team', rule_type: 'regular', report_type: null, approvals_required: 1, groups: [] },
  })
  const ids = (people: { id: number }[]) => people.map(({ id }) => id).sort()
  expect(ids(made.body.users)).toEqual([other.id, developer.id].sort())
  expect((await maintainer.post(path, { name: 'team', approvals_required: 1 })).body).toEqual({
    message: { name: ['has already been taken'] },
  })
  const any = { name: 'any', approvals_required: 0, rule_type: 'any_approver' }
  expect((await maintainer.post(path, any)).status).toBe(201)
  expect((await maintainer.post(path, { ...any, name: 'any 2' })).body).toEqual({
    message: { rule_type: ['any-approver for the project already exists'] },
  })
  expect((await maintainer.post(path, { name: 'x', approvals_required: 101 })).body).toEqual({
    message: { approvals_required: ['must be less than or equal to 100'] },
  })
  expect((await maintainer.post(path, { name: ' ', approvals_required: -1 })).body).toEqual({
    message: { name: ["can't be blank"], approvals_required: ['must be greater than or equal to 0'] },
  })
  const changed = await maintainer.put(`${path}/${made.body.id}`, { name: 'crew', user_ids: [] })
  expect(changed.body).toMatchObject({ name: 'crew', users: [], approvals_required: 1 })
  expect((await developer.get(path)).body.map(({ name }: { name: string }) => name)).toEqual(['crew', 'any'])
  expect((await reporter.get(path)).status).toBe(403)
  expect((await maintainer.put(`${path}/999999`, { name: 'y' })).status).toBe(404)
  for (const { id } of (await developer.get(path)).body)
    expect((await maintainer.delete(`${path}/${id}`)).status).toBe(204)
  expect((await maintainer.delete(`${path}/${made.body.id}`)).status).toBe(404)
})

test('a private group in a rule is hidden from those who cannot see it, and cannot be named by them', async () => {
  const { maintainer, owner, base } = place
  const group = await server.make.group('secret', owner)
  const rule = { name: 'hidden', approvals_required: 0, group_ids: [group.id] }
  expect((await maintainer.post(`${base}/approval_rules`, rule)).body).toMatchObject({ groups: [] })
  const named = await owner.post(`${base}/approval_rules`, { ...rule, name: 'named' })
  expect(named.body.contains_hidden_groups).toBe(false)
  expect(named.body.groups).toEqual([(await owner.get('/groups?search=secret')).body[0]])
  const seen = (await maintainer.get(`${base}/approval_rules`)).body
  expect(seen[1]).toMatchObject({ name: 'named', groups: [], contains_hidden_groups: true })
  for (const { id } of seen) await owner.delete(`${base}/approval_rules/${id}`)
})

test('a request lacks approvals until those of its rules are there', async () => {
  const { maintainer, developer, reporter, at, base } = place
  const rule = await maintainer.post(`${base}/approval_rules`, { name: 'one', approvals_required: 1 })
  const { iid } = await openRequest(place, 'f')
  const one = `${at}/${iid}`
  expect((await developer.get(one)).body.detailed_merge_status).toBe('not_approved')
  expect((await maintainer.put(`${one}/merge`)).status).toBe(405)
  expect(await developer.post(`${one}/approve`)).toMatchObject(unauthorized)
  expect((await reporter.post(`${one}/approve`)).status).toBe(403)
  expect(await other.post(`${one}/approve`, { sha: '0'.repeat(40) })).toMatchObject({ status: 409 })
  const approved = await other.post(`${one}/approve`)
  expect(approved).toMatchObject({
    status: 201,
    body: {
      ...{ iid, approved: true, approvals_required: 1, approvals_left: 0, user_has_approved: true },
      ...{ user_can_approve: false, has_approval_rules: true, approval_rules_left: [] },
      approved_by: [{ user: { id: other.id }, approved_at: expect.any(String) }],
    },
  })
  expect(await other.post(`${one}/approve`)).toMatchObject(unauthorized)
  expect((await developer.get(`${one}/approval_state`)).body.rules).toMatchObject([
    { id: rule.body.id, approved: true, approved_by: [{ id: other.id }] },
  ])
  expect((await other.post(`${one}/unapprove`)).body).toMatchObject({
    ...{ approved: false, approvals_left: 1, user_can_approve: true },
    approval_rules_left: [{ id: rule.body.id, name: 'one', rule_type: 'regular' }],
  })
  expect(await other.post(`${one}/unapprove`)).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
  await other.post(`${one}/approve`)
  await pushBranch(place, 'f', { 'again.txt': 'x' }, { from: 'f' })
  expect((await developer.get(`${one}/approvals`)).body).toMatchObject({ approved: false, approved_by: [] })
  await other.post(`${one}/approve`)
  expect((await maintainer.put(`${one}/merge`)).body.state).toBe('merged')
  expect(await maintainer.post(`${one}/approve`)).toMatchObject(unauthorized)
  await maintainer.delete(`${base}/approval_rules/${rule.body.id}`)
})

test('approvals of others than the named users and members do not count for a rule', async () => {
  const { maintainer, developer, owner, at, base } = place
  const group = await server.make.group('crew', owner)
  const rule = await owner.post(`${base}/approval_rules`, {
    name: 'crew',
    approvals_required: 1,
    group_ids: [group.id],
  })
  const { iid } = await openRequest(place, 'g')
  await other.post(`${at}/${iid}/approve`)
  expect((await developer.get(`${at}/${iid}/approvals`)).body).toMatchObject({ approved: false, approvals_left: 1 })
  await server.make.member({ namespace: group }, other, 10)
  expect((await developer.get(`${at}/${iid}/approvals`)).body).toMatchObject({ approved: true })
  await maintainer.delete(`${base}/approval_rules/${rule.body.id}`)
})

test('suggests who could give the approvals that are missing', async () => {
  const { maintainer, developer, reporter, owner, at, base } = place
  const group = await server.make.group('helpers', owner)
  const [guest, helper, blocked] = await Promise.all(
    ['a-guest', 'a-helper', 'a-blocked'].map((name) => server.user(name)),
  )
  if (!guest || !helper || !blocked) throw new Error('a user is missing')
  for (const person of [guest, helper, blocked]) {
    await server.make.member({ namespace: group }, person, 30)
    if (person !== guest) await server.make.member(place, person, 30)
  }
  await server.root.post(`/users/${blocked.id}/block`)
  const rule = async (name: string, params: object) =>
    (await owner.post(`${base}/approval_rules`, { name, approvals_required: 1, ...params })).body
  const rules = [
    await rule('people', { user_ids: [developer.id, reporter.id, maintainer.id] }),
    await rule('groups', { group_ids: [group.id], user_ids: [maintainer.id] }),
    await rule('anyone', { rule_type: 'any_approver' }),
  ]
  const { iid } = await openRequest(place, 's')
  const read = async (client = developer) => (await client.get(`${at}/${iid}/approvals`)).body
  const suggested = async () => (await read()).suggested_approvers.map(({ id }: { id: number }) => id)
  expect(await suggested()).toEqual([maintainer.id, owner.id, helper.id])
  expect((await read(owner)).approver_groups).toMatchObject([{ group: { id: group.id, full_path: 'helpers' } }])
  expect((await read()).approver_groups).toEqual([])
  await helper.post(`${at}/${iid}/approve`)
  expect(await suggested()).toEqual([maintainer.id])
  await maintainer.post(`${at}/${iid}/approve`)
  expect(await suggested()).toEqual([])
  for (const { id } of rules) await owner.delete(`${base}/approval_rules/${id}`)
})

test('reviewers have a state, which approvals change', async () => {
  const { developer, at } = place
  const { iid } = await openRequest(place, 'r', undefined, { reviewer_ids: [other.id] })
  const states = async () => (await developer.get(`${at}/${iid}/reviewers`)).body
  expect(await states()).toMatchObject([{ user: { id: other.id }, state: 'unreviewed' }])
  await other.post(`${at}/${iid}/approve`)
  expect(await states()).toMatchObject([{ state: 'approved' }])
  await other.post(`${at}/${iid}/unapprove`)
  expect(await states()).toMatchObject([{ state: 'unapproved' }])
  const { database } = server.app.platform
  await database.write((tx) =>
    tx
      .updateTable('merge_request_reviewers')
      .set({ state: 'requested_changes' })
      .where('user_id', '=', other.id)
      .execute(),
  )
  expect((await developer.get(`${at}/${iid}`)).body.detailed_merge_status).toBe('requested_changes')
})

test('only bots of the project reset approvals', async () => {
  const { developer, owner, at, base } = place
  const { iid } = await openRequest(place, 'b')
  await other.post(`${at}/${iid}/approve`)
  expect(await developer.put(`${at}/${iid}/reset_approvals`)).toMatchObject(unauthorized)
  const token = await owner.post(`${base}/access_tokens`, {
    name: 'bot',
    scopes: ['api'],
    access_level: 30,
    expires_at: dayAfter(new Date(), 30),
  })
  const reset = await server.as(token.body.token).put(`${at}/${iid}/reset_approvals`)
  expect(reset).toMatchObject({ status: 202, body: 202 })
  expect(reset.headers.get('content-type')).toMatch(/^application\/json/)
  expect((await developer.get(`${at}/${iid}/approvals`)).body.approved_by).toEqual([])
})

test('a new head withdraws approvals where the project says so, and a new target never', async () => {
  const { maintainer, owner, developer, at, base } = place
  const { iid } = await openRequest(place, 'approved')
  const one = `${at}/${iid}`
  const approvers = async () => (await developer.get(`${one}/approvals`)).body.approved_by.length
  const push = (text: string) => pushBranch(place, 'approved', { 'more.txt': text }, { from: 'approved' })
  expect((await maintainer.post(`${one}/approve`)).status).toBe(201)
  await pushBranch(place, 'another-target', { 'target.txt': 'x' })
  const moved = await developer.put(one, { target_branch: 'another-target' })
  expect(moved).toMatchObject({ status: 200, body: { target_branch: 'another-target' } })
  expect(await approvers()).toBe(1)
  expect((await owner.put(base, { reset_approvals_on_push: false })).status).toBe(200)
  await push('kept')
  expect(await approvers()).toBe(1)
  expect((await owner.put(base, { reset_approvals_on_push: true })).status).toBe(200)
  await push('withdrawn')
  expect(await approvers()).toBe(0)
})

test('a request is not merged without the pipeline that its project requires', async () => {
  const { maintainer, owner, at, base } = place
  expect((await owner.put(base, { only_allow_merge_if_pipeline_succeeds: true })).status).toBe(200)
  const { iid } = await openRequest(place, 'without-pipeline')
  expect((await maintainer.get(`${at}/${iid}`)).body.detailed_merge_status).toBe('ci_must_pass')
  expect(await maintainer.put(`${at}/${iid}/merge`)).toMatchObject({ status: 405 })
  expect((await owner.put(base, { only_allow_merge_if_pipeline_succeeds: false })).status).toBe(200)
  expect(await maintainer.put(`${at}/${iid}/merge`)).toMatchObject({ status: 200, body: { state: 'merged' } })
})
