/** Lists of more issues than are sorted at once: pages continue through the parts of an order, and every part has an index. */
import { type CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertSearched, portionsOf } from '../../../infra/database/index.ts'
import { type Person, queriesDuring, startTestServer, type TestServer } from '../../../testing/index.ts'
import { insertAll, makeLargeGroup } from './world-testing.ts'

const count = 12_000
const at = (minute: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + minute * 60_000).toISOString()
const day = (offset: number) => at(offset * 1_440).slice(0, 10)

/** The attributes follow from the number, so that every value has many issues, and many have none. */
const rows = Array.from({ length: count }, (_, index) => {
  const id = index + 1
  return {
    id,
    title: `Title ${(id * 7_919) % 997}`,
    weight: id % 3 === 0 ? id % 5 : null,
    due_date: id % 4 === 0 ? day(id % 50) : null,
    milestone: id % 2 === 0 ? (id / 2) % 6 : null,
    labels: [id % 5 === 0 ? 1 : 0, id % 7 === 0 ? 2 : 0, id <= 11_000 ? 3 : 0].filter((label) => label > 0),
    upvotes: id % 6 === 0 ? 1 + ((id / 6) % 2) : 0,
    updated: (id * 7_919) % count,
  }
})
type Row = (typeof rows)[number]
/** Two milestones are due on one day; the last has no due date. */
const dueOf = ({ milestone }: Row) => (milestone === null || milestone === 5 ? null : day(Math.min(milestone, 3)))
const priorities = [0, 20, 10, 30]
const priorityOf = ({ labels }: Row) =>
  labels.length === 0 ? null : Math.min(...labels.map((one) => priorities[one] ?? 0))

const keys: Record<string, (row: Row) => (string | number | null)[]> = {
  created_at: ({ id }) => [id],
  updated_at: ({ updated }) => [updated],
  due_date: ({ due_date }) => [due_date],
  weight: ({ weight }) => [weight],
  milestone_due: (row) => [dueOf(row)],
  title: ({ title }) => [title],
  popularity: ({ upvotes }) => [upvotes],
  label_priority: (row) => [priorityOf(row)],
  priority: (row) => [dueOf(row), priorityOf(row)],
  relative_position: ({ id }) => [id],
}

function sorted(order: string, sort: 'asc' | 'desc', among: readonly Row[] = rows): number[] {
  const keysOf = keys[order] as (row: Row) => (string | number | null)[]
  const compare = (left: Row, right: Row) => {
    const others = keysOf(right)
    for (const [index, key] of keysOf(left).entries()) {
      const other = others[index] ?? null
      if (key === other) continue
      if (key === null || other === null) return key === null ? 1 : -1
      return (key < other ? -1 : 1) * (sort === 'asc' ? 1 : -1)
    }
    return right.id - left.id
  }
  return among.toSorted(compare).map(({ id }) => id)
}

let server: TestServer
/** The issues of a project, of a group with few projects, of one with many, and of the instance. */
let places: string[]
let owner: Person

