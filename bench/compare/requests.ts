import type { Caller } from '../caller.ts'
import { processorMs } from '../footprint.ts'
import { inTurn, type Pairs, pairsOf, throughput, timed } from '../measure.ts'
import { eachOf } from '../registry/client.ts'
import type { Result } from '../table.ts'
import type { Forge, Forges } from './forges.ts'

const floorName = 'Gitea'
const rounds = 5
const roundMs = 2_000
const warmUpMs = 1_000
const clients = 32

const creations = 25
const creationsAtOnce = 8
/** Projects that each round creates at once. */
const batch = 40

/** The project that `one project` asks for. */
const project = 'one-0'

/** The figures of rounds that were measured in milliseconds for each, as a rate. */
function rateOf(name: string, { fennec, floor, ratio, spreadPercent }: Pairs): Result {
  return { name, fennec: 1_000 / fennec, floor: 1_000 / floor, ratio, spreadPercent, unit: '/s', floorName }
}

/** Creates projects, one at a time and several at once; the lists below have them. */
async function measureCreations(forges: Forges, roots: Record<keyof Forges, Caller>): Promise<Result[]> {
  const one = await inTurn(creations, async (side, round) => {
    return (await timed(() => forges[side].create(roots[side], `one-${round}`))).ms
  })
  const many = await inTurn(rounds, async (side, round) => {
    const names = Array.from({ length: batch }, (_, index) => `many-${round}-${index}`)
    const make = () => eachOf(names, creationsAtOnce, (name) => forges[side].create(roots[side], name))
    return (await timed(make)).ms / batch
  })
  return [
    { name: 'create a project', ...one, unit: 'ms', floorName },
    rateOf(`create projects, ${creationsAtOnce} at once`, many),
  ]
}

/** Asks both the same. @returns answers in a second, and processor time of the server for each */
async function measureQuestion(
  name: string,
  pathOf: (forge: Forge) => string,
  forges: Forges,
  roots: Record<keyof Forges, Caller>,
): Promise<Result[]> {
  const used = { fennec: [] as number[], floor: [] as number[] }
  const ask = (side: keyof Forges, ms: number) =>
    throughput(clients, ms, () => roots[side].call({ path: pathOf(forges[side]) }))
  for (const side of ['fennec', 'floor'] as const) await ask(side, warmUpMs)
  const pairs = await inTurn(rounds, async (side) => {
    const { pid } = forges[side].server.process
    const before = processorMs(pid)
    const { runs, perSecond } = await ask(side, roundMs)
    used[side].push((processorMs(pid) - before) / runs)
    return 1_000 / perSecond
  })
  return [
    rateOf(`${name}, ${clients} connections`, pairs),
    { name: `${name}, processor time of the server`, ...pairsOf(used), unit: 'ms', floorName },
  ]
}

/** What the API answers, and what a new project costs. */
export async function measureRequests(forges: Forges): Promise<Result[]> {
  const roots = { fennec: forges.fennec.open(clients), floor: forges.floor.open(clients) }
  for (const side of ['fennec', 'floor'] as const) {
    await forges[side].create(roots[side], 'warm-up')
  }
  const results = [
    ...(await measureCreations(forges, roots)),
    ...(await measureQuestion('20 own projects', ({ paths }) => paths.owned, forges, roots)),
    ...(await measureQuestion('one user', ({ paths }) => paths.user, forges, roots)),
    ...(await measureQuestion('one project', ({ paths }) => paths.project(project), forges, roots)),
  ]
  for (const root of Object.values(roots)) root.close()
  return results
}
