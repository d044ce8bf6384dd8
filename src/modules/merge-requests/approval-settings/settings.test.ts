import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Client, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { makePlace, openRequest, type Place } from '../testing.ts'
import { approvalKeys } from './keys.ts'

let server: TestServer
let owner: Person
let top: NamespaceRow
let sub: NamespaceRow
let place: Place
let other: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('group-owner')
  top = await server.make.group('top', owner)
  sub = await server.make.group('sub', owner, { parent: top })
  place = await makePlace(server, { namespace: sub })
  other = await server.user('other-developer')
  await server.make.member(place, other, 30)
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

const instanceSettings = {
  prevent_merge_requests_author_approval: false,
  prevent_merge_requests_committers_approval: false,
  disable_overriding_approvers_per_merge_request: false,
}
const open = { value: true, locked: false, inherited_from: null }
const closed = { ...open, value: false }
const unrestricted = {
  ...{ allow_author_approval: open, allow_committer_approval: open },
  ...{ allow_overrides_to_approver_list_per_merge_request: open, retain_approvals_on_push: open },
  ...{ selective_code_owner_removals: closed, require_password_to_approve: closed },
  require_reauthentication_to_approve: closed,
}
const initialOfProject = { ...unrestricted, allow_author_approval: closed, retain_approvals_on_push: closed }
const initialConfig = {
  ...{ approvers: [], approver_groups: [], approvals_before_merge: 0, reset_approvals_on_push: true },
  ...{ selective_code_owner_removals: false, disable_overriding_approvers_per_merge_request: null },
  ...{ merge_requests_author_approval: false, merge_requests_disable_committers_approval: false },
  ...{ require_password_to_approve: false, require_reauthentication_to_approve: false },
}

const settingAt = (path: string) => `${path}/merge_request_approval_setting`
const ofTop = () => settingAt(`/groups/${top.id}`)
const ofSub = () => settingAt(`/groups/${sub.id}`)
const ofProject = () => settingAt(place.base)
const config = () => `${place.base}/approvals`
const bodyOf = async (client: Client, path: string) => (await client.get(path)).body
const values = (view: Record<string, { value: boolean }>) =>
  Object.fromEntries(Object.entries(view).map(([name, { value }]) => [name, value]))

beforeEach(async () => {
  await server.root.put('/application/settings', instanceSettings)
  await owner.put(ofTop(), values(unrestricted))
  await place.maintainer.put(ofProject(), values(initialOfProject))
})

test('the configuration and the settings are two views of what a project stores', async () => {
  const { maintainer, developer, reporter } = place
  const untouched = await server.make.project('untouched', owner)
  expect(await bodyOf(owner, `/projects/${untouched.id}/approvals`)).toEqual(initialConfig)
  expect(await bodyOf(maintainer, ofProject())).toEqual(initialOfProject)
  expect(await developer.get(ofProject())).toMatchObject({ status: 403 })
  expect(await reporter.get(config())).toMatchObject({ status: 403 })
  const changes = {
    ...{ approvals_before_merge: 3, reset_approvals_on_push: false, selective_code_owner_removals: true },
    ...{ disable_overriding_approvers_per_merge_request: true, merge_requests_author_approval: true },
    ...{ merge_requests_disable_committers_approval: true, require_password_to_approve: true },
  }
  const changed = await maintainer.post(config(), changes)
  const shown = { ...initialConfig, ...changes, require_reauthentication_to_approve: true }
  expect(changed).toMatchObject({ status: 201, body: shown })
  expect(changed.body).toEqual(shown)
  expect(await bodyOf(maintainer, ofProject())).toEqual({
    ...{ allow_author_approval: open, allow_committer_approval: closed },
    ...{ allow_overrides_to_approver_list_per_merge_request: closed, retain_approvals_on_push: open },
    ...{ selective_code_owner_removals: open, require_password_to_approve: open },
    require_reauthentication_to_approve: open,
  })
  const nulls = {
    ...{ disable_overriding_approvers_per_merge_request: null, merge_requests_author_approval: null },
    ...{ merge_requests_disable_committers_approval: null, approvals_before_merge: 0 },
  }
  expect((await maintainer.post(config(), nulls)).body).toMatchObject({
    ...{ disable_overriding_approvers_per_merge_request: false, merge_requests_author_approval: false },
    ...{ merge_requests_disable_committers_approval: false, approvals_before_merge: 0 },
  })
})

