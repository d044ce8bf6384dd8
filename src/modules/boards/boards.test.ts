import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, startTestServer, type TestServer } from '../../testing/index.ts'
import { makeIteration } from '../iterations/testing.ts'
import { makeLabel } from '../labels/testing.ts'
import { makeMilestone } from '../milestones/testing.ts'
import { type BoardPlace, boardPlace, boardWithLists } from './testing.ts'

let server: TestServer
let place: BoardPlace
let other: BoardPlace
beforeAll(async () => {
  server = await startTestServer()
  place = await boardPlace(server, 'planners')
  other = await boardPlace(server, 'others')
})
afterAll(() => server.stop())

const notFound = { status: 404, body: { message: '404 Not found' } }
const refused = (message: unknown) => ({ status: 400, body: { message } })
const positions = async (path: string, as: Client = place.guest) =>
  (await as.get(`${path}/lists`)).body.map(({ id, position }: { id: number; position: number }) => [id, position])

describe.each(['project', 'group'] as const)('boards of a %s', (kind) => {
  let base: string
  let count = 0
  beforeAll(() => {
    base = place.at[kind]
  })
  const filled = (number: number) => {
    count += 1
    const titles = Array.from({ length: number }, (_, index) => `${kind}-${count}-${index}`)
    return boardWithLists(server, place.maintainer, { base, group: place.group }, titles)
  }
  const made = async (name = 'b') => (await place.maintainer.post(`${base}/boards`, { name })).body

  test('step 1 of the acceptance walk', async () => {
    const { guest, maintainer } = place
    expect((await guest.get(`${base}/boards`)).body).toEqual([])
    expect((await guest.post(`${base}/boards`, { name: 'b' })).status).toBe(403)
    const { status, body } = await maintainer.post(`${base}/boards`, { name: 'b' })
    expect(status).toBe(201)
    const group = { id: place.group.id, name: place.group.name, web_url: expect.stringMatching(/groups\/planners$/) }
    expect(body).toEqual({
      ...{ id: expect.any(Number), name: 'b', hide_backlog_list: false, hide_closed_list: false, lists: [] },
      project: kind === 'project' ? expect.objectContaining({ id: place.project.id }) : null,
      group: kind === 'group' ? group : null,
      ...{ milestone: null, assignee: null, labels: [], weight: null },
    })
    const one = `${base}/boards/${body.id}`
    const ui = await makeLabel(server, { group: place.group }, `ui-${kind}`)
    const added = await maintainer.post(`${one}/lists`, { label_id: ui.id })
    expect(added.status).toBe(201)
    expect(added.body).toEqual({
      ...{ id: expect.any(Number), position: 0, label: expect.objectContaining({ id: ui.id, name: ui.title }) },
      ...{ max_issue_count: 0, max_issue_weight: 0, limit_metric: null },
    })
    expect(await maintainer.post(`${one}/lists`, { label_id: ui.id })).toMatchObject(
      refused({ error: 'Label has already been taken' }),
    )
    expect(await maintainer.post(`${one}/lists`, {})).toMatchObject({
      status: 400,
      body: {
        error: 'label_id, milestone_id, iteration_id, assignee_id are missing, exactly one parameter must be provided',
      },
    })
    const backend = await makeLabel(server, { group: place.group }, `backend-${kind}`)
    const second = (await maintainer.post(`${one}/lists`, { label_id: backend.id })).body
    expect(second.position).toBe(1)
    expect(await maintainer.put(`${one}/lists/${second.id}`, { position: 0 })).toMatchObject({
      status: 200,
      body: { id: second.id, position: 0 },
    })
    expect(await positions(one)).toEqual([
      [second.id, 0],
      [added.body.id, 1],
    ])
    expect(await maintainer.put(`${one}/lists/${second.id}`, { position: 9 })).toMatchObject(
      refused({ error: 'List could not be moved!' }),
    )
    expect((await guest.get(one)).body.lists).toEqual((await guest.get(`${one}/lists`)).body)
    expect((await maintainer.delete(one)).status).toBe(204)
    expect(await maintainer.get(one)).toMatchObject(notFound)
    expect(await maintainer.get(`${one}/lists`)).toMatchObject(notFound)
    expect((await guest.get(`${base}/labels/${ui.id}`)).status).toBe(200)
  })

  test('only signed-in callers read them, and planners change them', async () => {
    const { path, lists } = await filled(1)
    const list = `${path}/lists/${lists[0]?.id}`
    const stranger = await server.user(`stranger-${kind}`)
    for (const at of [`${base}/boards`, path, `${path}/lists`, list]) {
      expect((await server.anonymous.get(at)).status).toBe(401)
      expect((await stranger.get(at)).status).toBe(404)
      expect((await place.guest.get(at)).status).toBe(200)
    }
    const { guest } = place
    expect((await guest.put(path, { name: 'x' })).status).toBe(403)
    expect((await guest.delete(path)).status).toBe(403)
    expect((await guest.post(`${path}/lists`, { label_id: 1 })).status).toBe(403)
    expect((await guest.put(list, { position: 0 })).status).toBe(403)
    expect((await guest.delete(list)).status).toBe(403)
    const planner = await server.user(`planner-${kind}`)
    await server.make.member(
      kind === 'project' ? { project: place.project as never } : { namespace: place.group as never },
      planner,
      15,
    )
    expect((await planner.put(path, { name: 'planned' })).body.name).toBe('planned')
  })

  test('a board or a list of another parent is not found', async () => {
    const { path, lists } = await filled(1)
    const foreign = await boardWithLists(server, other.maintainer, { base: other.at[kind], group: other.group }, [
      `x-${kind}`,
    ])
    const id = foreign.path.split('/').at(-1)
    const { maintainer } = place
    for (const at of [
      `${base}/boards/${id}`,
      `${path}/lists/${foreign.lists[0]?.id}`,
      `${path}/lists/0`,
      `${base}/boards/999999`,
    ]) {
      expect(await maintainer.get(at)).toMatchObject(notFound)
      expect(await maintainer.delete(at)).toMatchObject(notFound)
      expect(await maintainer.put(at, { position: 0, name: 'x' })).toMatchObject(notFound)
    }
    expect((await maintainer.post(`${base}/boards/${id}/lists`, { label_id: lists[0]?.label.id })).status).toBe(404)
    expect(await positions(foreign.path, other.guest)).toHaveLength(1)
  })

  test('lists name labels, milestones, iterations and members that can be reached', async () => {
    const { path } = await filled(0)
    const { maintainer, group } = place
    const milestone = await makeMilestone(server, { group }, `m-${kind}`)
    const iteration = await makeIteration(server, group, { start_date: '2031-01-01', due_date: '2031-01-07' })
    const add = (given: object) => maintainer.post(`${path}/lists`, given)
    const wanted = { milestone_id: milestone.id, iteration_id: iteration.id, assignee_id: place.developer.id }
    for (const [name, id] of Object.entries(wanted)) {
      const list = await add({ [name]: id })
      const member = name.replace('_id', '')
      expect(list).toMatchObject({ status: 201, body: { [member]: { id } } })
      expect(list.body).not.toHaveProperty('label')
      const title = `${member.charAt(0).toUpperCase()}${member.slice(1)}`
      expect(await add({ [name]: id })).toMatchObject(refused({ error: `${title} has already been taken` }))
    }
    expect((await positions(path)).map(([, position]: number[]) => position)).toEqual([0, 1, 2])
    const label = await makeLabel(server, { group: other.group }, `foreign-${kind}`)
    const foreign = {
      Label: { label_id: label.id },
      Milestone: { milestone_id: (await makeMilestone(server, { group: other.group }, `f-${kind}`)).id },
      Iteration: {
        iteration_id: (await makeIteration(server, other.group, { start_date: '2031-01-01', due_date: '2031-01-07' }))
          .id,
      },
      User: { assignee_id: other.developer.id },
    }
    for (const [title, given] of Object.entries(foreign)) {
      const [name] = Object.keys(given)
      expect(await add(given)).toMatchObject(refused({ error: `${title} not found!` }))
      expect(await add({ [name as string]: 999_999_999 })).toMatchObject(refused({ error: `${title} not found!` }))
    }
    expect((await add({ label_id: 1, milestone_id: 1 })).body.error).toBe(
      'label_id, milestone_id are mutually exclusive',
    )
    expect(await add({ label_id: 'x' })).toMatchObject({ status: 400, body: { error: 'label_id is invalid' } })
  })

  test('the scope is set, kept and cleared', async () => {
    const { path } = await filled(0)
    const { maintainer, group, developer } = place
    const milestone = await makeMilestone(server, { group }, `scope-${kind}`)
    const label = await makeLabel(server, { group }, `scope-${kind}`)
    const neighbour = (await filled(0)).path
    await maintainer.put(neighbour, { labels: label.title })
    const change = async (given: object) => (await maintainer.put(path, given)).body
    const given = { milestone_id: milestone.id, assignee_id: developer.id, labels: label.title, weight: 3 }
    const scope = {
      milestone: { id: milestone.id },
      assignee: { id: developer.id },
      labels: [{ id: label.id }],
      weight: 3,
    }
    expect(await change(given)).toMatchObject(scope)
    expect(await change({ hide_backlog_list: true, hide_closed_list: true, name: 'n' })).toMatchObject({
      ...{ ...scope, hide_backlog_list: true, hide_closed_list: true, name: 'n' },
    })
    for (const [id, title] of [
      [0, 'None'],
      [-1, 'Any'],
      [-2, 'Upcoming'],
      [-3, 'Started'],
    ] as const) {
      expect((await change({ milestone_id: id })).milestone).toEqual({ id, title })
    }
    expect(await change({ weight: 0 })).toMatchObject({ weight: 0 })
    const cleared = { milestone: null, assignee: null, labels: [], weight: null }
    expect(await change({ milestone_id: '', assignee_id: 0, labels: '', weight: '' })).toMatchObject(cleared)
    const wrong = { milestone_id: -4, weight: 10, assignee_id: -1 }
    for (const [name, value] of Object.entries(wrong)) {
      expect(await maintainer.put(path, { [name]: value })).toMatchObject({
        ...{ status: 400, body: { error: `${name} does not have a valid value` } },
      })
    }
    expect(await maintainer.put(path, { labels: 'nothing has this name' })).toMatchObject(
      refused({ error: 'Label not found!' }),
    )
    expect(await maintainer.put(path, { assignee_id: other.guest.id })).toMatchObject(
      refused({ error: 'User not found!' }),
    )
    expect(await maintainer.put(path, { milestone_id: 999_999 })).toMatchObject(
      refused({ error: 'Milestone not found!' }),
    )
    expect(await change({})).toMatchObject({ ...cleared, name: 'n' })
    expect((await maintainer.get(neighbour)).body.labels).toMatchObject([{ id: label.id }])
  })

  test('names and positions that no board has are refused', async () => {
    const { path, lists } = await filled(2)
    const { maintainer } = place
    const create = (given: object) => maintainer.post(`${base}/boards`, given)
    expect((await create({})).body.error).toBe('name is missing')
    for (const name of ['', ' \n\t']) {
      expect(await create({ name })).toMatchObject(refused({ name: ["can't be blank"] }))
      expect(await maintainer.put(path, { name })).toMatchObject(refused({ name: ["can't be blank"] }))
    }
    expect(await create({ name: 'ä'.repeat(256) })).toMatchObject(
      refused({ name: ['is too long (maximum is 255 characters)'] }),
    )
    expect((await create({ name: '😀'.repeat(255) })).status).toBe(201)
    for (const name of [{ a: 1 }, ['x'], '\u0000']) expect((await create({ name })).status).toBe(400)
    const list = `${path}/lists/${lists[1]?.id}`
    for (const position of [-1, 2, 2 ** 53]) {
      expect(await maintainer.put(list, { position })).toMatchObject(refused({ error: 'List could not be moved!' }))
    }
    for (const position of ['x', 1.5, [1], {}]) {
      expect(await maintainer.put(list, { position })).toMatchObject({ body: { error: 'position is invalid' } })
    }
    expect((await maintainer.put(list, {})).body.error).toBe('position is missing')
    for (const id of ['..%2f..', '1%2F2', 'x', '-1', '9'.repeat(40)]) {
      expect((await maintainer.get(`${base}/boards/${id}`)).status).toBeGreaterThanOrEqual(400)
    }
  })

  test('positions stay without gaps under two writers', async () => {
    const { path, lists } = await filled(6)
    const { maintainer, owner } = place
    const ids = lists.map(({ id }) => id)
    const moves = [
      maintainer.put(`${path}/lists/${ids[0]}`, { position: 5 }),
      owner.put(`${path}/lists/${ids[5]}`, { position: 0 }),
      maintainer.delete(`${path}/lists/${ids[2]}`),
      owner.delete(`${path}/lists/${ids[2]}`),
      maintainer.put(`${path}/lists/${ids[3]}`, { position: 1 }),
    ]
    const statuses = (await Promise.all(moves)).map(({ status }) => status)
    expect(statuses.slice(2, 4).sort()).toEqual([204, 404])
    const found: [number, number][] = await positions(path)
    expect(found.map(([, position]) => position)).toEqual([0, 1, 2, 3, 4])
    expect(found.map(([id]) => id).sort((a, b) => a - b)).toEqual(ids.toSpliced(2, 1))
  })

  test('one of two callers creates the list of a label', async () => {
    const { path } = await filled(0)
    const { id } = await makeLabel(server, { group: place.group }, `twice-${kind}`)
    const both = [place.maintainer, place.owner].map((as) => as.post(`${path}/lists`, { label_id: id }))
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([201, 400])
    expect(await positions(path)).toHaveLength(1)
  })

  test('every move leads to its position', async () => {
    const { path, lists } = await filled(4)
    let order = lists.map(({ id }) => id)
    for (const [from, to] of [
      [0, 3],
      [3, 0],
      [1, 2],
      [2, 1],
      [0, 0],
    ] as const) {
      const id = order[from] as number
      expect((await place.maintainer.put(`${path}/lists/${id}`, { position: to })).body.position).toBe(to)
      order = order.filter((one) => one !== id).toSpliced(to, 0, id)
      expect(await positions(path)).toEqual(order.map((one, position) => [one, position]))
    }
  })

  test('a board has 100 lists, a parent 100 boards', async () => {
    const { path } = await filled(0)
    const boardId = Number(path.split('/').at(-1))
    const moment = '2026-01-01T00:00:00.000Z'
    const times = { created_at: moment, updated_at: moment }
    await server.app.platform.database.write(async (tx) => {
      const labels = Array.from({ length: 100 }, (_, index) => ({
        ...{ namespace_id: place.group.id, title: `many-${kind}-${index}`, color: '#000000', ...times },
      }))
      const rows = await tx.insertInto('labels').values(labels).returning('id').execute()
      const lists = rows.map(({ id }, rank) => ({ board_id: boardId, label_id: id, rank, ...times }))
      await tx.insertInto('board_lists').values(lists).execute()
    })
    const { id } = await makeLabel(server, { group: place.group }, `one-more-${kind}`)
    const { maintainer } = place
    const added = () => maintainer.post(`${path}/lists`, { label_id: id })
    expect(await added()).toMatchObject(refused({ base: [expect.stringContaining('limit')] }))
    const page = await maintainer.get(`${path}/lists?per_page=30&page=4`)
    expect(page.body).toHaveLength(10)
    expect(page.body[0].position).toBe(90)
    expect((await maintainer.delete(`${path}/lists/${page.body[0].id}`)).status).toBe(204)
    expect((await added()).body.position).toBe(99)
    const before = Number((await maintainer.get(`${base}/boards`)).headers.get('x-total'))
    for (let index = before; index < 100; index += 1) await made(`board ${index}`)
    expect(await maintainer.post(`${base}/boards`, { name: 'b' })).toMatchObject(
      refused({ base: [expect.stringContaining('limit')] }),
    )
    const all = (await maintainer.get(`${base}/boards?per_page=100`)).body.map(({ id }: { id: number }) => id)
    expect(all).toEqual([...all].sort((a: number, b: number) => a - b))
  })
})
