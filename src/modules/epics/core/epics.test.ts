import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let owner: Person
let planner: Person
let guest: Person
let group: Awaited<ReturnType<TestServer['make']['group']>>

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  planner = await server.user('planner')
  guest = await server.user('guest')
})
afterAll(() => server.stop())

let made = 0
beforeEach(async () => {
  made += 1
  group = await server.make.group(`team${made}`, owner)
  await server.make.member({ namespace: group }, planner, 15)
  await server.make.member({ namespace: group }, guest, 10)
})

const path = () => `/groups/${group.id}/epics`
const create = async (given: object, person: Person = planner) => (await person.post(path(), given)).body
const refused = (field: string, text: string) => ({ status: 400, body: { message: { [field]: [text] } } })

describe('an epic', () => {
  test('has all members of the contract', async () => {
    const { id, created_at, author, ...created } = await create({ title: 'E', labels: 'b,a', description: 'text' })
    expect(author).toMatchObject({ id: planner.id, username: 'planner' })
    expect(Date.parse(created_at)).toBeGreaterThan(0)
    const url = server.app.platform.externalUrl
    expect(created).toEqual({
      ...{ work_item_id: id, iid: 1, color: '#1068bf', text_color: '#FFFFFF', group_id: group.id },
      ...{ parent_id: null, parent_iid: null, imported: false, imported_from: 'none' },
      ...{ title: 'E', description: 'text', confidential: false, state: 'opened', labels: ['a', 'b'] },
      ...{ start_date: null, start_date_is_fixed: false, start_date_fixed: null },
      ...{ start_date_from_inherited_source: null, start_date_from_milestones: null },
      ...{ end_date: null, due_date: null, due_date_is_fixed: false, due_date_fixed: null },
      ...{ due_date_from_inherited_source: null, due_date_from_milestones: null },
      ...{ updated_at: created_at, closed_at: null, upvotes: 0, downvotes: 0, subscribed: true },
      web_edit_url: `/groups/${group.full_path}/-/epics/1/edit`,
      web_url: `${url}/groups/${group.full_path}/-/epics/1`,
      references: { short: '&1', relative: '&1', full: `${group.full_path}&1` },
      _links: {
        self: `${url}/api/v4/groups/${group.id}/epics/1`,
        epic_issues: `${url}/api/v4/groups/${group.id}/epics/1/issues`,
        group: `${url}/api/v4/groups/${group.id}`,
        parent: null,
      },
    })
  })

  test('answers under both paths, as deprecated', async () => {
    await create({ title: 'E' })
    for (const address of [path(), `/groups/${group.id}/-/epics`]) {
      const { status, headers, body } = await guest.get(`${address}/1`)
      expect([status, headers.get('deprecation'), body.title, body.subscribed]).toEqual([200, 'true', 'E', false])
    }
    expect(await planner.get(`${path()}/2`)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    expect(await planner.get(`${path()}/x`)).toMatchObject({ status: 400, body: { error: 'epic_iid is invalid' } })
    expect((await planner.get(`${path()}/${'9'.repeat(30)}`)).status).toBe(404)
  })

  test('that is confidential exists for planners and above only', async () => {
    await create({ title: 'E', confidential: true })
    expect((await planner.get(`${path()}/1`)).body.confidential).toBe(true)
    expect((await guest.get(`${path()}/1`)).status).toBe(404)
    expect((await server.root.get(`${path()}/1`)).status).toBe(200)
  })

  test('is numbered once by concurrent callers', async () => {
    const created = await Promise.all(Array.from({ length: 8 }, () => create({ title: 'E' })))
    expect(created.map(({ iid }) => iid).toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  test.each([
    [{}, { status: 400, body: { error: 'title is missing' } }],
    [{ title: ' ' }, refused('title', "can't be blank")],
    [{ title: 'x'.repeat(256) }, refused('title', 'is too long (maximum is 255 characters)')],
    [{ title: 'E', color: 'nope' }, refused('color', 'must be a valid color code')],
    [
      { title: 'E', start_date_fixed: '2026-02-30' },
      { status: 400, body: { error: 'start_date_fixed is invalid' } },
    ],
    [{ title: 'E', parent_id: 99999999 }, refused('parent', 'must be an epic in the same tree of groups')],
  ])('with %j is refused', async (given, answer) => {
    expect(await planner.post(path(), given)).toMatchObject(answer)
  })

  test('has its colour in six digits, also by name', async () => {
    expect(await create({ title: 'E', color: '#fff' })).toMatchObject({ color: '#ffffff', text_color: '#1F1E24' })
    expect(await create({ title: 'E', color: 'Red' })).toMatchObject({ color: '#FF0000', text_color: '#FFFFFF' })
  })

  test('is created at another time by owners only', async () => {
    const at = '2020-01-02T03:04:05.000Z'
    expect(await create({ title: 'E', created_at: at }, owner)).toMatchObject({ created_at: at, updated_at: at })
    expect((await create({ title: 'E', created_at: at })).created_at).not.toBe(at)
  })
})

describe('a change', () => {
  const change = (given: object, person: Person = planner) => person.put(`${path()}/1`, given)

  test('sets what is given, and clears by null and by empty text', async () => {
    await create({ title: 'E', description: 'd', start_date_fixed: '2026-01-01', start_date_is_fixed: true })
    const { body } = await change({
      title: 'F',
      due_date_fixed: '2026-03-01',
      due_date_is_fixed: true,
      color: '#000000',
    })
    expect(body).toMatchObject({ title: 'F', description: 'd', due_date: '2026-03-01', end_date: '2026-03-01' })
    expect(body).toMatchObject({ start_date: '2026-01-01', color: '#000000' })
    const cleared = await change({ description: null, start_date_fixed: '', due_date_is_fixed: false })
    expect(cleared.body).toMatchObject({
      description: null,
      start_date: null,
      due_date_fixed: '2026-03-01',
      due_date: null,
    })
    expect(await change({ title: '' })).toMatchObject(refused('title', "can't be blank"))
  })

  test('of the deprecated dates fixes them', async () => {
    await create({ title: 'E', start_date: '2026-01-01', end_date: '2026-01-31' })
    const { body } = await planner.get(`${path()}/1`)
    expect(body).toMatchObject({ start_date: '2026-01-01', start_date_is_fixed: true, end_date: '2026-01-31' })
  })

  test('closes and reopens once, and records it', async () => {
    const { id } = await create({ title: 'E' })
    const closed = (await change({ state_event: 'close' })).body
    expect([closed.state, closed.closed_at]).toEqual(['closed', closed.updated_at])
    expect((await change({ state_event: 'close' })).body.updated_at).toBe(closed.updated_at)
    expect((await change({ state_event: 'reopen' })).body).toMatchObject({ state: 'opened', closed_at: null })
    expect(await change({ state_event: 'open' })).toMatchObject({
      status: 400,
      body: { error: 'state_event does not have a valid value' },
    })
    const events = server.app.platform.database.read.selectFrom('resource_state_events').select(['state', 'user_id'])
    expect(await events.where('issuable_id', '=', id).orderBy('id').execute()).toEqual([
      { state: 'closed', user_id: planner.id },
      { state: 'reopened', user_id: planner.id },
    ])
  })

  test('of labels replaces, adds and removes; scoped ones displace each other', async () => {
    await create({ title: 'E', labels: 'a,p::1' })
    expect((await change({ add_labels: 'p::2,c', remove_labels: 'a' })).body.labels).toEqual(['c', 'p::2'])
    expect((await change({ labels: 'd' })).body.labels).toEqual(['d'])
    expect((await change({ labels: '' })).body.labels).toEqual([])
    const labels = server.app.platform.database.read.selectFrom('labels').select('title')
    const titles = (await labels.where('namespace_id', '=', group.id).orderBy('title').execute()).map(
      ({ title }) => title,
    )
    expect(titles).toEqual(['a', 'c', 'd', 'p::1', 'p::2'])
  })

  test('that changes nothing leaves the time of the last change', async () => {
    const { updated_at: before } = await create({ title: 'E', labels: 'a' })
    expect((await change({ title: 'E', labels: 'a', description: null })).body.updated_at).toBe(before)
    const at = '2021-01-02T03:04:05.000Z'
    expect((await change({ updated_at: at })).body.updated_at).toBe(before)
    expect((await change({ updated_at: at }, owner)).body.updated_at).toBe(at)
  })
})

describe('a parent', () => {
  test('is an epic of the same tree, in seven levels at most, without circles', async () => {
    const sub = await server.make.group('sub', owner, { parent: group })
    const below = (await owner.post(`/groups/${sub.id}/epics`, { title: 'below' })).body
    let parent = (await create({ title: 'top' })) as { id: number; iid: number }
    const top = parent
    for (let level = 2; level <= 7; level += 1) parent = await create({ title: `${level}`, parent_id: parent.id })
    expect(parent).toMatchObject({ iid: 7, parent_iid: 6 })
    const idAt = async (iid: number) => (await owner.get(`${path()}/${iid}`)).body.id as number
    const deep = 'hierarchy is too deep (maximum is 7 levels)'
    expect(await planner.post(path(), { title: 'E', parent_id: parent.id })).toMatchObject(refused('parent', deep))
    const circle = 'cannot be the epic itself or one below it'
    for (const id of [top.id, parent.id]) {
      expect(await planner.put(`${path()}/1`, { parent_id: id })).toMatchObject(refused('parent', circle))
    }
    expect((await owner.put(`/groups/${sub.id}/epics/1`, { parent_id: top.id })).body).toMatchObject({
      parent_id: top.id,
      _links: { parent: expect.stringMatching(new RegExp(`/groups/${group.id}/epics/1$`)) },
    })
    // What is below an epic counts as well.
    const tree = [await create({ title: 'root' })]
    for (let level = 2; level <= 3; level += 1) tree.push(await create({ title: 'x', parent_id: tree.at(-1)?.id }))
    const put = (parent_id: number) => owner.put(`${path()}/${tree[0]?.iid}`, { parent_id })
    const [fourth, fifth] = [await idAt(4), await idAt(5)]
    expect(await put(fifth)).toMatchObject(refused('parent', deep))
    expect((await put(fourth)).body.parent_id).toBe(fourth)
    const other = await server.make.group(`other${made}`, owner)
    expect(await owner.post(`/groups/${other.id}/epics`, { title: 'E', parent_id: below.id })).toMatchObject({
      status: 400,
    })
    expect((await owner.put(`/groups/${sub.id}/epics/1`, { parent_id: '' })).body.parent_id).toBeNull()
  })

  test('is none of two epics that are put below each other at once', async () => {
    const [first, second] = [await create({ title: 'first' }), await create({ title: 'second' })]
    const answers = await Promise.all([
      planner.put(`${path()}/${first.iid}`, { parent_id: second.id }),
      planner.put(`${path()}/${second.iid}`, { parent_id: first.id }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
  })

  test('inherits the widest dates of its children', async () => {
    const { id } = await create({ title: 'top' })
    const due = { due_date_is_fixed: true, parent_id: id }
    await create({ title: 'a', ...due, due_date_fixed: '2026-02-01', start_date: '2026-01-05' })
    await create({ title: 'b', ...due, due_date_fixed: '2026-05-01', start_date: '2026-01-09' })
    const inherited = { start_date: '2026-01-05', due_date: '2026-05-01', due_date_from_inherited_source: '2026-05-01' }
    expect((await planner.get(`${path()}/1`)).body).toMatchObject(inherited)
  })
})

describe('a deletion', () => {
  test('is for planners and owners, and leaves the children without parent', async () => {
    const reporter = await server.user(`reporter${made}`)
    await server.make.member({ namespace: group }, reporter, 20)
    const { id } = await create({ title: 'E', labels: 'a' })
    await create({ title: 'child', parent_id: id })
    expect(await reporter.delete(`${path()}/1`)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    const old = { headers: { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' } }
    expect((await planner.delete(`${path()}/1`, old)).status).toBe(412)
    expect((await planner.delete(`${path()}/1`)).status).toBe(204)
    expect((await planner.delete(`${path()}/1`)).status).toBe(404)
    expect((await planner.get(`${path()}/2`)).body).toMatchObject({ parent_id: null, parent_iid: null })
    const { read } = server.app.platform.database
    for (const table of ['issuable_labels', 'resource_label_events'] as const) {
      expect(await read.selectFrom(table).selectAll().where('issuable_id', '=', id).execute()).toEqual([])
    }
    expect(await read.selectFrom('subscriptions').selectAll().where('noteable_id', '=', id).execute()).toEqual([])
    expect((await create({ title: 'next' })).iid).toBe(3)
  })
})
