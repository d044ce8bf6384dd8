import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { type Hooked, startWithReceiver } from '../testing.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
let given: Hooked
beforeAll(async () => {
  given = await startWithReceiver({ clock })
})
afterAll(() => given.stop())
beforeEach(() => given.clear())

test('a test of pushes sends the last commit of the default branch', async () => {
  const { owner, project, group, hook, groupHook, receiver, commit, server } = given
  const { id } = await hook({})
  const path = `/projects/${project.id}/hooks/${id}/test`
  const refused = (message: string) => ({ status: 422, body: { message } })
  expect(await owner.post(`${path}/push_events`)).toMatchObject(refused('Ensure the project has at least one commit.'))
  const ofGroup = `/groups/${group.id}/hooks/${(await groupHook({})).id}/test`
  const noCommits = refused('Ensure the group has a project with commits.')
  expect(await owner.post(`${ofGroup}/push_events`)).toMatchObject(noCommits)
  await commit('first')
  await given.payloads()
  receiver.received.length = 0
  const sha = (await commit('second')).id
  await given.payloads()
  receiver.received.length = 0
  const created = { status: 201, body: { message: '201 Created' } }
  expect(await owner.post(`${path}/push_events`)).toMatchObject(created)
  expect(await owner.post(`${path}/tag_push_events`)).toMatchObject(created)
  expect(await owner.post(`${ofGroup}/push_events`)).toMatchObject(created)
  const [push, tag, group2] = await given.payloads()
  expect(push).toMatchObject({ object_kind: 'push', ref: 'refs/heads/main', after: sha, total_commits_count: 1 })
  expect(tag).toMatchObject({ object_kind: 'tag_push', ref: 'refs/tags/main', after: sha })
  expect(group2).toMatchObject({ object_kind: 'push', after: sha, user_id: owner.id })
  expect(receiver.received[1]?.headers['x-gitlab-event']).toBe('Tag Push Hook')
  receiver.answer = (response) => void response.writeHead(403).end('no entry')
  expect(await owner.post(`${path}/push_events`)).toMatchObject(refused('no entry'))
  receiver.answer = (response) => void response.writeHead(500).end()
  expect(await owner.post(`${path}/push_events`)).toMatchObject(refused('500'))
  // Five were asked for in this project and minute.
  clock.advance(59_999)
  expect((await owner.post(`${path}/push_events`)).status).toBe(429)
  clock.advance(1)
  expect((await owner.post(`${path}/push_events`)).status).toBe(422)
  const wrong = await owner.post(`${path}/odd_events`)
  expect(wrong).toMatchObject({ status: 400, body: { error: 'trigger does not have a valid value' } })
  expect((await owner.post(`${path}/member_events`)).status).toBe(400)
  const gone = await server.root.post(`/projects/${project.id}/hooks/99999/test/push_events`)
  expect(gone).toMatchObject({ status: 404, body: { message: '404 Not found' } })
})

test('a test of a hook of the instance sends what it answers', async () => {
  const { server, receiver, systemHook } = given
  const { id } = await systemHook({ token: 'secret' })
  const answer = await server.root.post(`/hooks/${id}`)
  expect(answer).toMatchObject({ status: 201, body: { project_id: 1, event_name: 'project_create', path: 'ruby' } })
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual(answer.body)
  expect(receiver.received[0]?.headers).toMatchObject({ 'x-gitlab-event': 'System Hook', 'x-gitlab-token': 'secret' })
  receiver.answer = (response) => void response.writeHead(500).end()
  expect((await server.root.post(`/hooks/${id}`)).status).toBe(201)
})
