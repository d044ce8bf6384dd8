import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, projectWithMembers, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let alice: Person

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.user('alice')
})
afterAll(() => server.stop())

const own = '/notification_settings'

const defaults = {
  ...{ new_release: false, new_note: false, new_issue: false, reopen_issue: false, close_issue: false },
  ...{ reassign_issue: false, issue_due: false, new_merge_request: false, push_to_merge_request: false },
  ...{ reopen_merge_request: false, close_merge_request: false, reassign_merge_request: false },
  ...{ change_reviewer_merge_request: false, merge_merge_request: false, failed_pipeline: true },
  ...{ fixed_pipeline: true, success_pipeline: false, moved_project: true, merge_when_pipeline_succeeds: false },
  ...{ approver: false, new_epic: false },
}

test('the setting for everything has its defaults, levels and refusals', async () => {
  const address = 'alice@example.com'
  expect((await alice.get(own)).body).toEqual({ level: 'participating', notification_email: address })
  expect((await alice.put(own, { level: 'watch' })).body).toEqual({ level: 'watch', notification_email: address })
  for (const level of [
    'foo',
    'global',
    '',
    'WATCH',
    'watch ',
    '\u{1f600}'.repeat(2000),
    "'; drop table users; --",
    '../x',
  ]) {
    const { status, body } = await alice.put(own, { level })
    expect([status, body.message]).toEqual([400, `'${level}' is not a valid level`])
  }
  for (const level of [{ a: 1 }, ['watch']]) {
    expect((await alice.put(own, { level })).body.error).toBe('level is invalid')
  }
  expect((await alice.put(own, { new_note: 'perhaps' })).body.error).toBe('new_note is invalid')
  expect((await alice.put(own, {})).body).toEqual({ level: 'watch', notification_email: address })
})

test('events are shown at the level custom only, in the order of the contract, and changed in part', async () => {
  const { project, reporter } = await projectWithMembers(server, { path: 'events' })
  const path = `/projects/${project.id}/notification_settings`
  expect((await reporter.get(path)).body).toEqual({ level: 'global' })
  expect((await reporter.put(path, { close_issue: 'yes', failed_pipeline: false })).body).toEqual({ level: 'global' })
  const { body } = await reporter.put(path, { level: 'custom', new_note: true })
  const expected = { ...defaults, close_issue: true, failed_pipeline: false, new_note: true }
  expect(body).toEqual({ level: 'custom', events: expected })
  expect(Object.keys(body.events)).toEqual(Object.keys(defaults))
  expect((await reporter.put(path, { new_note: false, close_issue: null })).body.events).toEqual({
    ...expected,
    new_note: false,
  })
  expect((await reporter.put(path, { level: 'nothing', new_release: true })).status).toBe(400)
  expect((await reporter.get(path)).body.events.new_release).toBe(false)
  // An address is of the setting for everything; elsewhere it is no parameter.
  expect((await reporter.put(path, { notification_email: 'x@y.z' })).status).toBe(200)
})

test('mails go to a confirmed address of the caller, and back to the primary one when it is no longer theirs', async () => {
  const user = await server.user('addressed')
  const other = await server.user('other')
  const set = (notification_email: unknown) => user.put(own, { notification_email })
  const refused = { message: { notification_email: ['is not an email you own'] } }
  const strange = ['x@y.z', 'other@example.com', 'addressed@example.com\r\nBcc: a@b.c', 'a'.repeat(100_000)]
  for (const address of strange) expect((await set(address)).body).toEqual(refused)
  expect((await set({ a: 'b' })).body.error).toBe('notification_email is invalid')
  const { id } = (await user.post('/user/emails', { email: 'Second@Example.org' })).body
  expect((await set('second@example.org')).body.notification_email).toBe('second@example.org')
  expect((await other.get(own)).body.notification_email).toBe('other@example.com')
  await user.delete(`/user/emails/${id}`)
  expect((await user.get(own)).body.notification_email).toBe('addressed@example.com')
  // Somebody else has the address now.
  await other.post('/user/emails', { email: 'second@example.org' })
  expect((await user.get(own)).body.notification_email).toBe('addressed@example.com')
  expect((await set('')).body.notification_email).toBe('addressed@example.com')

  await server.app.platform.database.write((tx) =>
    tx.updateTable('user_emails').set({ confirmed_at: null }).where('user_id', '=', other.id).execute(),
  )
  expect((await other.put(own, { notification_email: 'second@example.org' })).body).toEqual(refused)
})

