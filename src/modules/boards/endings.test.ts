/** What becomes of boards when what they name, or where they are, changes or ends. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { makeIteration } from '../iterations/testing.ts'
import { makeLabel } from '../labels/testing.ts'
import { makeMilestone } from '../milestones/testing.ts'
import { exported, linesOf } from '../relation-exports/testing.ts'
import { type BoardPlace, boardPlace } from './testing.ts'

let server: TestServer
let place: BoardPlace
let count = 0
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** A board with a list for each of the ids that are given. */
async function board(base: string, ...lists: Readonly<Record<string, number>>[]) {
  const { body } = await place.owner.post(`${base}/boards`, { name: 'b' })
  const path = `${base}/boards/${body.id}`
  for (const given of lists) expect((await place.owner.post(`${path}/lists`, given)).status).toBe(201)
  return path
}
const fresh = async () => {
  count += 1
  place = await boardPlace(server, `ends-${count}`)
}
const read = async (path: string) => (await place.owner.get(path)).body
const kindsOf = async (path: string) =>
  (await read(`${path}/lists`)).map(
    (list: Record<string, { id: number }>) =>
      ['label', 'milestone', 'iteration', 'assignee'].flatMap((kind) =>
        list[kind] ? [`${kind} ${list[kind].id}`] : [],
      )[0],
  )
const rowsOf = (table: 'boards' | 'board_lists' | 'board_labels') =>
  server.app.platform.database.read.selectFrom(table).selectAll().execute()

test('the deletion of a label, milestone, iteration or user takes the lists, and positions close up', async () => {
  await fresh()
  const { group, at, owner } = place
  const [a, b] = [
    await makeLabel(server, { group: place.group }, 'a'),
    await makeLabel(server, { group: place.group }, 'b'),
  ]
  const milestone = await makeMilestone(server, { group }, 'm')
  const iteration = await makeIteration(server, group, { start_date: '2031-01-01', due_date: '2031-01-07' })
  const user = await server.user('leaver')
  await server.make.member({ namespace: group as never }, user, 30)
  const path = await board(
    at.project,
    ...[{ label_id: a.id }, { milestone_id: milestone.id }, { iteration_id: iteration.id }],
    ...[{ assignee_id: user.id }, { label_id: b.id }],
  )
  await owner.put(path, { milestone_id: milestone.id, assignee_id: user.id, labels: 'a,b' })
  expect((await owner.delete(`${at.group}/labels/${a.id}`)).status).toBe(204)
  expect((await owner.delete(`${at.group}/milestones/${milestone.id}`)).status).toBe(204)
  expect((await owner.delete(`${at.group}/iterations/${iteration.id}`)).status).toBe(204)
  expect(await kindsOf(path)).toEqual([`assignee ${user.id}`, `label ${b.id}`])
  expect((await server.root.delete(`/users/${user.id}?hard_delete=true`)).status).toBe(204)
  await expect.poll(() => kindsOf(path)).toEqual([`label ${b.id}`])
  const whole = await read(path)
  expect(whole.lists[0].position).toBe(0)
  expect(whole).toMatchObject({ milestone: null, assignee: null, labels: [{ id: b.id }] })
})

test('lists follow a label and a milestone that are promoted', async () => {
  await fresh()
  const { project, at, owner } = place
  const second = (await owner.post('/projects', { name: 'second', namespace_id: place.group.id })).body
  const label = await makeLabel(server, { project }, 'promoted')
  const same = await makeLabel(server, { project: second }, 'promoted')
  const milestone = await makeMilestone(server, { project }, 'promoted')
  const own = await board(at.project, { label_id: label.id }, { milestone_id: milestone.id })
  const merged = await board(`/projects/${second.id}`, { label_id: same.id })
  await owner.put(merged, { labels: 'promoted' })
  await owner.put(own, { milestone_id: milestone.id })
  const raised = (await owner.put(`${at.project}/labels/${label.id}/promote`)).body
  expect((await owner.post(`${at.project}/milestones/${milestone.id}/promote`)).status).toBe(200)
  const [ofGroup] = await read(`${at.group}/milestones`)
  expect(await kindsOf(own)).toEqual([`label ${raised.id}`, `milestone ${ofGroup.id}`])
  expect((await read(own)).milestone.id).toBe(ofGroup.id)
  expect(await kindsOf(merged)).toEqual([`label ${raised.id}`])
  expect((await read(merged)).labels).toMatchObject([{ id: raised.id }])
})