beforeAll(async () => {
  server = await startTestServer()
  const { platform } = server.app
  owner = await server.user('owner')
  const other = await server.user('other')
  const large = await makeLargeGroup(server, owner)
  const group = await server.make.group('many', owner, { parent: large })
  const { id: project_id } = await server.make.project('project', owner, { namespace: group })
  await server.root.put('/application/settings', { search_rate_limit: 0 })
  const times = { created_at: at(0), updated_at: at(0) }
  await insertAll(
    platform,
    'milestones',
    Array.from({ length: 6 }, (_, id) => ({
      ...{ id: id + 1, iid: id + 1, project_id, title: `v${id}`, due_date: id === 5 ? null : day(Math.min(id, 3)) },
      ...times,
    })),
  )
  const issue = (row: Row) => ({ issuable_type: 'Issue', issuable_id: row.id, project_id })
  await insertAll(
    platform,
    'issues',
    rows.map(({ id, title, weight, due_date, milestone, updated }) => ({
      ...{
        id,
        iid: id,
        project_id,
        title,
        weight,
        due_date,
        author_id: owner.id,
        state: id % 2 === 0 ? 'opened' : 'closed',
      },
      ...{ milestone_id: milestone === null ? null : milestone + 1, created_at: at(id), updated_at: at(updated) },
    })),
  )
  await insertAll(platform, 'internal_ids', [{ project_id, kind: 'issues', last_value: count }])
  const labels = [1, 2, 3].map((id) => ({ id, project_id, title: `l${id}`, color: '#ffffff', ...times }))
  await insertAll(platform, 'labels', labels)
  await insertAll(
    platform,
    'label_priorities',
    labels.map(({ id }) => ({ project_id, label_id: id, priority: priorities[id] })),
  )
  const labelled = rows.flatMap((row) => row.labels.map((label_id) => ({ ...issue(row), label_id })))
  await insertAll(platform, 'issuable_labels', labelled)
  const voters = [owner, other]
  const votes = rows.flatMap(({ id, upvotes }) =>
    voters.slice(0, upvotes).map((voter) => ({
      ...{ noteable_type: 'Issue', noteable_id: id, project_id, user_id: voter.id, name: 'thumbsup', ...times },
    })),
  )
  await insertAll(platform, 'award_emoji', votes)
  await platform.database.write(async (tx) => {
    // The index has no descriptions as long as that of the second.
    const descriptions: Record<number, string> = { 77: 'ends with qz', 78: 'x'.repeat(20_000) }
    await sql`update issues set description = ${descriptions[78]} where id = 78`.execute(tx)
    const texts = rows.map(({ id, title }) => ({ id, title, description: descriptions[id] ?? null }))
    for (const some of portionsOf(texts, 500)) await insertSearched(tx, 'issues', ...some)
    // SQLite has no statistics in operation, either.
    if (tx.engine === 'postgres') await sql`analyze`.execute(tx)
  })
  const groups = [group, large].map(({ id }) => `/groups/${id}/issues?`)
  places = [`/projects/${project_id}/issues?`, ...groups, '/issues?scope=all&']
}, 120_000)
afterAll(() => server.stop())

const idsOf = async (address: string): Promise<number[]> => {
  const { status, body } = await server.root.get(address)
  expect([address, status]).toEqual([address, 200])
  return body.map(({ id }: { id: number }) => id)
}

test('pages of every order are those of the sorted list, also where rows without a value begin', async () => {
  let turn = 0
  for (const order of Object.keys(keys)) {
    for (const sort of ['asc', 'desc'] as const) {
      const expected = sorted(order, sort)
      const keyOf = (id: number) => keys[order]?.(rows[id - 1] as Row)[0] ?? null
      const border = expected.findIndex((id) => keyOf(id) === null || keyOf(id) === 0)
      for (const index of [0, Math.max(border, 0), count - 1]) {
        turn += 1
        const page = Math.floor(index / 20)
        // Each of the others has its turn with each page.
        const [project, small, ...more] = places
        for (const place of [small, [project, ...more][(turn + Math.floor(turn / 3)) % 3]]) {
          const address = `${place}order_by=${order}&sort=${sort}&page=${page + 1}`
          expect([address, await idsOf(address)]).toEqual([address, expected.slice(page * 20, page * 20 + 20)])
        }
      }
    }
  }
}, 120_000)

test('the issues of a group with few projects are found by these', async () => {
  for (const [index, place] of places.entries()) {
    const queries = await queriesDuring(server, () => idsOf(`${place}state=opened`))
    const found = queries.filter(({ sql: text }) => text.includes('"issues"."project_id" = parent.id'))
    expect([place, found.length]).toEqual([place, index === 1 ? 1 : 0])
  }
})

