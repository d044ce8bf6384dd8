import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let clock: ManualClock
let owner: Person
let stranger: Person
let project: { id: number }
let group: { id: number }
beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  stranger = await server.user('stranger')
  const namespace = await server.make.group('team', owner)
  group = namespace
  project = await server.make.project('app', owner, { namespace, visibility: 'public' })
})
afterAll(() => server.stop())

const dates = { start_date: '2026-03-01', due_date: '2026-03-31' }

async function milestoneIn(place: string, more: object = dates): Promise<string> {
  const { status, body } = await owner.post(`${place}/milestones`, { title: `m${clock.now().getTime()}`, ...more })
  expect(status).toBe(201)
  clock.advance(1)
  return `${place}/milestones/${body.id}/burndown_events`
}

const idOf = (path: string) => Number(path.split('/').at(-2))

async function issueOf(path: string, more: object = {}) {
  const { body } = await owner.post(`/projects/${project.id}/issues`, { title: 'a', milestone_id: idOf(path), ...more })
  return `/projects/${project.id}/issues/${body.iid}`
}

test('the burndown of a milestone has each issue and its states, in the order of time', async () => {
  for (const place of [`/projects/${project.id}`, `/groups/${group.id}`]) {
    const path = await milestoneIn(place)
    const begun = clock.now().toISOString()
    const one = await issueOf(path, { weight: 3 })
    clock.advance(1000)
    await issueOf(path)
    clock.advance(1000)
    await owner.put(one, { state_event: 'close' })
    clock.advance(1000)
    await owner.put(one, { state_event: 'reopen' })
    const { status, body } = await owner.get(path)
    expect(status).toBe(200)
    expect(body).toEqual([
      { created_at: begun, weight: 3, action: 'created' },
      { created_at: expect.any(String), weight: null, action: 'created' },
      { created_at: expect.any(String), weight: 3, action: 'closed' },
      { created_at: expect.any(String), weight: 3, action: 'reopened' },
    ])
    const times = body.map((event: { created_at: string }) => event.created_at)
    expect(times).toEqual(times.toSorted())
  }
})

test('confidential issues are for those who may read them', async () => {
  const path = await milestoneIn(`/projects/${project.id}`)
  await issueOf(path, { confidential: true })
  expect((await owner.get(path)).body).toHaveLength(1)
  expect((await stranger.get(path)).body).toEqual([])
  expect((await server.anonymous.get(path)).body).toEqual([])
})

test('a milestone without a start or a due date has no burndown, and an unknown one is none', async () => {
  for (const more of [{}, { start_date: '2026-03-01' }, { due_date: '2026-03-31' }]) {
    const path = await milestoneIn(`/projects/${project.id}`, more)
    await issueOf(path)
    expect((await owner.get(path)).body).toEqual([])
  }
  expect((await owner.get(`/projects/${project.id}/milestones/999999/burndown_events`)).status).toBe(404)
  expect((await stranger.get(`/groups/${group.id}/milestones/1/burndown_events`)).status).toBe(404)
})

test('takes the same number of queries for any number of issues', async () => {
  const path = await milestoneIn(`/projects/${project.id}`)
  await issueOf(path)
  const few = await queriesOf(server, () => owner.get(path))
  for (let count = 0; count < 4; count += 1) await owner.put(await issueOf(path), { state_event: 'close' })
  expect(await queriesOf(server, () => owner.get(path))).toBe(few)
})
