import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Client, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { makePlace, openRequest, type Place } from '../testing.ts'

let server: TestServer
let owner: Person
let top: NamespaceRow
let sub: NamespaceRow
let place: Place
let other: Person
let count = 0
let one: string
let iid: number
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('group-owner')
  other = await server.user('other-developer')
  top = await server.make.group('top', owner)
  sub = await server.make.group('sub', owner, { parent: top })
})
afterAll(() => server.stop())

beforeEach(async () => {
  count += 1
  const project = await server.make.group(`part-${count}`, owner, { parent: sub })
  place = await makePlace(server, { namespace: project })
  await server.make.member(place, other, 30)
  iid = (await openRequest(place, 'f')).iid
  one = `${place.at}/${iid}`
  return () => place.tree[Symbol.asyncDispose]()
})

const post = (client: Client, path: string, params: object) =>
  client.post(`${path}/approval_rules`, { approvals_required: 1, ...params })
const names = async (path: string, client: Client = place.developer) =>
  (await client.get(`${path}/approval_rules`)).body.map(({ name }: { name: string }) => name)
const state = async () => (await place.developer.get(`${one}/approval_state`)).body
const lacks = async () => (await place.developer.get(`${one}/approvals`)).body.approvals_left
const invalid = (message: object) => ({ status: 400, body: { message } })
const notFound = { status: 404, body: { message: '404 Not found' } }
const ofTop = () => `/groups/${top.id}`

/** Deletes the rules of a group, for which the API has no operation. */
const clearGroups = () =>
  server.app.platform.database.write((tx) =>
    tx.deleteFrom('scoped_approval_rules').where('namespace_id', 'is not', null).execute(),
  )

test('own rules of a merge request stand in place of those of the project', async () => {
  const { maintainer, developer, base } = place
  const ofProject = (await post(maintainer, base, { name: 'project', approvals_required: 2, user_ids: [other.id] }))
    .body
  expect((await maintainer.get(`${base}/approval_rules/${ofProject.id}`)).body).toEqual(ofProject)
  expect(await maintainer.get(`${base}/approval_rules/${ofProject.id + 1}`)).toMatchObject(notFound)
  const listed = (await developer.get(`${one}/approval_rules`)).body
  expect(listed).toMatchObject([{ id: ofProject.id, name: 'project', source_rule: null, overridden: false }])
  expect(Object.keys(listed[0]).sort()).toEqual(
    [
      ...['id', 'name', 'rule_type', 'report_type', 'eligible_approvers', 'approvals_required', 'users', 'groups'],
      ...['contains_hidden_groups', 'section', 'source_rule', 'overridden'],
    ].sort(),
  )
  expect(await lacks()).toBe(2)
  const made = await post(developer, one, { name: 'own', usernames: [other.username.toUpperCase()] })
  expect(made).toMatchObject({
    status: 201,
    body: { name: 'own', rule_type: 'regular', report_type: null, users: [{ id: other.id }], source_rule: null },
  })
  expect(made.body.id).toBeGreaterThan(1_000_000_000)
  expect(await names(one)).toEqual(['own'])
  expect(await state()).toMatchObject({ approval_rules_overwritten: true, rules: [{ id: made.body.id, name: 'own' }] })
  expect(await lacks()).toBe(1)
  const own = `${one}/approval_rules/${made.body.id}`
  expect((await developer.get(own)).body).toEqual(made.body)
  expect(await developer.get(`${one}/approval_rules/${ofProject.id}`)).toMatchObject(notFound)
  const changed = await developer.put(own, { name: 'mine', approvals_required: 3, user_ids: [] })
  expect(changed).toMatchObject({ status: 200, body: { name: 'mine', approvals_required: 3, users: [] } })
  expect(await lacks()).toBe(3)
  expect((await developer.delete(own)).status).toBe(204)
  expect(await developer.delete(own)).toMatchObject(notFound)
  expect(await developer.put(own, { name: 'x' })).toMatchObject(notFound)
  expect(await state()).toMatchObject({ approval_rules_overwritten: false, rules: [{ name: 'project' }] })
})

