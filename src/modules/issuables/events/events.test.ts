import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Actor, PageRequest } from '../../../api/index.ts'
import type { Database, Tx } from '../../../infra/database/index.ts'
import { react } from '../../../platform/index.ts'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { makeIteration } from '../../iterations/testing.ts'
import { makeLabel } from '../../labels/testing.ts'
import { makeMilestone } from '../../milestones/testing.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import type { IssuableRef } from '../issuable.ts'
import { setLabels } from '../labels/labels.ts'
import { commonIssue } from '../testing.ts'
import { setSpent } from '../time/store.ts'
import { type EventKind, eventKinds } from './kinds.ts'
import { getEvent, listEvents } from './read.ts'
import {
  recordIterationChange,
  recordMilestoneChange,
  recordStateChange,
  recordWeightChange,
  type ValueChange,
} from './record.ts'
import { copyEvents } from './store.ts'

let server: TestServer
let database: Database
let owner: Person
let reader: Person
let group: NamespaceRow
let project: ProjectRow
let lastId = 0

const page: PageRequest = { kind: 'offset', page: 1, perPage: 20, limit: 20, offset: 0 }
const write = <T>(work: (tx: Tx) => Promise<T>) => database.write(work)
const actorOf = ({ id }: Person) => ({ kind: 'user', userId: id, administrator: false, credential: {} }) as Actor
const newIssue = () => commonIssue(project, ++lastId, owner.id)
const origin = () => ({ userId: owner.id, at: '2026-01-01T00:00:00.000Z' })
type Issue = ReturnType<typeof newIssue>

function asked(issuable: Issue, person: Person) {
  const parent = { kind: 'project' as const, id: project.id, namespaceId: project.namespace_id }
  return { issuable, parent, actor: actorOf(person) }
}
// biome-ignore lint/suspicious/noExplicitAny: events of all kinds
const list = async (kind: EventKind<any>, issue: Issue, person = owner): Promise<any[]> =>
  (await listEvents(server.app.platform, kind, asked(issue, person), page)).items
const kinds = Object.values(eventKinds)

beforeAll(async () => {
  server = await startTestServer()
  ;({ database } = server.app.platform)
  owner = await server.user('owner')
  reader = await server.user('reader')
  group = await server.make.group('team', owner)
  project = await server.make.project('app', owner, { namespace: group })
  await server.make.member({ project }, reader, 10)
})
afterAll(() => server.stop())

