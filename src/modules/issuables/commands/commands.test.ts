import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { UserActor } from '../../../api/index.ts'
import { manualClock } from '../../../infra/clock/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { makeIteration } from '../../iterations/testing.ts'
import { makeLabel } from '../../labels/testing.ts'
import { makeMilestone } from '../../milestones/testing.ts'
import { isSubscribed } from '../../notes/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { setAssignees } from '../assignees/assignees.ts'
import type { Issuable } from '../issuable.ts'
import { setLabels } from '../labels/labels.ts'
import type { LabelRef } from '../labels/scopes.ts'
import { commonIssue, kindOf } from '../testing.ts'
import { timeStatsOf } from '../time/time.ts'
import type { CommandChanges } from './command.ts'
import { type CommandKind, noteCommands } from './run.ts'
import { type CommandName, commonCommands } from './table.ts'

let server: TestServer
let platform: Platform
let owner: Person
let project: ProjectRow
let iterationId: number
let milestoneId: number
const labels = new Map<string, LabelRef>()
const issues = new Map<number, Issuable>()
let issue: Issuable
let rights = { mayChange: true, mayPlan: true }
let updates: CommandChanges[] = []
let lastId = 0

const actor = () =>
  ({ kind: 'user', userId: owner.id, username: 'owner', administrator: false, credential: {} }) as UserActor

/** Stores the labels and assignees of an update, and keeps all of it for the test. */
const kind: CommandKind<Issuable> = {
  issuableOf: (found) => found,
  parentOf: () => ({ kind: 'project', id: project.id, namespaceId: project.namespace_id }),
  shared: Object.keys(commonCommands) as CommandName[],
  own: {
    shout: (_subject, { volume }) => ({ needs: null, run: () => ({ changes: { volume }, summary: 'Shouted.' }) }),
  },
  rightsOf: () => rights,
  async update(_platform, target, _actor, changes) {
    updates.push(changes)
    const refs = (titles: string[] | undefined) => titles?.map((title) => labels.get(title) as LabelRef)
    await platform.database.write(async (tx) => {
      const wish = { replace: refs(changes.labels), add: refs(changes.add_labels), remove: refs(changes.remove_labels) }
      await setLabels(tx, target, wish, { userId: owner.id, at: '2026-03-01T00:00:00.000Z' })
      if (changes.assignee_ids) await setAssignees(tx, target, changes.assignee_ids)
    })
  },
}
const run = (body: string, params = {}) =>
  noteCommands(kind)(platform, { subject: issue, actor: actor(), body, params })

beforeAll(async () => {
  server = await startTestServer({ clock: manualClock({ start: '2026-03-01T12:00:00.000Z' }) })
  owner = await server.user('owner')
  await server.user('friend')
  const stranger = await server.user('stranger')
  const group = await server.make.group('team', owner)
  project = await server.make.project('app', owner, { namespace: group })
  for (const title of ['bug', 'needs review', 'p::1']) labels.set(title, await makeLabel(server, { project }, title))
  milestoneId = (await makeMilestone(server, { group }, 'v 1')).id
  iterationId = (await makeIteration(server, group, { start_date: '2026-03-01', due_date: '2026-03-07' })).id
  const answers = kindOf(issues, (_issue, userId) => userId !== stranger.id)
  const found = server.app.platform
  platform = { ...found, ports: { ...found.ports, 'issuables.kinds': () => ({ Issue: answers, Epic: answers }) } }
})
afterAll(() => server.stop())
beforeEach(() => {
  lastId += 1
  issue = commonIssue(project, lastId, owner.id)
  issues.set(lastId, issue)
  rights = { mayChange: true, mayPlan: true }
  updates = []
})