test('a rule is copied from one of the project, which is the least that it requires', async () => {
  const { maintainer, developer, base } = place
  const source = (await post(maintainer, base, { name: 'source', approvals_required: 2, user_ids: [other.id] })).body
  const copy = (required: number, id = source.id) =>
    post(developer, one, { name: 'ignored', approvals_required: required, approval_project_rule_id: id, user_ids: [] })
  const floor = invalid({ approvals_required: ['must be greater than or equal to 2'] })
  expect(await copy(1)).toMatchObject(floor)
  expect(await copy(2, 999_999)).toMatchObject(notFound)
  const copied = await copy(2)
  const shown = { name: 'source', users: [{ id: other.id }], source_rule: { approvals_required: 2 } }
  expect(copied).toMatchObject({ status: 201, body: { ...shown, overridden: false } })
  expect(await copy(2)).toMatchObject(invalid({ name: ['has already been taken'] }))
  const own = `${one}/approval_rules/${copied.body.id}`
  expect(await developer.put(own, { approvals_required: 1 })).toMatchObject(floor)
  expect((await developer.put(own, { approvals_required: 3 })).body).toMatchObject({ ...shown, overridden: true })
  expect((await state()).rules).toMatchObject([{ ...shown, overridden: true, approvals_required: 3 }])
  await maintainer.delete(`${base}/approval_rules/${source.id}`)
  expect((await developer.get(own)).body).toMatchObject({ source_rule: null, overridden: false })
  expect((await developer.put(own, { approvals_required: 0 })).status).toBe(200)
})

test('developers and the author write rules, while the merge request is open and the settings allow it', async () => {
  const { maintainer, developer, reporter, guest, base } = place
  expect((await post(reporter, one, { name: 'x' })).status).toBe(403)
  expect((await post(guest, one, { name: 'x' })).status).toBe(403)
  const made = await post(developer, one, { name: 'own', approvals_required: 0 })
  await post(maintainer, base, { name: 'project' })
  expect(await lacks()).toBe(0)
  // As an author who is a reporter now.
  const level = (access_level: number) => maintainer.put(`${base}/members/${developer.id}`, { access_level })
  expect((await level(20)).status).toBe(200)
  expect((await developer.put(`${one}/approval_rules/${made.body.id}`, { name: 'renamed' })).status).toBe(200)
  await level(30)
  const settings = (allowed: boolean) =>
    maintainer.put(`${base}/merge_request_approval_setting`, {
      allow_overrides_to_approver_list_per_merge_request: allowed,
    })
  await settings(false)
  const forbidden = { status: 403, body: { message: '403 Forbidden' } }
  expect(await post(developer, one, { name: 'x' })).toMatchObject(forbidden)
  expect(await developer.put(`${one}/approval_rules/${made.body.id}`, { name: 'x' })).toMatchObject(forbidden)
  expect(await developer.delete(`${one}/approval_rules/${made.body.id}`)).toMatchObject(forbidden)
  // Rules that are there do not count any more, at once.
  expect(await names(one)).toEqual(['project'])
  expect(await lacks()).toBe(1)
  await settings(true)
  expect(await names(one)).toEqual(['renamed'])
  await developer.put(one, { state_event: 'close' })
  expect(await post(developer, one, { name: 'x' })).toMatchObject(forbidden)
})

test('rules of reports of the project stay, and are not changed in a merge request', async () => {
  const { maintainer, developer, base } = place
  const report = (await post(maintainer, base, { name: 'Coverage-Check' })).body
  await post(maintainer, base, { name: 'people' })
  await post(developer, one, { name: 'own' })
  expect(await names(one)).toEqual(['Coverage-Check', 'own'])
  for (const client of [developer, maintainer]) {
    expect((await client.put(`${one}/approval_rules/${report.id}`, { name: 'x' })).status).toBe(403)
    expect((await client.delete(`${one}/approval_rules/${report.id}`)).status).toBe(403)
  }
  const copied = await post(developer, one, { name: 'x', approval_project_rule_id: report.id })
  expect(copied.status).toBe(403)
  expect(await post(developer, one, { name: 'x', rule_type: 'report_approver' })).toMatchObject(
    invalid({ report_type: ["can't be blank"] }),
  )
  const own = await post(developer, one, { name: 'scan', rule_type: 'report_approver', report_type: 'scan_finding' })
  expect(own.body).toMatchObject({ rule_type: 'report_approver', report_type: 'scan_finding' })
  expect((await developer.put(`${one}/approval_rules/${own.body.id}`, { approvals_required: 0 })).status).toBe(403)
})