test('a moved project keeps the lists of what it still reaches', async () => {
  await fresh()
  const { group, project, at, owner } = place
  const own = await makeLabel(server, { project }, 'own')
  const ownMilestone = await makeMilestone(server, { project }, 'own')
  const inherited = await makeLabel(server, { group }, 'inherited')
  const milestone = await makeMilestone(server, { group }, 'inherited')
  const iteration = await makeIteration(server, group, { start_date: '2031-01-01', due_date: '2031-01-07' })
  const path = await board(
    at.project,
    ...[{ label_id: inherited.id }, { label_id: own.id }, { milestone_id: milestone.id }],
    ...[{ iteration_id: iteration.id }, { milestone_id: ownMilestone.id }],
  )
  await owner.put(path, { labels: 'own,inherited', milestone_id: milestone.id })
  const target = await server.make.group(`target-${count}`, owner)
  expect((await owner.put(`${at.project}/transfer`, { namespace: target.id })).status).toBe(200)
  expect(await kindsOf(path)).toEqual([`label ${own.id}`, `milestone ${ownMilestone.id}`])
  expect(await read(path)).toMatchObject({
    milestone: null,
    labels: [{ id: own.id }],
    lists: [{ position: 0 }, { position: 1 }],
  })
})

test('a moved group and all below it lose the lists of what they no longer reach', async () => {
  await fresh()
  const { group, owner } = place
  const inner = await server.make.group('inner', owner, { parent: group as never })
  const below = (await owner.post('/projects', { name: 'below', namespace_id: inner.id })).body
  const above = await makeLabel(server, { group }, 'above')
  const kept = await makeLabel(server, { group: inner }, 'kept')
  const lists = [{ label_id: above.id }, { label_id: kept.id }]
  const paths = [
    await board(`/groups/${inner.id}`, ...lists),
    await board(`/projects/${below.id}`, ...lists),
    await board(`/groups/${group.id}`, { label_id: above.id }),
  ]
  await owner.put(paths[0] as string, { labels: 'above,kept' })
  expect((await owner.post(`/groups/${inner.id}/transfer`, {})).status).toBe(201)
  expect(await Promise.all(paths.map(kindsOf))).toEqual([
    [`label ${kept.id}`],
    [`label ${kept.id}`],
    [`label ${above.id}`],
  ])
  expect((await read(paths[0] as string)).labels).toMatchObject([{ id: kept.id }])
})

test('boards are exported with their lists', async () => {
  await fresh()
  const { group, project, at, owner } = place
  const label = await makeLabel(server, { group }, 'a', { color: '#112233' })
  const milestone = await makeMilestone(server, { group }, 'm')
  for (const base of [at.project, at.group]) {
    const path = await board(base, { milestone_id: milestone.id }, { label_id: label.id })
    await owner.put(path, {
      labels: 'a',
      milestone_id: milestone.id,
      assignee_id: owner.id,
      weight: 2,
      hide_closed_list: true,
    })
    await exported(server, owner, base)
    const lines = await linesOf(owner, base, 'boards')
    const isGroup = base === at.group
    const line = {
      ...{ name: 'b', project_id: isGroup ? null : project.id, group_id: isGroup ? group.id : null, weight: 2 },
      ...{ hide_backlog_list: false, hide_closed_list: true },
      lists: [
        { list_type: 'milestone', position: 0, label: null },
        { list_type: 'label', position: 1, label: { title: 'a', color: '#112233' } },
      ],
    }
    const scope = { milestone: { title: 'm' }, labels: [{ title: 'a' }], board_assignee: { assignee_id: owner.id } }
    expect(lines).toMatchObject([isGroup ? { ...line, ...scope } : line])
    if (!isGroup) expect(lines[0]).not.toHaveProperty('labels')
  }
})

