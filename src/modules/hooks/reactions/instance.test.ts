import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { keyLine } from '../../deploy-keys/testing.ts'
import { type Hooked, startWithReceiver } from '../testing.ts'

let given: Hooked
beforeAll(async () => {
  given = await startWithReceiver()
})
afterAll(() => given.stop())
beforeEach(() => given.clear())

/** The events that came since the last call: header, name and payload. */
async function came() {
  const payloads = await given.payloads()
  const found = payloads.map((payload, at) => {
    return { header: given.receiver.received[at]?.headers['x-gitlab-event'], name: payload.event_name, payload }
  })
  given.receiver.received.length = 0
  return found
}

const namesOf = async () => (await came()).map(({ header, name }) => `${header}: ${name}`).sort()

test('hooks of a group are called for its members, its subgroups and the projects below it', async () => {
  const { owner, group, groupHook, server } = given
  await groupHook({ push_events: false, member_events: true, subgroup_events: true, project_events: true })
  const member = await server.user('joining')
  const members = `/groups/${group.id}/members`
  await owner.post(members, { user_id: member.id, access_level: 20, expires_at: '2999-01-02' })
  await owner.put(`${members}/${member.id}`, { access_level: 30 })
  await owner.delete(`${members}/${member.id}`)
  const [added, updated, removed] = await came()
  expect(added).toMatchObject({
    header: 'Member Hook',
    payload: {
      event_name: 'user_add_to_group',
      group_id: group.id,
      group_name: 'hooked',
      group_path: 'hooked',
      user_id: member.id,
      user_username: 'joining',
      user_name: 'joining person',
      group_access: 'Reporter',
      expires_at: '2999-01-02T00:00:00Z',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    },
  })
  expect(updated).toMatchObject({ name: 'user_update_for_group', payload: { group_access: 'Developer' } })
  expect(removed).toMatchObject({ name: 'user_remove_from_group', payload: { user_id: member.id } })
  const { body: below } = await owner.post('/groups', { name: 'Below', path: 'below', parent_id: group.id })
  const { body: project } = await owner.post('/projects', { name: 'Made', namespace_id: below.id })
  await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
  await owner.delete(`/projects/${project.id}`)
  const called = await came()
  await owner.delete(`/groups/${below.id}`)
  called.push(...(await came()))
  await server.root.put('/application/settings', { deletion_adjourned_period: 7 })
  expect(called.map(({ header, name }) => [header, name])).toEqual([
    ['Subgroup Hook', 'subgroup_create'],
    ['Project Hook', 'project_create'],
    ['Project Hook', 'project_destroy'],
    ['Subgroup Hook', 'subgroup_destroy'],
  ])
  expect(called[0]?.payload).toMatchObject({
    name: 'Below',
    path: 'below',
    full_path: 'hooked/below',
    group_id: below.id,
    parent_group_id: group.id,
    parent_full_path: 'hooked',
  })
  expect(called[1]?.payload).toMatchObject({
    name: 'Made',
    path: 'made',
    path_with_namespace: 'hooked/below/made',
    project_id: project.id,
    project_namespace_id: below.id,
    owners: [{ name: 'owner person', email: '[REDACTED]' }],
    project_visibility: 'private',
  })
})

test('hooks of the instance are called for users, keys, groups, projects and their members', async () => {
  const { server, systemHook, owner } = given
  const { root } = server
  await systemHook({ repository_update_events: false })
  const account = { username: 'new', name: 'New', email: 'new@example.com', password: 'correct horse battery' }
  const { body: user } = await root.post('/users', { ...account, skip_confirmation: true })
  await root.put(`/users/${user.id}`, { username: 'newer' })
  await root.put(`/users/${user.id}`, { note: 'no news' })
  const { body: key } = await root.post(`/users/${user.id}/keys`, { title: 'k', key: keyLine('seed') })
  await root.delete(`/users/${user.id}/keys/${key.id}`)
  const { body: project } = await owner.post('/projects', { name: 'Told' })
  const path = `/projects/${project.id}`
  await owner.post(`${path}/members`, { user_id: user.id, access_level: 30 })
  await owner.put(path, { description: 'Changed' })
  await owner.put(path, { path: 'told-again' })
  const { body: group } = await owner.post('/groups', { name: 'Moved', path: 'moved' })
  await owner.put(`${path}/transfer`, { namespace: group.id })
  await owner.put(`/groups/${group.id}`, { path: 'moved-again' })
  await root.delete(`/users/${user.id}`)
  const called = await came()
  expect(new Set(called.map(({ header }) => header))).toEqual(new Set(['System Hook']))
  expect(called.map(({ name }) => name)).toEqual([
    'user_create',
    'user_rename',
    'key_create',
    'key_destroy',
    'project_create',
    'user_add_to_team',
    'project_update',
    'project_rename',
    'group_create',
    'project_transfer',
    'group_rename',
    'user_destroy',
  ])
  const payload = (name: string) => called.find((one) => one.name === name)?.payload
  expect(payload('user_create')).toMatchObject({ username: 'new', email: 'new@example.com', user_id: user.id })
  expect(payload('user_rename')).toMatchObject({ username: 'newer', old_username: 'new' })
  expect(payload('key_create')).toMatchObject({ username: 'newer', id: key.id, key: expect.stringContaining('ssh-') })
  expect(payload('project_create')).toMatchObject({ owner_name: 'owner person', path_with_namespace: 'owner/told' })
  expect(payload('user_add_to_team')).toMatchObject({ project_id: project.id, access_level: 'Developer' })
  expect(payload('project_rename')).toMatchObject({
    path: 'told-again',
    path_with_namespace: 'owner/told-again',
    old_path_with_namespace: 'owner/told',
  })
  expect(payload('project_transfer')).toMatchObject({
    path_with_namespace: 'moved/told-again',
    old_path_with_namespace: 'owner/told-again',
  })
  expect(payload('group_rename')).toMatchObject({ path: 'moved-again', old_path: 'moved', old_full_path: 'moved' })
  expect(payload('user_destroy')).toMatchObject({ username: 'newer', email: 'new@example.com' })
})

test('hooks of the instance are called for every change of a repository once, and for pushes without their commits', async () => {
  const { server, systemHook, commit, project, owner } = given
  await systemHook({ push_events: true, tag_push_events: true })
  const { id: sha } = await commit('first')
  await owner.post(`/projects/${project.id}/repository/tags`, { tag_name: 'v1', ref: 'main', message: 'One' })
  const called = await came()
  expect(called.map(({ name }) => name)).toEqual(['push', 'repository_update', 'tag_push', 'repository_update'])
  expect(called[0]?.payload).toMatchObject({ object_kind: 'push', after: sha, commits: [], total_commits_count: 1 })
  expect(called[1]?.payload).toMatchObject({
    user_id: owner.id,
    project_id: project.id,
    changes: [{ before: '0'.repeat(40), after: sha, ref: 'refs/heads/main' }],
    refs: ['refs/heads/main'],
  })
  expect(called[2]?.payload).toMatchObject({
    object_kind: 'tag_push',
    ref: 'refs/tags/v1',
    message: 'One',
    checkout_sha: sha,
  })
  await owner.delete(`/projects/${project.id}/repository/tags/v1`)
  expect(await namesOf()).toEqual(['System Hook: repository_update', 'System Hook: tag_push'])
  await server.root.put('/application/settings', { push_event_hooks_limit: 0 })
  await commit('second')
  expect(await namesOf()).toEqual(['System Hook: repository_update'])
  await server.root.put('/application/settings', { push_event_hooks_limit: 3 })
})
