/** Lists of more groups than are sorted at once, against the same lists of a model. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { portionsOf } from '../../../infra/database/index.ts'
import { type Answer, type Client, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { Visibility } from '../../namespaces/index.ts'

const count = 11_000
/** So many of them are below the large group. */
const inLarge = 10_500
/** The others of these are a level deeper. */
const inLargeItself = 10_300
const firstId = 1_000
const day = '2026-05-01'
const shuffled = (number: number) => (number * 7_919) % count

type Model = {
  id: number
  name: string
  path: string
  visibility: Visibility
  /** The group directly above; `deep`: a child of the large group. */
  parent: 'large' | 'deep' | 'small' | null
  isHidden?: boolean
  isMarked?: boolean
  isArchived?: boolean
  isElsewhere?: boolean
  isTagged?: boolean
}

/** Those that are not directly in the large group have the names and paths of others there. */
const twinOf = (number: number) => (number > inLargeItself ? number - inLargeItself : number)

/** The attributes follow from the number, so that every value has many groups. */
const modelOf = (number: number): Model => ({
  id: firstId + number,
  name: `${number % 5 === 0 ? 'fig' : ['apple', 'pear', 'plum'][twinOf(number) % 3]}-${shuffled(twinOf(number))}`,
  path: `p${shuffled(twinOf(number))}`,
  visibility: (['public', 'internal', 'private', 'private'] as const)[number % 4] as Visibility,
  parent: number > inLarge ? 'small' : number > inLargeItself ? 'deep' : 'large',
  isHidden: number % 1_000 === 0,
  isMarked: number % 900 === 7,
  isArchived: number % 40 === 9,
  isElsewhere: number % 700 === 3,
  isTagged: number % 3 === 0,
})

let server: TestServer
let models: Model[]
let member: Person
let stranger: Person
const ids = { large: 0, small: 0, deep: firstId + 1 }

beforeAll(async () => {
  server = await startTestServer()
  member = await server.user('member')
  stranger = await server.user('stranger')
  const owner = await server.user('owner')
  const large = await server.make.group('large', owner)
  const small = await server.make.group('small', owner)
  Object.assign(ids, { large: large.id, small: small.id })
  await server.make.member({ namespace: large }, member, 30)
  const made = Array.from({ length: count }, (_, index) => modelOf(index + 1))
  const rowOf = (model: Model) => ({
    ...{ id: model.id, kind: 'group' as const, name: model.name, path: model.path, visibility: model.visibility },
    ...{
      full_path: `below/${model.id}`,
      full_name: `below / ${model.name}`,
      parent_id: ids[model.parent ?? 'large'],
    },
    settings: JSON.stringify(model.isElsewhere ? { repository_storage: 'elsewhere' } : {}),
    ...{ marked_for_deletion_on: model.isMarked ? day : null, pending_delete: model.isHidden === true },
    archived: model.isArchived === true,
    ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' },
  })
  const lineOf = ({ id, parent }: Model) => {
    const tops = parent === 'small' ? [ids.small] : parent === 'deep' ? [ids.deep, ids.large] : [ids.large]
    return [id, ...tops].map((above, depth) => ({ namespace_id: id, ancestor_id: above, depth }))
  }
  await server.app.platform.database.write(async (tx) => {
    for (const some of portionsOf(made, 400)) {
      await tx
        .insertInto('namespaces')
        .values(some.map(rowOf) as never)
        .execute()
      await tx.insertInto('namespace_ancestors').values(some.flatMap(lineOf)).execute()
    }
    await sql`insert into custom_attributes (namespace_id, key, value, created_at, updated_at)
      select id, 'size', 'big', created_at, updated_at from namespaces where id > ${firstId} and (id - ${firstId}) % 3 = 0`.execute(
      tx,
    )
    // SQLite has no statistics in operation, either.
    if (tx.engine === 'postgres') await sql`analyze`.execute(tx)
  })
  const top = (id: number, path: string): Model => ({ id, name: path, path, visibility: 'private', parent: null })
  models = [top(large.id, 'large'), top(small.id, 'small'), ...made].filter(({ isHidden }) => !isHidden)
}, 120_000)
afterAll(() => server.stop())

type Viewer = 'administrator' | 'member' | 'stranger' | 'anonymous'
const clients: Record<Viewer, () => Client> = {
  administrator: () => server.root,
  member: () => member,
  stranger: () => stranger,
  anonymous: () => server.anonymous,
}
const isReached = ({ id, parent }: Model, viewer: Viewer) =>
  viewer === 'member' && (id === ids.large || parent === 'large' || parent === 'deep')
