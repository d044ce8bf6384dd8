import { Gitlab, type IterationSchema, type LabelSchema, type MilestoneSchema } from '@gitbeaker/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayAfter } from '../../src/api/index.ts'
import { makeIteration } from '../../src/modules/iterations/testing.ts'
import { type Person, startTestServer, type TestServer } from '../../src/testing/index.ts'
import { absent, anything, date, flag, integer, listOf, orNull, promised, shape, text } from './promised.ts'

/**
 * The acceptance walk of labels, milestones and iterations (contract 17) with gitbeaker. This client has wrong paths for
 * subscriptions to labels and for the iterations of a project.
 */
type Api = InstanceType<typeof Gitlab<false>>
let server: TestServer
let planner: Person
let api: Api
let id: number
let groupId: number

beforeAll(async () => {
  server = await startTestServer()
  const owner = await server.user('owner')
  planner = await server.user('planner')
  const namespace = await server.make.group('team', owner)
  const project = await server.make.project('p', owner, { namespace })
  await server.make.member({ namespace }, planner, 15)
  ;[id, groupId] = [project.id, namespace.id]
  api = new Gitlab({ host: server.url, token: planner.token })
})
afterAll(() => server.stop())

const day = (days: number) => dayAfter(server.app.platform.clock.now(), days)

const label = shape<LabelSchema>({
  ...{ id: integer, name: text, color: text, text_color: text, description: orNull(text), description_html: text },
  // The contract has the counts only on request.
  ...{ open_issues_count: anything, closed_issues_count: anything, open_merge_requests_count: anything },
  ...{ subscribed: flag, priority: orNull(integer), is_project_label: flag },
})

const milestone = shape<MilestoneSchema>({
  ...{ id: integer, iid: integer, project_id: integer, title: text, description: orNull(text), state: text },
  ...{ due_date: orNull(date), start_date: orNull(date), updated_at: date, created_at: date, expired: flag },
  web_url: text,
})

const iteration = shape<IterationSchema>({
  ...{ id: integer, iid: integer, group_id: integer, title: orNull(text), description: orNull(text), state: integer },
  ...{ created_at: date, updated_at: date, due_date: date, start_date: date, web_url: text },
})

describe('labels', () => {
  test('of a project are created, changed, promoted and removed', async () => {
    const labels = api.ProjectLabels
    const made = await promised(label, labels.create(id, 'to do', 'red', { priority: 1, description: 'd' }))
    expect(made).toMatchObject({ color: '#FF0000', priority: 1, is_project_label: true })
    await expect(labels.create(id, 'to do', 'red')).rejects.toThrow('Label already exists')
    await promised(listOf(label), labels.all(id, { withCounts: true }))
    expect(await labels.edit(id, 'to do', { newName: 'a/b' })).toMatchObject({ id: made.id, name: 'a/b' })
    expect((await labels.show(id, 'a/b')).id).toBe(made.id)
    expect((await labels.promote(id, 'a/b')).id).toBe(made.id)
    await expect(labels.remove(id, 'a/b')).rejects.toThrow('404 Label Not Found')
    await api.GroupLabels.remove(groupId, 'a/b')
    expect(await labels.all(id)).toEqual([])
  })
})

describe('milestones', () => {
  test('of a project are created, changed, closed, promoted and removed', async () => {
    const milestones = api.ProjectMilestones
    const dates = { startDate: day(0), dueDate: day(7) }
    const made = await promised(milestone, milestones.create(id, 'v1', { description: 'd', ...dates }))
    await expect(milestones.create(id, 'v1')).rejects.toThrow(
      'already being used for another group or project milestone',
    )
    expect(await milestones.edit(id, made.id, { stateEvent: 'close', title: 'v2' })).toMatchObject({ state: 'closed' })
    expect(await milestones.all(id, { state: 'closed', search: 'V2' })).toMatchObject([{ id: made.id }])
    await milestones.promote(id, made.id)
    const promoted = await api.GroupMilestones.show(groupId, made.id)
    expect(promoted).toMatchObject({ title: 'v2', group_id: groupId })
    expect(absent(promoted.project_id, 'project_id')).toEqual([])
    expect(await milestones.all(id, { includeParentMilestones: true })).toHaveLength(1)
    await api.GroupMilestones.remove(groupId, made.id)
    await expect(api.GroupMilestones.show(groupId, made.id)).rejects.toThrow('404')
  })
})

describe('iterations', () => {
  test('are listed for a group', async () => {
    const made = await makeIteration(server, { id: groupId }, { start_date: day(0), due_date: day(6) })
    const list = (state: 'opened' | 'closed') => api.GroupIterations.all(groupId, { state })
    expect(await promised(listOf(iteration), list('opened'))).toMatchObject([{ id: made.id, state: 2 }])
    expect(await list('closed')).toEqual([])
  })
})