describe('quick actions', () => {
  test.each<[text: string, update: CommandChanges, summary: string]>([
    ['/close', { state_event: 'close' }, 'Closed this issue.'],
    ['/title New title', { title: 'New title' }, 'Changed the title to "New title".'],
    ['/confidential', { confidential: true }, 'Made this issue confidential.'],
    ['/lock', { discussion_locked: true }, 'Locked the discussion.'],
    ['/remove_milestone', { milestone_id: null }, 'Removed the milestone.'],
    ['/due 2026-04-01', { due_date: '2026-04-01' }, 'Set the due date to 2026-04-01.'],
    ['/due tomorrow', { due_date: '2026-03-02' }, 'Set the due date to 2026-03-02.'],
    ['/due in 2 weeks', { due_date: '2026-03-15' }, 'Set the due date to 2026-03-15.'],
    ['/remove_due_date', { due_date: null }, 'Removed the due date.'],
    ['/weight 3', { weight: 3 }, 'Set weight to 3.'],
    ['/clear_weight', { weight: null }, 'Cleared weight.'],
    ['/remove_epic', { epic_id: null }, 'Removed an issue from an epic.'],
    ['/remove_iteration', { iteration_id: null }, 'Removed the iteration.'],
    ['/health_status on_track', { health_status: 'on_track' }, 'Set health status to on_track.'],
    ['/clear_health_status', { health_status: null }, 'Cleared health status.'],
    ['/severity HIGH', { severity: 'high' }, 'Set severity to high.'],
  ])('%j changes %j', async (text, update, summary) => {
    expect(await run(text)).toEqual({ body: '', changes: update, summary: [summary] })
    expect(updates).toEqual([update])
  })

  test('find milestones and iterations of the groups above', async () => {
    await run(`/milestone %"v 1"\n/iteration *iteration:${iterationId}`)
    expect(updates).toEqual([{ milestone_id: milestoneId, iteration_id: iterationId }])
  })

  test('change labels by titles, and name the labels afterwards', async () => {
    const idsOf = (...titles: string[]) => titles.map((title) => labels.get(title)?.id)
    expect((await run('/label ~bug ~"needs review" ~unknown'))?.changes).toEqual({
      label_ids: idsOf('bug', 'needs review'),
    })
    expect((await run('/unlabel ~bug\n/label p::1'))?.changes).toEqual({ label_ids: idsOf('needs review', 'p::1') })
    expect((await run('/relabel ~bug\n/label ~p::1\n/unlabel bug'))?.changes).toEqual({ label_ids: idsOf('p::1') })
    expect(await run('/unlabel')).toMatchObject({ changes: { label_ids: [] }, summary: ['Removed all labels.'] })
  })

  test('assign those who may read, one after another', async () => {
    const assigned = await run('/assign @friend @stranger\n/assign me\n/unassign @friend')
    expect(assigned?.changes).toEqual({ assignee_ids: [owner.id] })
    expect(assigned?.summary).toEqual(['Assigned @friend.', 'Assigned @owner.', 'Removed assignee @friend.'])
    expect(await run('/unassign')).toMatchObject({ changes: { assignee_ids: [] } })
    expect(await run('/unassign')).toEqual({ body: '', changes: {}, summary: [] })
  })

  test('track time, subscribe, and put on the to-do list', async () => {
    const done = await run('/estimate 2h\n/spend 1h\n/spend -30m\n/subscribe\n/todo')
    expect(done?.summary).toEqual([
      ...['Set time estimate to 2h.', 'Added 1h spent time.', 'Subtracted 30m spent time.'],
      ...['Subscribed to this issue.', 'Added a to-do item.'],
    ])
    expect(await timeStatsOf(platform, issue)).toMatchObject({ time_estimate: 7200, total_time_spent: 1800 })
    expect(await isSubscribed(platform.database.read, issue, owner.id)).toBe(true)
    await run('/unsubscribe\n/done\n/remove_estimate\n/remove_time_spent')
    expect(await isSubscribed(platform.database.read, issue, owner.id)).toBe(false)
    expect(await timeStatsOf(platform, issue)).toMatchObject({ time_estimate: 0, total_time_spent: 0 })
    const todos = platform.database.read.selectFrom('todos').select('state').where('noteable_id', '=', issue.id)
    expect(await todos.execute()).toEqual([{ state: 'done' }])
  })

  test('leave the rest of the text, and those of a kind get the parameters of the request', async () => {
    expect(await run('Look:\n/shout\nhere', { volume: 11 })).toEqual({
      body: 'Look:\nhere',
      changes: { volume: 11 },
      summary: ['Shouted.'],
    })
    expect(await run('no quick action\n/merge')).toBeNull()
    expect(updates).toEqual([])
  })

  test('that the caller may not run, or that change nothing, are ignored', async () => {
    rights = { mayChange: false, mayPlan: false }
    expect(await run('/close\n/label ~bug\n/estimate 1h\n/subscribe')).toMatchObject({
      changes: { subscription_event: 'subscribe' },
    })
    rights = { mayChange: true, mayPlan: true }
    expect(await run('/reopen\n/unlock')).toEqual({ body: '', changes: {}, summary: [] })
    expect(updates).toEqual([])
  })

  test.each([
    ['/assign @nobody', 'Failed to assign a user because no user was found.'],
    ['/assign @stranger', 'Failed to assign a user because no user was found.'],
    ['/label ~nothing-like-it', 'Could not apply label command.'],
    ['/milestone %none', 'Could not apply milestone command.'],
    ['/due someday', 'Could not apply due command.'],
    ['/weight -1', 'Could not apply weight command.'],
    ['/epic &99', 'Could not apply epic command.'],
    ['/iteration *iteration:999999', 'Could not apply iteration command.'],
    ['/health_status good', 'Could not apply health_status command.'],
    ['/severity', 'Could not apply severity command.'],
    ['/title', 'Could not apply title command.'],
    ['/estimate soon', 'Could not apply estimate command.'],
    ['/spend 0h', 'Could not apply spend command.'],
  ])('%j fails, and nothing is changed', async (text, message) => {
    await expect(run(`/close\n/subscribe\n${text}`)).rejects.toMatchObject({
      status: 400,
      body: { message: `400 Bad request - ${message}` },
    })
    expect(updates).toEqual([])
    expect(await isSubscribed(platform.database.read, issue, owner.id)).toBe(false)
  })
})