test.each([
  [{}, 'POST', { error: expect.stringContaining('at least one parameter must be provided') }],
  [{ reset_approvals_on_push: 'maybe' }, 'POST', { error: 'reset_approvals_on_push is invalid' }],
  [{ approvals_before_merge: -1 }, 'POST', { error: expect.stringContaining('approvals_before_merge') }],
  [{ approvals_before_merge: '💩' }, 'POST', { error: 'approvals_before_merge is invalid' }],
  [{ allow_author_approval: '' }, 'PUT', { error: 'allow_author_approval is empty' }],
  [{ allow_author_approval: ' ' }, 'PUT', { error: 'allow_author_approval is empty' }],
  [{ retain_approvals_on_push: { value: true } }, 'PUT', { error: 'retain_approvals_on_push is invalid' }],
  [{ unknown: true }, 'PUT', { error: expect.stringContaining('at least one parameter must be provided') }],
])('%j by %s is refused', async (given, method, body) => {
  const { maintainer } = place
  const answer = method === 'POST' ? await maintainer.post(config(), given) : await maintainer.put(ofProject(), given)
  expect(answer).toMatchObject({ status: 400, body })
})

test('approvals are not removed both selectively and all', async () => {
  const { maintainer } = place
  const sentence = 'selective_code_owner_removals can only be enabled when reset_approvals_on_push is disabled'
  const refused = { status: 400, body: { message: { base: [sentence] } } }
  const both = { reset_approvals_on_push: true, selective_code_owner_removals: true }
  expect(await maintainer.post(config(), both)).toMatchObject(refused)
  expect(await maintainer.put(ofProject(), { selective_code_owner_removals: true })).toMatchObject(refused)
  const group = { retain_approvals_on_push: false, selective_code_owner_removals: true }
  expect(await owner.put(ofTop(), group)).toMatchObject(refused)
  expect(await bodyOf(maintainer, ofProject())).toEqual(initialOfProject)
  // Two callers at once: one of them is refused, in whichever order they come.
  await maintainer.post(config(), { reset_approvals_on_push: false })
  const answers = await Promise.all([
    maintainer.post(config(), { reset_approvals_on_push: true }),
    maintainer.put(ofProject(), { selective_code_owner_removals: true }),
  ])
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(1)
})

test('a restriction of the top-level group locks a key in all projects below, and what they store is ignored', async () => {
  const { maintainer } = place
  await maintainer.put(ofProject(), { allow_author_approval: true, retain_approvals_on_push: true })
  const restrictions = {
    allow_author_approval: false,
    require_password_to_approve: true,
    retain_approvals_on_push: false,
  }
  const changed = await owner.put(ofTop(), restrictions)
  expect(changed).toMatchObject({
    status: 200,
    body: { allow_author_approval: closed, allow_committer_approval: open },
  })
  const byGroup = { locked: true, inherited_from: 'group' }
  const locked = {
    ...{ allow_author_approval: { value: false, ...byGroup }, retain_approvals_on_push: { value: false, ...byGroup } },
    ...{ require_password_to_approve: { value: true, ...byGroup } },
    require_reauthentication_to_approve: { value: true, ...byGroup },
  }
  expect(await bodyOf(owner, ofSub())).toEqual({ ...unrestricted, ...locked })
  expect(await bodyOf(maintainer, ofProject())).toEqual({ ...unrestricted, ...locked })
  expect(await bodyOf(maintainer, config())).toMatchObject({
    ...{ merge_requests_author_approval: false, reset_approvals_on_push: true, require_password_to_approve: true },
  })
  const ignored = await maintainer.post(config(), { merge_requests_author_approval: false })
  expect(ignored.status).toBe(201)
  await owner.put(ofTop(), values(unrestricted))
  expect((await bodyOf(maintainer, ofProject())).allow_author_approval).toEqual(open)
})

test('a restriction of the instance comes before that of the group', async () => {
  const { maintainer } = place
  await owner.put(ofTop(), { allow_author_approval: false })
  const restricted = Object.fromEntries(Object.keys(instanceSettings).map((name) => [name, true]))
  expect((await server.root.put('/application/settings', restricted)).body).toMatchObject(restricted)
  const locked = { value: false, locked: true, inherited_from: 'instance' }
  const keys = {
    ...{ allow_author_approval: locked, allow_committer_approval: locked },
    allow_overrides_to_approver_list_per_merge_request: locked,
  }
  for (const [client, path] of [
    [owner, ofTop()],
    [owner, ofSub()],
    [maintainer, ofProject()],
  ] as const)
    expect(await bodyOf(client, path)).toMatchObject(keys)
  expect((await bodyOf(maintainer, config())).disable_overriding_approvers_per_merge_request).toBe(true)
  const alone = settingAt(`/projects/${(await server.make.project('alone', owner)).id}`)
  expect(await bodyOf(owner, alone)).toEqual({ ...initialOfProject, ...keys })
})