test('a board is refused while the issues of its project are off, and writes while it is archived', async () => {
  await fresh()
  const { at, owner } = place
  const path = await board(at.project)
  await owner.put(at.project, { issues_access_level: 'disabled' })
  expect((await owner.get(path)).status).toBe(403)
  expect((await owner.get(`${at.project}/boards`)).status).toBe(403)
  await owner.put(at.project, { issues_access_level: 'enabled' })
  await owner.post(`${at.project}/archive`)
  expect((await owner.get(path)).status).toBe(200)
  for (const answer of [
    await owner.post(`${at.project}/boards`, { name: 'b' }),
    await owner.put(path, { name: 'b' }),
    await owner.delete(path),
    await owner.post(`${path}/lists`, { label_id: 1 }),
  ]) {
    expect(answer.status).toBe(403)
  }
})

test('boards, lists and scopes end with their project or group', async () => {
  await fresh()
  const { group, project, at } = place
  const label = await makeLabel(server, { group }, 'a')
  for (const base of [at.project, at.group]) {
    await place.owner.put(await board(base, { label_id: label.id }), { labels: 'a' })
  }
  const before = (await rowsOf('boards')).map(({ id }) => id)
  const ofPlace = (await rowsOf('boards')).filter(
    (row) => row.project_id === project.id || row.namespace_id === group.id,
  )
  expect(ofPlace).toHaveLength(2)
  await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
  expect((await server.root.delete(at.group)).status).toBe(202)
  const ids = new Set(ofPlace.map(({ id }) => id))
  const left = async () => [
    (await rowsOf('boards')).filter(({ id }) => ids.has(id)).length,
    (await rowsOf('board_lists')).filter(({ board_id }) => ids.has(board_id)).length,
    (await rowsOf('board_labels')).filter(({ board_id }) => ids.has(board_id)).length,
  ]
  await expect.poll(left, { timeout: 20_000 }).toEqual([0, 0, 0])
  expect((await rowsOf('boards')).length).toBe(before.length - 2)
})

test('below Premium, groups have the boards that they have, and lists are of labels', async () => {
  const free = await startTestServer({ settings: { FENNEC_TIER: 'free' } })
  try {
    const { at, group, owner } = await boardPlace(free, 'free')
    expect((await owner.post(`${at.group}/boards`, { name: 'b' })).status).toBe(403)
    expect((await owner.get(`${at.group}/boards`)).body).toEqual([])
    const { body } = await owner.post(`${at.project}/boards`, { name: 'b' })
    for (const name of ['milestone', 'assignee', 'labels', 'weight']) expect(body).not.toHaveProperty(name)
    const path = `${at.project}/boards/${body.id}`
    const changed = await owner.put(path, {
      weight: 3,
      assignee_id: 'not a number',
      milestone_id: 9,
      labels: 'none',
      name: 'c',
    })
    expect(changed).toMatchObject({ status: 200, body: { name: 'c' } })
    const milestone = await makeMilestone(free, { group }, 'm')
    const refused = await owner.post(`${path}/lists`, { milestone_id: milestone.id })
    expect(refused.body.error).toContain('exactly one parameter must be provided')
    const label = await makeLabel(free, { group }, 'a')
    const list = await owner.post(`${path}/lists`, { label_id: label.id, milestone_id: milestone.id })
    expect(list).toMatchObject({ status: 201, body: { label: { id: label.id }, position: 0 } })
    expect(list.body).not.toHaveProperty('max_issue_count')
  } finally {
    await free.stop()
  }
})