const isSeen = (model: Model, viewer: Viewer) =>
  viewer === 'administrator' ||
  isReached(model, viewer) ||
  model.visibility === 'public' ||
  (model.visibility === 'internal' && viewer !== 'anonymous')
/** The groups that a list shows without `all_available`. */
const isShown = (model: Model, viewer: Viewer) =>
  viewer === 'administrator' || viewer === 'anonymous' ? isSeen(model, viewer) : isReached(model, viewer)

type Holds = (model: Model, viewer: Viewer) => boolean
const isFound = ({ name, path }: Model, text: string) => name.includes(text) || path.includes(text)

const filters: Record<string, Holds> = {
  '': isShown,
  'all_available=true': isSeen,
  'all_available=false': (model, viewer) => (viewer === 'anonymous' ? isSeen : isReached)(model, viewer),
  'visibility=private': (model, viewer) => isShown(model, viewer) && model.visibility === 'private',
  'visibility=internal&all_available=true': (model, viewer) => isSeen(model, viewer) && model.visibility === 'internal',
  'search=APPLE': (model, viewer) => isShown(model, viewer) && isFound(model, 'apple'),
  'search=plum-77&all_available=true': (model, viewer) => isSeen(model, viewer) && isFound(model, 'plum-77'),
  'search=p7': (model, viewer) => isShown(model, viewer) && isFound(model, 'p7'),
  'search=nowhere': () => false,
  // It is in the full paths, which the index of texts has, too.
  'search=below%2F': () => false,
  'top_level_only=true': (model, viewer) => isShown(model, viewer) && model.parent === null,
  [`marked_for_deletion_on=${day}`]: (model, viewer) => isShown(model, viewer) && model.isMarked === true,
  'archived=true': (model, viewer) => isShown(model, viewer) && model.isArchived === true,
  'archived=false': (model, viewer) => isShown(model, viewer) && !model.isArchived,
  'skip_groups[]=1001&skip_groups[]=1002&all_available=true': (model, viewer) =>
    isSeen(model, viewer) && model.id !== 1_001 && model.id !== 1_002,
  'min_access_level=30': (model, viewer) => isReached(model, viewer),
  'owned=true&all_available=true': () => false,
  'custom_attributes[size]=big': (model, viewer) =>
    isShown(model, viewer) && (viewer !== 'administrator' || model.isTagged === true),
  'repository_storage=elsewhere': (model, viewer) =>
    isShown(model, viewer) && (viewer !== 'administrator' || model.isElsewhere === true),
  'repository_storage=default&search=fig': (model, viewer) =>
    isShown(model, viewer) && isFound(model, 'fig') && !(viewer === 'administrator' && model.isElsewhere),
}

const keys = {
  name: ({ name }: Model) => name,
  path: ({ path }: Model) => path,
  id: ({ id }: Model) => id,
}
type Key = keyof typeof keys

/** Equal ones by id, ascending. */
function sorted(among: readonly Model[], by: Key, sort: 'asc' | 'desc'): number[] {
  const [key, towards] = [keys[by], sort === 'asc' ? 1 : -1]
  const compare = (one: Model, other: Model) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0)
  return among.toSorted((one, other) => towards * compare(one, other) || one.id - other.id).map(({ id }) => id)
}

const idsOf = ({ body }: Answer): number[] => body.map(({ id }: { id: number }) => id)

/** Checks a page at the beginning of a list, and one at its end or in the middle. */
async function checkPages(viewer: Viewer, path: string, expected: readonly number[]): Promise<void> {
  for (const page of new Set([1, Math.max(1, Math.ceil(Math.min(expected.length, 9_800) / 7))])) {
    const answer = await clients[viewer]().get(`${path}&per_page=7&page=${page}`)
    const from = (page - 1) * 7
    const total = expected.length > 10_000 ? null : String(expected.length)
    const next = expected.length > from + 7 ? String(page + 1) : ''
    const shown = [idsOf(answer), answer.headers.get('x-total'), answer.headers.get('x-next-page')]
    expect([viewer, path, page, ...shown]).toEqual([viewer, path, page, expected.slice(from, from + 7), total, next])
  }
}