/** What is wrong with a rule, and how it is refused. */
const wrong: readonly (readonly [given: object, answer: object])[] = [
  [{ name: ' ' }, invalid({ name: ["can't be blank"] })],
  [{ approvals_required: 101 }, invalid({ approvals_required: ['must be less than or equal to 100'] })],
  [{ approvals_required: -1 }, invalid({ approvals_required: ['must be greater than or equal to 0'] })],
  [{ name: undefined }, { status: 400, body: { error: 'name is missing' } }],
  [{ approvals_required: undefined }, { status: 400, body: { error: 'approvals_required is missing' } }],
  [{ user_ids: { a: 1 } }, { status: 400, body: { error: 'user_ids is invalid' } }],
  [{ rule_type: 'code_owner' }, { status: 400, body: { error: 'rule_type does not have a valid value' } }],
  [{ name: 'x'.repeat(2_000) }, { status: 400 }],
]

test('wrong rules are refused in a merge request and in a group', async () => {
  for (const [given, answer] of wrong) {
    expect(await post(place.developer, one, { name: 'x', ...given })).toMatchObject(answer)
    expect(await post(owner, ofTop(), { name: 'x', ...given })).toMatchObject(answer)
  }
})

test('names, any-approvers and reports are there once, also for two callers at once, and rules are at most 100', async () => {
  const { developer } = place
  for (const [client, path, what] of [
    [developer, one, 'merge request'],
    [owner, ofTop(), 'group'],
  ] as const) {
    const name = '💩 "x" <b>'
    const answers = await Promise.all([post(client, path, { name }), post(client, path, { name })])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
    expect(answers.find(({ status }) => status === 400)).toMatchObject(invalid({ name: ['has already been taken'] }))
    const any = { rule_type: 'any_approver', approvals_required: 0 }
    expect((await post(client, path, { ...any, name: 'any' })).status).toBe(201)
    expect(await post(client, path, { ...any, name: 'any 2' })).toMatchObject(
      invalid({ rule_type: [`any-approver for the ${what} already exists`] }),
    )
    const report = { rule_type: 'report_approver', report_type: 'code_coverage', approvals_required: 0 }
    expect((await post(client, path, { ...report, name: 'report' })).status).toBe(201)
    expect(await post(client, path, { ...report, name: 'report 2' })).toMatchObject(
      invalid({ report_type: ['has already been taken'] }),
    )
    for (let index = 3; index < 100; index += 1)
      await post(client, path, { name: `rule ${index}`, approvals_required: 0 })
    expect(await post(client, path, { name: 'last' })).toMatchObject(
      invalid({ base: ['Maximum number of approval rules (100) exceeded'] }),
    )
    const page = await client.get(`${path}/approval_rules?per_page=30&page=4`)
    expect([page.body.length, page.headers.get('x-total')]).toEqual([10, '100'])
  }
  await clearGroups()
})

