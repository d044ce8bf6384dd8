import { Gitlab } from '@gitbeaker/rest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Hooked, startWithReceiver } from '../../src/modules/hooks/testing.ts'

/** The acceptance walk of webhooks (contract 21, hooks) with gitbeaker. */
let given: Hooked
let api: InstanceType<typeof Gitlab<false>>
let root: InstanceType<typeof Gitlab<false>>
beforeAll(async () => {
  given = await startWithReceiver()
  api = new Gitlab({ host: given.server.url, token: given.owner.token })
  root = new Gitlab({ host: given.server.url, token: given.server.rootToken })
  await given.commit('first')
})
afterAll(() => given?.stop())

test('hooks of projects, groups and the instance are made, told, changed and removed', async () => {
  const { project, group, receiver } = given
  const hook = await api.ProjectHooks.add(project.id, receiver.url, { token: 'secret', noteEvents: true })
  expect(hook).toMatchObject({ url: receiver.url, push_events: true, note_events: true, project_id: project.id })
  expect(hook).not.toHaveProperty('token')
  const sha = (await given.commit('second')).id
  const [push] = await given.payloads()
  expect(push).toMatchObject({ object_kind: 'push', after: sha, total_commits_count: 1 })
  expect(receiver.received[0]?.headers).toMatchObject({ 'x-gitlab-token': 'secret', 'x-gitlab-event': 'Push Hook' })
  const changed = await api.ProjectHooks.edit(project.id, hook.id, receiver.url, { issuesEvents: true })
  expect(changed).toMatchObject({ issues_events: true, push_events: true })
  expect(await api.ProjectHooks.show(project.id, hook.id)).toEqual(changed)
  expect(await api.ProjectHooks.all(project.id)).toEqual([changed])
  receiver.reset()
  const issue = await api.Issues.create(project.id, 'Told')
  const [opened] = await given.payloads()
  expect(opened).toMatchObject({ object_kind: 'issue', object_attributes: { iid: issue.iid, action: 'open' } })
  await api.ProjectHooks.remove(project.id, hook.id)
  expect(await api.ProjectHooks.all(project.id)).toEqual([])
  const above = await api.GroupHooks.add(group.id, receiver.url, { subgroupEvents: true })
  expect(above).toMatchObject({ group_id: group.id, subgroup_events: true })
  await api.GroupHooks.remove(group.id, above.id)
  const ofAll = await root.SystemHooks.add(receiver.url, { token: 'secret' })
  expect(await root.SystemHooks.test(ofAll.id)).toMatchObject({ event_name: 'project_create' })
  expect((await root.SystemHooks.all()).map(({ id }) => id)).toEqual([ofAll.id])
  await root.SystemHooks.remove(ofAll.id)
})