describe('events', () => {
  test('have the members of the contract', async () => {
    const issue = newIssue()
    const bug = await makeLabel(server, { project }, 'bug')
    const v1 = await makeMilestone(server, { project }, 'v1')
    const sprint = await makeIteration(server, group, { start_date: '2026-01-01', due_date: '2026-01-07' })
    await write(async (tx) => {
      await setLabels(tx, issue, { add: [bug] }, origin())
      await recordMilestoneChange(tx, [issue], { from: null, to: v1.id }, origin())
      await recordWeightChange(tx, [issue], { from: null, to: 3 }, origin())
      await recordIterationChange(tx, [issue], { from: null, to: sprint.id }, origin())
      await recordStateChange(tx, [issue], { state: 'closed', sourceCommit: 'abc' }, origin())
    })
    const head = { id: expect.any(Number), user: expect.objectContaining({ id: owner.id }), created_at: origin().at }
    const resource = { resource_type: 'Issue', resource_id: issue.id }
    const label = { id: bug.id, name: 'bug', description: null, description_html: '', text_color: '#FFFFFF' }
    expect(await list(eventKinds.label, issue)).toEqual([
      { ...head, ...resource, label: { ...label, color: '#6699cc', text_color: expect.any(String) }, action: 'add' },
    ])
    const milestone = expect.objectContaining({ id: v1.id, title: 'v1', expired: false })
    expect(await list(eventKinds.milestone, issue)).toEqual([{ ...head, ...resource, milestone, action: 'add' }])
    expect(await list(eventKinds.weight, issue)).toEqual([{ ...head, issue_id: issue.id, weight: 3 }])
    const iteration = expect.objectContaining({ id: sprint.id })
    expect(await list(eventKinds.iteration, issue)).toEqual([{ ...head, ...resource, iteration, action: 'add' }])
    expect(await list(eventKinds.state, issue)).toEqual([
      { ...head, ...resource, source_commit: 'abc', source_merge_request_id: null, state: 'closed' },
    ])
  })

  test('say only what is added when one milestone or iteration replaces another, and nothing without a change', async () => {
    const issue = newIssue()
    const [a, b] = [await makeMilestone(server, { project }, 'a'), await makeMilestone(server, { group }, 'b')]
    const changes: ValueChange[] = [
      { from: null, to: null },
      { from: null, to: a.id },
      { from: a.id, to: b.id },
      { from: b.id, to: b.id },
      { from: b.id, to: null },
    ]
    for (const change of changes) await write((tx) => recordMilestoneChange(tx, [issue], change, origin()))
    const found = await list(eventKinds.milestone, issue)
    expect(found.map(({ action, milestone }) => `${action} ${milestone.title}`)).toEqual(['add a', 'add b', 'remove b'])
    for (const [from, to] of [
      [null, 2],
      [2, 2],
      [2, 5],
      [5, null],
    ] as const) {
      await write((tx) => recordWeightChange(tx, [issue], { from, to }, origin()))
    }
    expect((await list(eventKinds.weight, issue)).map(({ weight }) => weight)).toEqual([2, 5, null])
  })

  test('are written for several issuables at once', async () => {
    const issues = [newIssue(), newIssue(), newIssue()]
    await write((tx) => recordStateChange(tx, issues, { state: 'closed', sourceMergeRequestId: 7 }, origin()))
    for (const issue of issues) {
      // No merge request has the id, so nobody can read it.
      const shown = { resource_id: issue.id, state: 'closed', source_merge_request_id: null }
      expect(await list(eventKinds.state, issue)).toMatchObject([shown])
    }
  })

  test('are those of one issuable: others have none of them', async () => {
    const [issue, other] = [newIssue(), newIssue()]
    await write((tx) => recordWeightChange(tx, [issue], { from: null, to: 1 }, origin()))
    const [{ id }] = (await list(eventKinds.weight, issue)) as [{ id: number }]
    const { platform } = server.app
    expect(await getEvent(platform, eventKinds.weight, asked(issue, owner), id)).toMatchObject({ weight: 1 })
    for (const [one, event] of [
      [other, id],
      [issue, id + 1000],
    ] as const) {
      await expect(getEvent(platform, eventKinds.weight, asked(one, owner), event)).rejects.toMatchObject({
        status: 404,
        body: { message: '404 Not found' },
      })
    }
  })

  test('with labels and milestones that the caller may not read are left out', async () => {
    const issue = newIssue()
    const hidden = await server.make.group('hidden', owner)
    const open = await server.make.project('open', owner, { visibility: 'public' })
    const made = [
      await makeLabel(server, { group: hidden }, 'secret'),
      await makeLabel(server, { group }, 'inherited'),
      await makeLabel(server, { project: open }, 'elsewhere'),
    ]
    await write((tx) => setLabels(tx, issue, { add: made }, origin()))
    const names = async (person: Person) => (await list(eventKinds.label, issue, person)).map(({ label }) => label.name)
    expect(await names(owner)).toEqual(['elsewhere', 'inherited', 'secret'])
    expect(await names(reader)).toEqual(['elsewhere', 'inherited'])
    const secret = (await list(eventKinds.label, issue)).find(({ label }) => label.name === 'secret')
    await expect(
      getEvent(server.app.platform, eventKinds.label, asked(issue, reader), secret.id),
    ).rejects.toMatchObject({ status: 404, body: { message: '404 ResourceLabelEvent Not Found' } })
  })

  test('are read with the same number of queries, however many there are', async () => {
    const issue = newIssue()
    const many = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        const label = await makeLabel(server, { project }, `l${lastId}-${index}-${count}`)
        await write((tx) => setLabels(tx, issue, { add: [label] }, origin()))
      }
    }
    await many(2)
    const few = await queriesOf(server, () => list(eventKinds.label, issue))
    await many(12)
    expect(await queriesOf(server, () => list(eventKinds.label, issue))).toBe(few)
  })

  test('are copied with new ids, the same users and times', async () => {
    const [issue, copy] = [newIssue(), newIssue()]
    const v = await makeMilestone(server, { project }, 'copied')
    await write(async (tx) => {
      await recordMilestoneChange(tx, [issue], { from: null, to: v.id }, origin())
      await recordWeightChange(tx, [issue], { from: null, to: 3 }, origin())
      await recordWeightChange(tx, [issue], { from: 3, to: null }, origin())
      await recordStateChange(tx, [issue], { state: 'closed', sourceCommit: 'f' }, origin())
      await copyEvents(tx, issue, copy as IssuableRef)
    })
    for (const kind of kinds) {
      const strip = ({ id: _id, resource_id: _resource, issue_id: _issue, ...event }: Record<string, unknown>) => event
      const [before, after] = [await list(kind, issue), await list(kind, copy)]
      expect(after.map(strip)).toEqual(before.map(strip))
      expect(after.map(({ id }) => id).some((id) => before.some((one) => one.id === id))).toBe(false)
    }
  })
})