test('only owners of a top-level group change its settings', async () => {
  const { maintainer } = place
  expect(await owner.put(ofSub(), { allow_author_approval: false })).toMatchObject({ status: 403 })
  await server.make.member({ namespace: top }, other, 40)
  expect(await other.get(ofTop())).toMatchObject({ status: 403 })
  expect(await other.put(ofTop(), { allow_author_approval: false })).toMatchObject({ status: 403 })
  expect(await maintainer.get(ofTop())).toMatchObject({ status: 403 })
  const stranger = await server.user('stranger')
  expect(await stranger.put(ofTop(), { allow_author_approval: false })).toMatchObject({ status: 404 })
  expect(await server.anonymous.get(ofTop())).toMatchObject({ status: 401 })
})

test('the author approves unless a level above prevents it', async () => {
  const { developer, at } = place
  await place.maintainer.put(ofProject(), { allow_author_approval: true })
  const { iid } = await openRequest(place, 'of-author')
  const one = `${at}/${iid}`
  await owner.put(ofTop(), { allow_author_approval: false })
  expect((await bodyOf(developer, `${one}/approvals`)).user_can_approve).toBe(false)
  expect((await developer.post(`${one}/approve`)).status).toBe(401)
  await owner.put(ofTop(), { allow_author_approval: true })
  expect((await bodyOf(developer, `${one}/approvals`)).user_can_approve).toBe(true)
  expect((await developer.post(`${one}/approve`)).status).toBe(201)
})

test('who wrote a commit does not approve, and a push takes the approval of the pusher', async () => {
  const { at, base, maintainer } = place
  const { iid } = await openRequest(place, 'of-committers')
  const one = `${at}/${iid}`
  const write = (client: Client, path: string) =>
    client.post(`${base}/repository/files/${path}`, { branch: 'of-committers', content: 'x', commit_message: path })
  await maintainer.put(ofProject(), { retain_approvals_on_push: true })
  expect((await write(other, 'by-other')).status).toBe(201)
  expect((await bodyOf(other, `${one}/approvals`)).user_can_approve).toBe(true)
  await owner.put(ofTop(), { allow_committer_approval: false })
  expect((await bodyOf(other, `${one}/approvals`)).user_can_approve).toBe(false)
  expect((await other.post(`${one}/approve`)).status).toBe(401)
  expect((await maintainer.post(`${one}/approve`)).status).toBe(201)
  const approvers = async () =>
    (await bodyOf(other, `${one}/approvals`)).approved_by.map(({ user }: { user: Person }) => user.id)
  await write(other, 'again')
  expect(await approvers()).toEqual([maintainer.id])
  await write(maintainer, 'by-maintainer')
  expect(await approvers()).toEqual([])
  expect((await maintainer.post(`${one}/approve`)).status).toBe(401)
})

test('a push removes approvals where the group says so, whatever the project stores', async () => {
  const { at, base, maintainer } = place
  const { iid } = await openRequest(place, 'retained')
  const one = `${at}/${iid}`
  await maintainer.put(ofProject(), { retain_approvals_on_push: true })
  const push = (path: string) =>
    maintainer.post(`${base}/repository/files/${path}`, { branch: 'retained', content: 'x', commit_message: path })
  expect((await other.post(`${one}/approve`)).status).toBe(201)
  await push('one')
  expect((await bodyOf(other, `${one}/approvals`)).approved_by).toHaveLength(1)
  await owner.put(ofTop(), { retain_approvals_on_push: false })
  await push('two')
  expect((await bodyOf(other, `${one}/approvals`)).approved_by).toEqual([])
})

test('an approval needs the password of the caller where the settings say so, also by a quick action', async () => {
  const { at, maintainer } = place
  const { iid } = await openRequest(place, 'with-password')
  const one = `${at}/${iid}`
  const password = 'correct horse 4711'
  expect((await server.root.put(`/users/${other.id}`, { password })).status).toBe(200)
  await maintainer.put(ofProject(), { require_password_to_approve: true })
  expect((await bodyOf(other, `${one}/approvals`)).require_password_to_approve).toBe(true)
  for (const given of [
    {},
    { approval_password: '' },
    { approval_password: 'wrong' },
    { approval_password: '\u{1f4a9}' },
  ])
    expect(await other.post(`${one}/approve`, given)).toMatchObject({ status: 401 })
  expect((await other.post(`${one}/notes`, { body: '/approve' })).status).not.toBe(201)
  expect((await bodyOf(other, `${one}/approvals`)).approved_by).toEqual([])
  expect((await other.post(`${one}/approve`, { approval_password: password })).status).toBe(201)
})

test('every key has a name at each level', () => {
  expect(Object.keys(approvalKeys)).toEqual(Object.keys(unrestricted))
})