test('labels of the filter do not count for priorities', async () => {
  const labelled = rows.filter(({ labels }) => labels.includes(3))
  const ignoring = labelled.map((row) => ({ ...row, labels: row.labels.filter((label) => label !== 3) }))
  for (const order of ['label_priority', 'priority']) {
    const expected = sorted(order, 'asc', ignoring)
    for (const page of [1, Math.ceil(expected.length / 40)]) {
      const address = `${places[page === 1 ? 0 : 1]}labels=l3&order_by=${order}&sort=asc&page=${page}`
      expect([address, await idsOf(address)]).toEqual([address, expected.slice(page * 20 - 20, page * 20)])
    }
  }
})

test('filters that find some, many and nearly all issues list and count those that meet them', async () => {
  const filters: [string, (row: Row, isOwner: boolean) => boolean][] = [
    ['weight=2', ({ weight }) => weight === 2],
    ['weight=Any', ({ weight }) => weight !== null],
    ['labels=l2', ({ labels }) => labels.includes(2)],
    ['labels=l3', ({ labels }) => labels.includes(3)],
    ['labels=None', ({ labels }) => labels.length === 0],
    ['labels=l1,l2', ({ labels }) => labels.includes(1) && labels.includes(2)],
    ['milestone=v3', ({ milestone }) => milestone === 3],
    ['milestone=None', ({ milestone }) => milestone === null],
    ['my_reaction_emoji=Any', ({ upvotes }, isOwner) => isOwner && upvotes > 0],
    ['author_username=owner', () => true],
    ['search=title&state=opened', ({ id }) => id % 2 === 0],
    ['search=e', () => true],
    ['search=9', ({ title }) => title.includes('9')],
    ['search=97', ({ title }) => title.includes('97')],
    ['state=opened&weight=None', ({ id, weight }) => id % 2 === 0 && weight === null],
  ]
  const orders = ['created_at', 'updated_at', 'title', 'relative_position', 'weight']
  for (const [index, [filter, isWanted]] of filters.entries()) {
    for (const [turn, place] of places.entries()) {
      const [order = '', sort] = [orders[(index + turn) % orders.length], turn % 2 === 0 ? 'desc' : 'asc'] as const
      // The owner has reacted, and sees by a role in the group what the administrator sees anyway.
      const isOwner = turn === 1
      const expected = sorted(
        order,
        sort,
        rows.filter((row) => isWanted(row, isOwner)),
      )
      const total = expected.length > 10_000 ? null : String(expected.length)
      for (const page of [1, 3]) {
        const address = `${place}${filter}&order_by=${order}&sort=${sort}&page=${page}`
        const { body, headers } = await (isOwner ? owner : server.root).get(address)
        const ids = body.map(({ id }: { id: number }) => id)
        expect([address, ids]).toEqual([address, expected.slice(page * 20 - 20, page * 20)])
        expect([address, headers.get('x-total')]).toEqual([address, total])
      }
    }
  }
})