describe('after a change of what they name', () => {
  test('events of merged labels and milestones name what they were merged into, and replay to the labels', async () => {
    const { platform } = server.app
    const [issue, both] = [newIssue(), newIssue()]
    const into = await makeLabel(server, { group }, 'merged')
    const former = [await makeLabel(server, { project }, 'merged-1'), await makeLabel(server, { project }, 'merged-2')]
    const stones = [
      await makeMilestone(server, { project }, 'm'),
      await makeMilestone(server, { group }, 'merged m'),
    ] as const
    await write(async (tx) => {
      await setLabels(tx, issue, { add: former.slice(0, 1) }, origin())
      await setLabels(tx, both, { add: [...former, into] }, origin())
      await recordMilestoneChange(tx, [issue], { from: null, to: stones[0].id }, origin())
      await react(platform, tx, 'labels.merged', { labelIds: former.map(({ id }) => id), intoId: into.id })
      await react(platform, tx, 'milestones.merged', { milestoneIds: [stones[0].id], intoId: stones[1].id })
      await tx
        .deleteFrom('labels')
        .where(
          'id',
          'in',
          former.map(({ id }) => id),
        )
        .execute()
      await tx.deleteFrom('milestones').where('id', '=', stones[0].id).execute()
    })
    expect(await list(eventKinds.label, issue)).toMatchObject([{ label: { id: into.id } }])
    expect((await list(eventKinds.label, both)).map(({ label }) => label.id)).toEqual([into.id, into.id, into.id])
    expect(await list(eventKinds.milestone, issue)).toMatchObject([{ milestone: { title: 'merged m' } }])
    const rows = await database.read.selectFrom('issuable_labels').selectAll().where('label_id', '=', into.id).execute()
    expect(rows.map(({ issuable_id }) => issuable_id).sort()).toEqual([issue.id, both.id].sort())
  })

  test('events are of the ghost user when their user is gone, whether or not contributions are deleted', async () => {
    const { platform } = server.app
    for (const hard of [false, true]) {
      const issue = newIssue()
      const leaving = await server.user(`leaving-${hard}`)
      const logging = await server.user(`logging-${hard}`)
      await write(async (tx) => {
        await recordWeightChange(tx, [issue], { from: null, to: 1 }, { ...origin(), userId: leaving.id })
        for (const { id: userId } of [leaving, logging]) {
          await setSpent(tx, issue, 60, { userId, at: origin().at, seconds: 60, summary: null })
          await react(platform, tx, 'user.removed', { userId, hard })
        }
      })
      expect(await list(eventKinds.weight, issue)).toMatchObject([{ user: { username: 'ghost' } }])
      const logs = database.read.selectFrom('time_logs').innerJoin('users', 'users.id', 'time_logs.user_id')
      const ofGhost = { username: 'ghost' }
      expect(await logs.select('username').where('issuable_id', '=', issue.id).execute()).toEqual([ofGhost, ofGhost])
    }
  })

  test('a project that leaves its group keeps its labels as its own', async () => {
    const issue = newIssue()
    const inherited = await makeLabel(server, { group }, 'kept', { color: '#123456' })
    await write((tx) => setLabels(tx, issue, { add: [inherited] }, origin()))
    const away = await server.make.group('away', owner)
    expect((await owner.put(`/projects/${project.id}/transfer`, { namespace: away.id })).status).toBe(200)
    const [event] = await list(eventKinds.label, issue)
    expect(event.label).toMatchObject({ name: 'kept', color: '#123456' })
    expect(event.label.id).not.toBe(inherited.id)
    const rows = await database.read
      .selectFrom('issuable_labels')
      .select('label_id')
      .where('issuable_id', '=', issue.id)
    expect(await rows.execute()).toEqual([{ label_id: event.label.id }])
  })
})