const viewers = Object.keys(clients) as Viewer[]
const orders = (['name', 'path', 'id'] as const).flatMap((by) =>
  (['asc', 'desc'] as const).map((sort) => ({ by, sort })),
)
type Ordering = (typeof orders)[number]

/** Each filter with one of the orders, and the default list with all. */
function* casesOf(offered: readonly string[]): Generator<{ filter: string; order: Ordering }> {
  let turn = 0
  for (const filter of offered) {
    for (const order of filter === '' ? orders : [orders[turn % orders.length] as Ordering]) yield { filter, order }
    turn += 1
  }
}

test.each(viewers)(
  'every filter and order for %s',
  async (viewer) => {
    for (const { filter, order } of casesOf(Object.keys(filters))) {
      const among = models.filter((model) => filters[filter]?.(model, viewer))
      const path = `/groups?${filter}&order_by=${order.by}&sort=${order.sort}`
      await checkPages(viewer, path, sorted(among, order.by, order.sort))
    }
  },
  60_000,
)

test.each(['administrator', 'member'] as const)('the groups below a group for %s', async (viewer) => {
  const below = {
    subgroups: ({ parent }: Model) => parent === 'large',
    descendant_groups: ({ parent }: Model) => parent === 'large' || parent === 'deep',
  }
  for (const [list, isBelow] of Object.entries(below)) {
    for (const { filter, order } of casesOf([
      '',
      'search=APPLE',
      'search=plum-77&all_available=true',
      'visibility=private',
    ])) {
      const among = models.filter((model) => isBelow(model) && filters[filter]?.(model, viewer))
      const path = `/groups/${ids.large}/${list}?${filter}&order_by=${order.by}&sort=${order.sort}`
      await checkPages(viewer, path, sorted(among, order.by, order.sort))
    }
  }
})

test('by similarity, what equals or begins with the search comes first, then by name', async () => {
  const rank = ({ name, path }: Model) =>
    [name, path].includes('p7') ? 0 : name.startsWith('p7') || path.startsWith('p7') ? 1 : 2
  const found = models.filter((model) => isFound(model, 'p7') || isFound(model, 'm-7'))
  for (const search of ['p7', 'P7']) {
    const among = found.filter((model) => isFound(model, 'p7'))
    const expected = [0, 1, 2].flatMap((one) =>
      sorted(
        among.filter((model) => rank(model) === one),
        'name',
        'asc',
      ),
    )
    await checkPages('administrator', `/groups?search=${search}&order_by=similarity&sort=desc`, expected)
  }
})

test('groups for a transfer, and namespaces: the personal ones first', async () => {
  const free = models.filter((model) => !model.isMarked && !model.isArchived)
  const elsewhere = free.filter(({ id, parent }) => id !== ids.small && parent !== 'small')
  const locations = `/groups/${ids.small}/transfer_locations?`
  await checkPages('administrator', locations, sorted(elsewhere, 'id', 'asc'))
  const some = elsewhere.filter((model) => isFound(model, 'plum-77'))
  await checkPages('administrator', `${locations}search=plum-77`, sorted(some, 'id', 'asc'))
  for (const viewer of ['administrator', 'member'] as const) {
    const answer = await clients[viewer]().get('/namespaces?per_page=100')
    const personal = idsOf({ ...answer, body: answer.body.filter(({ kind }: { kind: string }) => kind === 'user') })
    const shown = models.filter((model) => isShown(model, viewer))
    const apples = shown.filter((model) => isFound(model, 'apple'))
    expect(personal.length > 0 && personal).toEqual(personal.toSorted((one, other) => one - other))
    await checkPages(viewer, '/namespaces?', [...personal, ...sorted(shown, 'id', 'asc')])
    await checkPages(viewer, '/namespaces?search=apple', sorted(apples, 'id', 'asc'))
    await checkPages(viewer, '/namespaces?search=apple&top_level_only=true', [])
  }
})

test('keyset pages by name continue where the last one ended', async () => {
  const expected = sorted(
    models.filter((model) => isSeen(model, 'anonymous')),
    'name',
    'asc',
  )
  const seen: number[] = []
  let path: string | undefined = '/groups?pagination=keyset&order_by=name&per_page=100'
  while (path && seen.length < 500) {
    const answer: Answer = await server.anonymous.get(path)
    seen.push(...idsOf(answer))
    path = /^<.*\/api\/v4(.*)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  expect(seen).toEqual(expected.slice(0, 500))
})