test('a page that takes all that match of the first 1,000 issues is followed by another one', async () => {
  const wanted = rows.filter(({ weight }) => weight === 2)
  const expected = sorted('created_at', 'desc', wanted)
  const perPage = expected.filter((id) => id > count - 1_000).length
  for (const place of places) {
    const address = `${place}weight=2&pagination=keyset&order_by=created_at&per_page=${perPage}`
    const { headers } = await server.root.get(address)
    const next = /<[^>]*\/api\/v4([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? ''
    expect([address, next]).toEqual([address, expect.stringContaining('cursor=')])
    const pages = [await idsOf(address), await idsOf(next)]
    expect(pages).toEqual([expected.slice(0, perPage), expected.slice(perPage, 2 * perPage)])
  }
})

test('one and two letters are found wherever they stand', async () => {
  for (const place of places) {
    expect(await idsOf(`${place}search=QZ`)).toEqual([77])
    expect(await idsOf(`${place}search=q`)).toEqual([77])
    expect(await idsOf(`${place}search=z&in=title`)).toEqual([])
    const ends = rows.filter(({ title }) => title.endsWith('99') || title.includes('99')).map(({ id }) => id)
    expect(await idsOf(`${place}search=99`)).toEqual(ends.toReversed().slice(0, 20))
  }
})

type Step = { id: number; parent: number; detail: string }

/** What SQLite does below the step that finds the ids of a page. */
function finding(steps: readonly Step[]): string[] {
  const found = new Set(
    steps.filter(({ detail }) => /^(CO-ROUTINE|MATERIALIZE) found/.test(detail)).map(({ id }) => id),
  )
  return steps.flatMap(({ id, parent, detail }) => {
    if (!found.has(parent)) return []
    found.add(id)
    return [detail]
  })
}

type Node = {
  'Relation Name'?: string
  Plans?: Node[]
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
}

/** How many rows the busiest step of a plan of PostgreSQL reads. */
function mostRows(node: Node): number {
  const { 'Actual Rows': actual = 0, 'Actual Loops': loops = 1, 'Rows Removed by Filter': removed = 0 } = node
  return Math.max((actual + removed) * loops, ...(node.Plans ?? []).map(mostRows))
}

/** The plan of a query that finds ids: null when it reads a part of the list only, else what it does. */
async function excess(query: CompiledQuery): Promise<string | null> {
  const { read } = server.app.platform.database
  if (read.engine === 'sqlite') {
    const { rows: steps } = await read.executeQuery<Step>({ ...query, sql: `explain query plan ${query.sql}` } as never)
    const found = finding(steps)
    // The first rows of each label are sorted; elsewhere whole lists would be.
    const isSorted = found.includes('USE TEMP B-TREE FOR ORDER BY') && !/CORRELATED LIST/.test(found.join())
    return isSorted ? found.join('; ') : null
  }
  const explained = { ...query, sql: `explain (analyze, format json) ${query.sql}` }
  const { rows: plan } = await read.executeQuery<{ 'QUERY PLAN': { Plan: Node }[] }>(explained as never)
  const root = plan[0]?.['QUERY PLAN'][0]?.Plan
  return root && mostRows(root) <= count / 2 ? null : JSON.stringify(root)
}

test('the first page of every order reads a part of the list, in the order of an index', async () => {
  // The order by priority sorts one milestone after the other.
  for (const order of Object.keys(keys).filter((name) => name !== 'priority')) {
    for (const sort of ['asc', 'desc']) {
      for (const place of places) {
        const address = `${place}order_by=${order}&sort=${sort}`
        const pages = (await queriesDuring(server, () => idsOf(address))).filter((query) =>
          /^select "issues"\.\* from \(select/.test(query.sql),
        )
        expect(pages.length).toBeGreaterThan(0)
        for (const page of pages) expect([address, await excess(page)]).toEqual([address, null])
      }
    }
  }
}, 120_000)

/** How many rows of issues a plan of PostgreSQL reads. */
function issuesRead(node: Node): number {
  const { 'Relation Name': relation, 'Actual Rows': actual = 0, 'Actual Loops': loops = 1 } = node
  const { 'Rows Removed by Filter': removed = 0, Plans: below = [] } = node
  const own = relation === 'issues' ? (actual + removed) * loops : 0
  return below.reduce((sum, one) => sum + issuesRead(one), own)
}

test('issues that a filter finds are read first, on PostgreSQL', async () => {
  const { read } = server.app.platform.database
  if (read.engine !== 'postgres') return
  for (const place of places) {
    const queries = await queriesDuring(server, () => idsOf(`${place}iids=7,14&labels=l2&state=opened`))
    const counted = queries.filter(({ sql: text }) =>
      /^\s*(select count\(\*\) as count from \(select 1 from|with found as)/.test(text),
    )
    expect(counted).toHaveLength(1)
    for (const query of counted) {
      expect(query.sql).toContain('"issues"."id" = any(array(')
      const explained = { ...query, sql: `explain (analyze, format json) ${query.sql}` }
      const { rows: plan } = await read.executeQuery<{ 'QUERY PLAN': { Plan: Node }[] }>(explained as never)
      expect(issuesRead(plan[0]?.['QUERY PLAN'][0]?.Plan as Node)).toBeLessThan(count / 2)
    }
  }
})
