/**
 * How every list reads with each filter and in each order, on SQLite, which plans by the text of a query and not by what there is.
 * The requests follow from the operations, as those of `npm run bench:growth`.
 */
import type { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Request, requestsOf } from '../bench/growth/requests.ts'
import { sizes } from '../bench/growth/size.ts'
import { openWorld, type World } from '../bench/growth/world.ts'
import { thresholds } from '../src/infra/database/index.ts'
import { tables } from '../src/tables.ts'
import { queriesDuring, temporaryDirectory } from '../src/testing/index.ts'

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let world: World
beforeAll(async () => {
  folder = await temporaryDirectory()
  world = await openWorld(folder.path, 'tiny', undefined)
}, 120_000)
afterAll(async () => {
  await world.stop()
  await folder[Symbol.asyncDispose]()
})

const { requests } = requestsOf(sizes.tiny)

/** Of what waits for a job. */
const small = ['namespace_marks', 'users_perhaps_without_projects']
/** Whose rows all count, up to the limit: those of approvers that name a user. */
const countsAll = /\?approver_ids\[\]=Any$/
const names = tables.map(({ name }) => name).filter((name) => !small.includes(name))

type Step = { id: number; parent: number; detail: string }
type Planned = Request & { text: string; steps: Step[] }

async function stepsOf({ sql, parameters }: CompiledQuery): Promise<Step[]> {
  const query = { sql: `explain query plan ${sql}`, parameters, query: {} } as unknown as CompiledQuery<Step>
  return (await world.app.platform.database.read.executeQuery(query)).rows
}

/** The queries of some requests with their plans, each text once. */
async function plansOf(some: readonly Request[]): Promise<Planned[]> {
  const plans = new Map<string, Planned>()
  for (const request of some) {
    const { who, path } = request
    const ask = () => world.callers[who].call({ path: `/api/v4${path}` }).catch(() => '')
    for (const query of await queriesDuring({ app: world.app } as never, ask)) {
      if (plans.has(query.sql)) continue
      plans.set(query.sql, { ...request, text: query.sql, steps: await stepsOf(query) })
    }
  }
  return [...plans.values()]
}

/** The tables that a query reads as a whole, without an index. */
function readWhole({ text, steps }: Planned): string[] {
  return steps.flatMap(({ detail }) => {
    const [, name = ''] = /^SCAN ([^ ]+)$/.exec(detail) ?? []
    if (name === '') return []
    return names.filter((table) => table === name || new RegExp(`\\b${table}"? (as )?"?${name}\\b`).test(text))
  })
}

test('what has no limit reads no table as a whole, and what finds the rows of a list has an index', async () => {
  const plans = await plansOf(requests)
  expect(plans.length).toBeGreaterThan(1_000)
  const isDriver = ({ path, text }: Planned) => text.startsWith('with counted_0') && !countsAll.test(path)
  // That of waiting marks gives the name of a table to some of them.
  const asked = plans.filter(({ text }) => !text.includes('namespace_marks'))
  const unbounded = asked.filter((plan) => !plan.text.includes('limit') || isDriver(plan))
  expect(unbounded.length).toBeGreaterThan(400)
  const wrong = unbounded.filter((plan) => readWhole(plan).length > 0)
  expect(wrong.map((plan) => [plan.path, readWhole(plan), plan.text])).toEqual([])
}, 240_000)

/**
 * Orders by what is computed for each row, lists whose rows are first found by their parents, and the groups directly in one, which an index
 * has by name.
 */
const sortedAnyway =
  /order_by=(similarity|label_priority)|^\/groups\/\d+\/subgroups\?order_by=(path|id)|^\/groups\/\d+\/epics|^\/(users\/\d+\/projects|projects\/\d+\/forks)\?/

/** The steps below some steps of a plan. */
function below(steps: readonly Step[], above: readonly number[]): Step[] {
  const found = steps.filter(({ parent }) => above.includes(parent))
  return found.length === 0
    ? []
    : [
        ...found,
        ...below(
          steps,
          found.map(({ id }) => id),
        ),
      ]
}

/** Whether a plan sorts more than the first rows of each of some parents, which are read in the order of an index and then merged. */
function isSorted({ steps }: Planned): boolean {
  const idsOf = (kind: RegExp, among = steps) => among.filter(({ detail }) => kind.test(detail)).map(({ id }) => id)
  const found = idsOf(/^(CO-ROUTINE|MATERIALIZE) found$/)
  const firstOfEach = idsOf(/^CORRELATED LIST SUBQUERY/, below(steps, found))
  const read = firstOfEach.length > 0 ? below(steps, firstOfEach) : steps.filter(({ parent }) => found.includes(parent))
  return read.some(({ detail }) => detail === 'USE TEMP B-TREE FOR ORDER BY')
}

/** The packages of a group are found, counted and sorted by what stands in indexes: only those of the page are read. */
const isReadByRow = ({ detail }: Step) => /^SEARCH packages USING INDEX/.test(detail)

test('many rows are read in the order of an index', async () => {
  const before = { ...thresholds }
  Object.assign(thresholds, { driven: 4, sortedAtOnce: 0 })
  try {
    const ordered = requests.filter(({ path }) => /\?(order_by|sort)=[a-z_&=]*$/.test(path) && !sortedAnyway.test(path))
    expect(ordered.length).toBeGreaterThan(200)
    const plans = await plansOf(ordered)
    const pages = plans.filter(({ text }) => text.includes(') found cross join'))
    expect(pages.length).toBeGreaterThan(100)
    const ofPackages = plans.filter(
      ({ path, text }) => /^\/groups\/\d+\/packages/.test(path) && /from .*\bpackages\b/s.test(text),
    )
    expect(ofPackages.filter((plan) => pages.includes(plan)).length).toBeGreaterThan(8)
    expect(ofPackages.filter(({ text }) => text.startsWith('with found')).length).toBeGreaterThan(8)
    expect(ofPackages.filter(({ steps }) => steps.some(isReadByRow)).map(({ path, text }) => [path, text])).toEqual([])
    const sorted = pages.filter(isSorted)
    expect(sorted.map(({ path, text }) => [path, text])).toEqual([])
  } finally {
    Object.assign(thresholds, before)
  }
}, 240_000)
