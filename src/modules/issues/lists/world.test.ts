/**
 * Compares the lists with a naive model over a generated world. `FENNEC_TEST_WORLD_ISSUES` and `FENNEC_TEST_WORLD_QUERIES`
 * enlarge it.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { queriesDuring, startTestServer, type TestServer } from '../../../testing/index.ts'
import { role } from '../../access/index.ts'
import { modelOf, type Place, type Query } from './model-testing.ts'
import { copyProject, generator, labelTitles, makeWorld, type World } from './world-testing.ts'

const count = Number(process.env.FENNEC_TEST_WORLD_ISSUES ?? 2_000)
const queries = Number(process.env.FENNEC_TEST_WORLD_QUERIES ?? 200)
const seed = Number(process.env.FENNEC_TEST_WORLD_SEED ?? 1)

let server: TestServer
let world: World
let today: string

beforeAll(async () => {
  server = await startTestServer()
  await server.root.put('/application/settings', { search_rate_limit: 0 })
  world = await makeWorld(server, { count, seed })
  today = server.app.platform.clock.now().toISOString().slice(0, 10)
}, 300_000)
afterAll(() => server.stop())

const random = generator(seed + 1)
const { below, one, some } = random

function randomValues(): Record<string, () => string> {
  const person = () => one([world.reader, ...world.others])
  const moment = () => new Date(Date.parse(`${today}T00:00:00Z`) - below(200) * 3_600_000).toISOString()
  const labelName = () => one([...labelTitles, 'k::*', 'k::x::*', 'unknown', 'None', 'any', 'No+Label'])
  const numbers = () => Array.from({ length: 1 + below(4) }, () => 1 + below(200)).join()
  const milestone = () => one(['v0', 'v1', 'v5', 'nothing', 'none', 'Any', '#upcoming', '#started'])
  const milestoneWord = () => one(['None', 'Any', 'Upcoming', 'Started'])
  const iteration = () => one(['1', '2', '99', 'None', 'any', 'Current'])
  const term = () =>
    one([
      'über',
      'QUICK',
      'ab',
      'x',
      '50%',
      'x_y',
      'strasse',
      'Straße',
      '"quick fox"',
      'log"in',
      '日本語',
      '本',
      'long',
      '"',
    ])
  return {
    assignee_id: () => one([String(person().id), 'None', 'ANY', '99999']),
    assignee_username: () => one([person().username, person().username.toUpperCase(), 'nobody']),
    author_id: () => String(person().id),
    author_username: () => one([person().username, 'nobody']),
    confidential: () => one(['true', 'false']),
    created_after: moment,
    updated_before: moment,
    due_date: () =>
      one(['0', 'any', 'today', 'tomorrow', 'overdue', 'week', 'month', 'next_month_and_previous_two_weeks']),
    health_status: () => one(['on_track', 'AT_RISK', 'none', 'Any']),
    iids: numbers,
    issue_type: () => one(['issue', 'incident', 'task']),
    iteration_id: iteration,
    iteration_title: () => one(['i0', 'i1', 'none such']),
    labels: () => [labelName(), ...some(labelTitles, 1)].join(one([',', ' , '])),
    milestone,
    milestone_id: milestoneWord,
    my_reaction_emoji: () => one(['thumbsup', 'tada', 'None', 'any', 'heart']),
    non_archived: () => one(['true', 'false']),
    scope: () => one(['created_by_me', 'assigned-to-me', 'all']),
    search: () => [term(), ...some([term()], 1)].join(' '),
    in: () => one(['title', 'description', 'title,description', 'other']),
    state: () => one(['opened', 'closed', 'all']),
    weight: () => one(['0', '2', 'None', 'any']),
    'not[assignee_id]': () => String(person().id),
    'not[author_username]': () => person().username,
    'not[iids]': numbers,
    'not[labels]': labelName,
    'not[milestone]': milestone,
    'not[milestone_id]': milestoneWord,
    'not[iteration_id]': iteration,
    'not[weight]': () => one(['0', '2']),
  }
}

const orders = [
  'created_at',
  'updated_at',
  'due_date',
  'weight',
  'milestone_due',
  'title',
  'popularity',
  'label_priority',
  'priority',
  'relative_position',
]
const exclusive = [
  ['assignee_id', 'assignee_username'],
  ['author_id', 'author_username'],
  ['milestone_id', 'milestone'],
  ['iteration_id', 'iteration_title'],
  ['not[milestone_id]', 'not[milestone]'],
]

function randomQuery(): Query {
  const values = randomValues()
  const names = some(Object.keys(values), 4)
  for (const [first = '', second = ''] of exclusive) {
    if (names.includes(first) && names.includes(second)) names.splice(names.indexOf(second), 1)
  }
  const query = Object.fromEntries(names.map((name) => [name, values[name]?.() ?? '']))
  return { ...query, ...(random.chance(0.7) && { order_by: one(orders) }), ...(random.chance(0.5) && { sort: 'asc' }) }
}

function addressOf(place: Place, query: Query): string {
  const path = {
    instance: '/issues',
    group: `/groups/${one([world.groupId, world.largeGroupId])}/issues`,
    project: '',
  }[place.kind]
  const start = place.kind === 'project' ? `/projects/${place.id}/issues` : path
  return `${start}?${new URLSearchParams(query)}`
}

function randomPlace(): Place {
  const visible = world.projects.filter((project) => project.public || project.level > 0)
  return one<Place>([{ kind: 'instance' }, { kind: 'group' }, { kind: 'project', id: one(visible).id }])
}

/** Compares as many lists as asked for with the model. @returns how many issues they have */
async function compareLists(turns: number, placeOf: () => Place): Promise<number> {
  const model = modelOf(world, today)
  let found = 0
  for (let number = 0; number < turns; number += 1) {
    const [place, query] = [placeOf(), randomQuery()]
    const expected = model.ids(place, query)
    const perPage = one([20, 100])
    const page = 1 + below(Math.min(50_000 / perPage, Math.ceil(expected.length / perPage) + 1))
    const address = addressOf(place, { ...query, per_page: String(perPage), page: String(page) })
    const { status, body, headers } = await world.reader.get(address)
    const ids = Array.isArray(body) ? body.map(({ id }: { id: number }) => id) : body
    const total = expected.length > 10_000 ? null : String(expected.length)
    expect([address, status, headers.get('x-total'), ids]).toEqual([
      address,
      200,
      total,
      expected.slice((page - 1) * perPage, page * perPage),
    ])
    found += expected.length
  }
  return found
}