test('rules of groups join those of every project below, for protected branches, also beside own rules', async () => {
  const { developer, base } = place
  expect((await owner.delete(`${base}/protected_branches/main`)).status).toBe(204)
  const made = await post(owner, ofTop(), { name: 'top', user_ids: [owner.id, other.id, 99_999] })
  expect(made).toMatchObject({
    status: 201,
    body: { name: 'top', rule_type: 'regular', users: [{ id: owner.id }], applies_to_all_protected_branches: true },
  })
  await post(owner, `/groups/${sub.id}`, { name: 'sub', approvals_required: 2 })
  expect(await names(one)).toEqual([])
  expect(await lacks()).toBe(0)
  await owner.post(`${base}/protected_branches`, { name: 'main' })
  expect(await names(one)).toEqual(['top', 'sub'])
  expect(await lacks()).toBe(3)
  expect((await developer.get(one)).body.detailed_merge_status).toBe('not_approved')
  await post(developer, one, { name: 'own' })
  expect(await names(one)).toEqual(['top', 'sub', 'own'])
  expect((await developer.put(`${one}/approval_rules/${made.body.id}`, { approvals_required: 0 })).status).toBe(403)
  expect((await developer.delete(`${one}/approval_rules/${made.body.id}`)).status).toBe(403)
  const at = `${ofTop()}/approval_rules/${made.body.id}`
  expect((await owner.get(at)).body).toEqual(made.body)
  expect((await owner.put(at, { name: 'above', approvals_required: 0, user_ids: [] })).body).toMatchObject({
    ...{ name: 'above', approvals_required: 0, users: [] },
  })
  expect(await lacks()).toBe(3)
  // Another group has the rule of this one neither to read nor to change.
  expect(await owner.get(`/groups/${sub.id}/approval_rules/${made.body.id}`)).toMatchObject(notFound)
  expect(await owner.put(`/groups/${sub.id}/approval_rules/${made.body.id}`, { name: 'x' })).toMatchObject(notFound)
  expect(await owner.get(`${ofTop()}/approval_rules/1`)).toMatchObject(notFound)
  await server.make.member({ namespace: top }, place.maintainer, 40)
  expect((await place.maintainer.get(`${ofTop()}/approval_rules`)).status).toBe(403)
  expect((await post(place.maintainer, ofTop(), { name: 'x' })).status).toBe(403)
  await clearGroups()
})

test('without the feature groups have no rules, and those that they have do not count', async () => {
  const made = await post(owner, ofTop(), { name: 'top' })
  expect(await lacks()).toBe(1)
  await server.root.post('/features/approval_group_rules', { value: 'false' })
  expect(await lacks()).toBe(0)
  expect(await owner.get(`${ofTop()}/approval_rules`)).toMatchObject(notFound)
  expect(await post(owner, ofTop(), { name: 'x' })).toMatchObject(notFound)
  expect(await owner.put(`${ofTop()}/approval_rules/${made.body.id}`, { name: 'x' })).toMatchObject(notFound)
  await server.root.delete('/features/approval_group_rules')
  await clearGroups()
})

test('groups that the caller cannot see stay in a rule until they are to be removed', async () => {
  const { maintainer, developer, base } = place
  const secret = await server.make.group(`secret-${count}`, owner)
  const open = await server.make.group(`open-${count}`, owner, { visibility: 'public' })
  const made = await post(owner, base, { name: 'project', groups: [secret.id] })
  const own = await post(owner, one, { name: 'own', group_ids: [secret.id] })
  expect([made.body.groups.length, own.body.groups.length]).toEqual([1, 1])
  for (const [client, path] of [
    [maintainer, `${base}/approval_rules/${made.body.id}`],
    [developer, `${one}/approval_rules/${own.body.id}`],
  ] as const) {
    const both = (await client.put(path, { group_ids: [open.id] })).body
    expect(both).toMatchObject({ groups: [{ id: open.id }], contains_hidden_groups: true })
    const one = (await client.put(path, { remove_hidden_groups: true })).body
    expect(one).toMatchObject({ groups: [{ id: open.id }], contains_hidden_groups: false })
  }
})

test('readers of a public project see no members of groups that they cannot see', async () => {
  const people = await makePlace(server, { visibility: 'public' })
  const secret = await server.make.group(`members-${count}`, people.owner)
  const { iid } = await openRequest(people, 'public')
  const path = `${people.at}/${iid}/approval_rules`
  await post(people.owner, `${people.at}/${iid}`, { name: 'own', group_ids: [secret.id] })
  const eligible = async (client: Client) => (await client.get(path)).body[0].eligible_approvers.length
  expect([await eligible(people.developer), await eligible(server.anonymous)]).toEqual([1, 0])
  await people.tree[Symbol.asyncDispose]()
})
