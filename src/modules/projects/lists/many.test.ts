/** Lists of more projects than are sorted at once, against the same lists of a model. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { portionsOf } from '../../../infra/database/index.ts'
import { type Client, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { ProjectRow } from '../tables.ts'

const count = 12_000
/** So many of them are in the large group. */
const inLarge = 10_500
const at = (minute: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + minute * 60_000).toISOString()
const shuffled = (id: number) => (id * 7_919) % count

type Model = {
  id: number
  name: string
  isInLarge: boolean
  visibility: ProjectRow['visibility']
  archived: boolean
  isLeaving: boolean
  stars: number
  activity: number
  size: number
  hasIssues: boolean
  isStarred: boolean
  topic: number | null
}

/** The attributes follow from the number, so that every value has many projects. */
const modelOf = (id: number): Model => ({
  id,
  name: `${['apple', 'pear', 'plum'][id % 3]}-${shuffled(id)}`,
  isInLarge: id <= inLarge,
  visibility: (['public', 'internal', 'private', 'private'] as const)[id % 4] as ProjectRow['visibility'],
  archived: id % 5 === 0,
  isLeaving: id % 1_000 === 0,
  stars: id % 7,
  activity: shuffled(id),
  size: id % 11,
  hasIssues: id % 6 > 0,
  isStarred: id % 40 === 0,
  topic: id % 300 === 1 ? 2 : id % 8 === 0 ? 1 : null,
})

let server: TestServer
let models: Model[]
let member: Person
let stranger: Person
let group: number

beforeAll(async () => {
  server = await startTestServer()
  member = await server.user('member')
  stranger = await server.user('stranger')
  const owner = await server.user('owner')
  const large = await server.make.group('large', owner)
  const small = await server.make.group('small', owner)
  group = large.id
  await server.make.member({ namespace: large }, member, 30)
  models = Array.from({ length: count }, (_, index) => modelOf(index + 1))
  const row = (model: Model) => ({
    ...{ id: model.id, name: model.name, path: `p${model.id}`, visibility: model.visibility, archived: model.archived },
    namespace_id: model.isInLarge ? large.id : small.id,
    full_path: `${model.isInLarge ? 'large' : 'small'}/p${model.id}`,
    settings: JSON.stringify(model.hasIssues ? {} : { issues_access_level: 'disabled' }),
    ...{ pending_delete: model.isLeaving, star_count: model.stars, last_activity_at: at(model.activity) },
    ...{ created_at: at(model.id), updated_at: at(count - model.id) },
  })
  await server.app.platform.database.write(async (tx) => {
    const topic = (id: number) => ({
      id,
      name: `t${id}`,
      folded_name: `t${id}`,
      title: `T${id}`,
      created_at: at(0),
      updated_at: at(0),
    })
    await tx
      .insertInto('topics')
      .values([topic(1), topic(2)] as never)
      .execute()
    for (const some of portionsOf(models, 400)) {
      await tx
        .insertInto('projects')
        .values(some.map(row) as never)
        .execute()
    }
    await sql`insert into project_topics (project_id, topic_id, position)
      select id, case when id % 300 = 1 then 2 else 1 end, 0 from projects where id % 300 = 1 or id % 8 = 0`.execute(tx)
    const starred = models.filter(({ isStarred }) => isStarred).map(({ id }) => id)
    await sql`insert into project_stars (project_id, user_id, created_at)
      select id, ${member.id}, created_at from projects where id in (${sql.join(starred)})`.execute(tx)
    await sql`update project_sizes set wiki_bytes = project_id % 11`.execute(tx)
    // SQLite has no statistics in operation, either.
    if (tx.engine === 'postgres') await sql`analyze`.execute(tx)
  })
}, 120_000)
afterAll(() => server.stop())

type Viewer = 'administrator' | 'member' | 'stranger' | 'anonymous'
const clients: Record<Viewer, () => Client> = {
  administrator: () => server.root,
  member: () => member,
  stranger: () => stranger,
  anonymous: () => server.anonymous,
}
const sees: Record<Viewer, (model: Model) => boolean> = {
  administrator: () => true,
  member: ({ isInLarge, visibility }) => isInLarge || visibility !== 'private',
  stranger: ({ visibility }) => visibility !== 'private',
  anonymous: ({ visibility }) => visibility === 'public',
}

const filters: Record<string, (model: Model, viewer: Viewer) => boolean> = {
  '': () => true,
  'visibility=private': ({ visibility }) => visibility === 'private',
  'archived=false': ({ archived }) => !archived,
  'archived=true': ({ archived }) => archived,
  'search=apple': ({ name }) => name.startsWith('apple'),
  'search=e': () => false,
  'search=PLUM-77': ({ name }) => name.startsWith('plum-77'),
  'topic=T1': ({ topic }) => topic === 1,
  'topic=t1,t2': () => false,
  'topic_id=2': ({ topic }) => topic === 2,
  [`last_activity_after=${at(11_900)}`]: ({ activity }) => activity > 11_900,
  [`last_activity_before=${at(11_000)}&id_after=9000`]: ({ id, activity }) => activity < 11_000 && id > 9_000,
  'id_before=50': ({ id }) => id < 50,
  'with_issues_enabled=true': ({ hasIssues }) => hasIssues,
  'imported=true': () => false,
  'starred=true': ({ isStarred }, viewer) => (viewer === 'member' ? isStarred : viewer === 'anonymous'),
  'membership=true': ({ isInLarge }, viewer) => viewer === 'anonymous' || (viewer === 'member' && isInLarge),
  'min_access_level=40': (_, viewer) => viewer === 'anonymous',
  'membership=true&archived=true&search=pear': ({ isInLarge, archived, name }, viewer) =>
    (viewer === 'anonymous' || (viewer === 'member' && isInLarge)) && archived && name.startsWith('pear'),
}