test(`${queries} random filters and orders select what a naive model selects`, async () => {
  // The comparison means something only when the lists are not empty.
  expect(await compareLists(queries, randomPlace)).toBeGreaterThan(queries)
}, 3_600_000)

test('statistics count what the lists select', async () => {
  const model = modelOf(world, today)
  for (let number = 0; number < queries / 10; number += 1) {
    const [place, { state: _state, due_date, issue_type, non_archived, order_by, sort, ...query }] = [
      randomPlace(),
      randomQuery(),
    ]
    const scope = query.scope?.replaceAll('-', '_')
    const address = addressOf(place, { ...query, ...(scope && { scope }) }).replace('/issues?', '/issues_statistics?')
    const { body } = await world.reader.get(address)
    const [all, closed] = [model.ids(place, query), model.ids(place, { ...query, state: 'closed' })]
    const counts = { all: all.length, closed: closed.length, opened: all.length - closed.length }
    expect([address, body]).toEqual([address, { statistics: { counts } }])
  }
}, 3_600_000)

test('keyset pages visit each issue once, in the order of the list', async () => {
  const model = modelOf(world, today)
  const place: Place = { kind: 'group' }
  for (const order of ['created_at', 'updated_at', 'id']) {
    for (const sort of ['asc', 'desc']) {
      const query: Query = { state: 'opened', 'not[labels]': 'bug' }
      const wanted = model.ids(place, { ...query, order_by: order === 'id' ? 'relative_position' : order, sort })
      const ids: number[] = []
      let next: string | undefined = addressOf(place, {
        ...query,
        order_by: order,
        sort,
        pagination: 'keyset',
        per_page: '97',
      })
      while (next !== undefined && ids.length <= wanted.length) {
        const { body, headers } = await world.reader.get(next)
        ids.push(...body.map(({ id }: { id: number }) => id))
        next = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
        if (ids.length >= 600) break
      }
      expect(ids).toEqual(wanted.slice(0, ids.length))
      expect(ids.length === wanted.length || ids.length >= 500).toBe(true)
    }
  }
}, 3_600_000)

test('a reader who sees many projects has the same lists of the instance', async () => {
  const { platform } = server.app
  const open = world.projects.find((project) => project.public && !project.archived)
  // More than are always few, and still fewer than the issues that are tested for them.
  await copyProject(platform, open?.id ?? 0, 1_050)
  const asked = await queriesDuring(server, () => world.reader.get('/issues?scope=all&state=opened'))
  expect(asked.some(({ sql }) => /\) seen cross join (lateral \(select \* from )?"issues"/.test(sql))).toBe(true)
  expect(await compareLists(queries / 5, () => ({ kind: 'instance' }))).toBeGreaterThan(queries / 5)
}, 3_600_000)

test('members of the group see what their role in it shows', async () => {
  const members = `/groups/${world.groupId}/members`
  for (const level of [role.guest, role.planner]) {
    if (level === role.guest) await server.root.post(members, { user_id: world.reader.id, access_level: level })
    else await server.root.put(`${members}/${world.reader.id}`, { access_level: level })
    for (const project of world.projects.filter(({ inGroup }) => inGroup))
      project.level = Math.max(project.level, level)
    expect(await compareLists(queries / 5, () => ({ kind: 'group' }))).toBeGreaterThan(queries / 5)
  }
}, 3_600_000)