test('settings of groups and projects are those of the caller alone', async () => {
  const { project, owner, guest, outsider } = await projectWithMembers(server, { path: 'alone' })
  const { id } = (await owner.post('/groups', { name: 'g', path: 'settings-group' })).body
  const path = `/groups/${id}/notification_settings`
  expect((await owner.put(path, { level: 'custom', new_note: true })).body.events.new_note).toBe(true)
  expect((await owner.get(path)).body.level).toBe('custom')
  expect((await outsider.get(path)).status).toBe(404)
  const ofProject = `/projects/${encodeURIComponent(project.full_path)}/notification_settings`
  expect((await guest.put(ofProject, { level: 'watch' })).body).toEqual({ level: 'watch' })
  expect((await owner.get(ofProject)).body).toEqual({ level: 'global' })
  expect((await outsider.put(ofProject, { level: 'watch' })).status).toBe(404)
  expect((await server.anonymous.get(ofProject)).status).toBe(401)
  expect((await guest.get('/projects/..%2f..%2fetc/notification_settings')).status).toBe(404)
})

test('permissions of projects show the levels, of a list by a constant number of queries', async () => {
  const owner = await server.user('levels-owner')
  const { id: groupId } = (await owner.post('/groups', { name: 'g', path: 'levels-group' })).body
  const ids: number[] = []
  for (const path of ['a', 'b', 'c']) {
    ids.push((await owner.post('/projects', { name: path, namespace_id: groupId })).body.id)
  }
  await owner.put(`/groups/${groupId}/notification_settings`, { level: 'mention' })
  const levels = { disabled: 0, participating: 1, watch: 2, global: 3, mention: 4, custom: 5 }
  await server.make.member({ project: { id: ids[0] as number } as never }, owner, 50)
  for (const [level, notification_level] of Object.entries(levels)) {
    await owner.put(`/projects/${ids[0]}/notification_settings`, { level })
    expect((await owner.get(`/projects/${ids[0]}`)).body.permissions).toEqual({
      project_access: { access_level: 50, notification_level },
      group_access: { access_level: 50, notification_level: 4 },
    })
  }
  const list = async (amount: number) => {
    const { body } = await owner.get(`/groups/${groupId}/projects?per_page=${amount}&order_by=id&sort=asc`)
    return body.length
  }
  const count = (amount: number) => queriesOf(server, () => list(amount))
  expect(await count(3)).toEqual(await count(2))
  const other = (await owner.get(`/projects/${ids[1]}`)).body.permissions
  expect(other.group_access.notification_level).toBe(4)
})

test('two writers at once change both of their events', async () => {
  const user = await server.user('two-writers')
  const changes = Object.keys(defaults).map((event) => user.put(own, { [event]: true, level: 'custom' }))
  for (const { status } of await Promise.all(changes)) expect(status).toBe(200)
  const { body } = await user.get(own)
  expect(Object.values(body.events)).toEqual(Object.keys(defaults).map(() => true))
})

test('a setting ends with its project, its group and its user', async () => {
  const { project, owner, guest } = await projectWithMembers(server, { path: 'ending' })
  const { database } = server.app.platform
  await guest.put(`/projects/${project.id}/notification_settings`, { level: 'watch' })
  const rows = () =>
    database.read.selectFrom('notification_settings').select('id').where('user_id', '=', guest.id).execute()
  expect(await rows()).toHaveLength(1)
  await owner.delete(`/projects/${project.id}`)
  await server.root.delete(`/projects/${project.id}?permanently_remove=true&full_path=${project.full_path}`)
  await server.app.platform.jobs.drain()
  expect(await rows()).toHaveLength(0)
})