const keys: Record<string, (model: Model) => number | string> = {
  id: ({ id }) => id,
  created_at: ({ id }) => id,
  updated_at: ({ id }) => count - id,
  name: ({ name }) => name,
  path: ({ id }) => `p${id}`,
  star_count: ({ stars }) => stars,
  last_activity_at: ({ activity }) => activity,
}
const sizeKeys: typeof keys = { ...keys, wiki_size: ({ size }) => size, storage_size: ({ size }) => size }

function sorted(among: readonly Model[], key: (model: Model) => number | string, sort: 'asc' | 'desc'): number[] {
  const compare = (left: Model, right: Model) => {
    const [one, other] = [key(left), key(right)]
    if (one === other) return left.id - right.id
    return one < other ? -1 : 1
  }
  const towards = sort === 'asc' ? 1 : -1
  return among.toSorted((left, right) => towards * compare(left, right)).map(({ id }) => id)
}

/** Checks a page at the beginning of a list, and one at its end or in the middle. */
async function checkPages(viewer: Viewer, path: string, expected: readonly number[]): Promise<void> {
  const ends = [1, expected.length > 10_000 ? 1_400 : Math.max(1, Math.ceil(expected.length / 7))]
  for (const page of new Set(ends)) {
    const { status, body, headers } = await clients[viewer]().get(`${path}&simple=true&per_page=7&page=${page}`)
    const ids = body.map(({ id }: { id: number }) => id)
    const shown = [viewer, path, page, status, ids, headers.get('x-total')]
    const from = (page - 1) * 7
    const total = expected.length > 10_000 ? null : String(expected.length)
    expect(shown).toEqual([viewer, path, page, 200, expected.slice(from, from + 7), total])
    const next = expected.length > from + 7 ? String(page + 1) : ''
    expect([viewer, path, page, headers.get('x-next-page')]).toEqual([viewer, path, page, next])
  }
}

test.each(Object.keys(clients) as Viewer[])(
  'every filter and order for %s',
  async (viewer) => {
    let turn = 0
    const orders = viewer === 'administrator' ? sizeKeys : keys
    const names = Object.keys(orders)
    for (const [filter, holds] of Object.entries(filters)) {
      const among = models.filter((model) => !model.isLeaving && sees[viewer](model) && holds(model, viewer))
      const isOpen = viewer === 'administrator' && /starred|membership|access_level/.test(filter)
      if (isOpen) expect(among).toEqual([])
      // Each filter with some of the orders, and those without a filter with all.
      for (const order of filter === '' ? names : [names[turn % names.length] as string]) {
        turn += 1
        const sort = turn % 2 === 0 ? 'asc' : 'desc'
        const key = orders[order] as (model: Model) => number | string
        await checkPages(viewer, `/projects?${filter}&order_by=${order}&sort=${sort}`, sorted(among, key, sort))
      }
    }
  },
  240_000,
)

test('the projects of a group, in the order of their creation and in others', async () => {
  for (const viewer of ['administrator', 'member', 'stranger'] as const) {
    for (const filter of ['', 'archived=true', 'search=plum']) {
      const holds = filters[filter] ?? (({ name }: Model) => name.startsWith('plum'))
      const among = models.filter(
        (model) => model.isInLarge && !model.isLeaving && sees[viewer](model) && holds(model, viewer),
      )
      if (viewer === 'stranger') continue
      for (const scope of ['with_shared=false', 'include_subgroups=true']) {
        await checkPages(
          viewer,
          `/groups/${group}/projects?${scope}&${filter}`,
          sorted(among, ({ id }) => id, 'desc'),
        )
      }
      await checkPages(
        viewer,
        `/groups/${group}/projects?${filter}&order_by=name&sort=asc`,
        sorted(among, ({ name }) => name, 'asc'),
      )
    }
  }
}, 120_000)

test('keyset pages continue where the last one ended', async () => {
  const seen: number[] = []
  let path: string | undefined =
    '/projects?pagination=keyset&order_by=id&sort=desc&per_page=100&simple=true&search=apple'
  while (path && seen.length < 500) {
    const { body, headers }: Awaited<ReturnType<Client['get']>> = await stranger.get(path)
    seen.push(...body.map(({ id }: { id: number }) => id))
    path = /^<.*\/api\/v4(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
  }
  const among = models.filter((model) => !model.isLeaving && sees.stranger(model) && model.name.startsWith('apple'))
  expect(seen).toEqual(sorted(among, ({ id }) => id, 'desc').slice(0, seen.length))
  expect(seen).toHaveLength(500)
})
