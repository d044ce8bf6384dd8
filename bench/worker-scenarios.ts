import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startCluster } from '../tests/setup/cluster.ts'
import { caller } from './caller.ts'
import { processorMs, treeMib, treeProcessorMs } from './footprint.ts'
import { inTurn, median, spreadPercentOf, throughput } from './measure.ts'
import { answering, type Running, startFennec } from './processes.ts'
import { seed } from './read-scenarios.ts'
import type { Result } from './table.ts'

const token = 'glpat-bench-token-of-root'
const clients = 32
const rounds = 7
const roundMs = 2_000
const warmUpMs = 1_000

const questions = { 'one user': '/api/v4/user', 'list projects': '/api/v4/projects' }

/** The same server twice, with two workers and with one, on one database. */
type Sides = Record<'fennec' | 'floor', Running>

/** Processor time in milliseconds: what the server, the database and the program that asks have used so far. */
function usedBy(server: Running, databasePid: number): { server: number; database: number; caller: number } {
  return {
    server: treeProcessorMs(server.process.pid),
    database: treeProcessorMs(databasePid),
    caller: processorMs(process.pid),
  }
}

async function measureQuestion(what: string, path: string, sides: Sides, databasePid: number): Promise<Result[]> {
  const callers = {
    fennec: caller(sides.fennec.url, token, clients),
    floor: caller(sides.floor.url, token, clients),
  }
  const ask = (side: keyof Sides, ms: number) => throughput(clients, ms, () => callers[side].call({ path }))
  for (const side of ['fennec', 'floor'] as const) await ask(side, warmUpMs)
  const used = { fennec: [] as number[], floor: [] as number[] }
  const busy = { fennec: [] as number[], floor: [] as number[] }
  const others = { database: [] as number[], caller: [] as number[] }
  const slowest = { fennec: [] as number[], floor: [] as number[] }
  const pairs = await inTurn(rounds, async (side) => {
    const [before, startedAt] = [usedBy(sides[side], databasePid), performance.now()]
    const { runs, perSecond, p99Ms } = await ask(side, roundMs)
    const after = usedBy(sides[side], databasePid)
    const serverMs = after.server - before.server
    used[side].push(serverMs / runs)
    busy[side].push(serverMs / (performance.now() - startedAt))
    others.database.push((after.database - before.database) / runs)
    others.caller.push((after.caller - before.caller) / runs)
    slowest[side].push(p99Ms)
    return 1_000 / perSecond
  })
  for (const one of Object.values(callers)) one.close()
  const name = `${what}, ${clients} clients, 2 workers`
  const floorName = '1 worker'
  const { ratio, spreadPercent } = pairs
  const both = (figures: Record<'fennec' | 'floor', number[]>) => ({
    fennec: median(figures.fennec),
    floor: median(figures.floor),
    floorName,
    ratio: median(figures.fennec.map((figure, round) => figure / (figures.floor[round] ?? 1))),
    spreadPercent: spreadPercentOf(figures.fennec),
  })
  return [
    { name, fennec: 1_000 / pairs.fennec, floor: 1_000 / pairs.floor, floorName, unit: '/s', ratio, spreadPercent },
    { name: `${name}, slowest of a hundred`, ...both(slowest), unit: 'ms' },
    { name: `${what}, processors that the server used`, ...both(busy), unit: 'CPUs' },
    { name: `${what}, processor time of the server per answer`, ...both(used), unit: 'ms' },
    { name: `${what}, of PostgreSQL per answer`, fennec: median(others.database), unit: 'ms' },
    { name: `${what}, of the program that asks per answer`, fennec: median(others.caller), unit: 'ms' },
  ]
}

/** Waits until all workers serve: connections that are opened before stay with those that do. */
async function answeringByAll(server: Running, workers: number): Promise<void> {
  await answering(server, '/api/v4/user', token)
  for (;;) {
    const metrics = await (await fetch(`${server.url}/-/metrics`)).text()
    if (metrics.includes(`{worker="${workers}"}`)) return
    await sleep(50)
  }
}

/** Reads by two workers beside reads by one, on PostgreSQL. All share the machine's processors with whoever asks. */
export async function measureWorkers(folder: string): Promise<Result[]> {
  const cluster = await startCluster()
  const settings = { FENNEC_DATABASE_URL: cluster.url }
  const data = join(folder, 'data')
  const floor = await startFennec(data, token, 'source', settings)
  await answering(floor, '/api/v4/user', token)
  const seeding = caller(floor.url, token)
  await seed(seeding)
  seeding.close()
  const fennec = await startFennec(data, token, 'source', { ...settings, FENNEC_WORKERS: '2' })
  await answeringByAll(fennec, 2)
  const results: Result[] = []
  for (const [what, path] of Object.entries(questions)) {
    results.push(...(await measureQuestion(what, path, { fennec, floor }, cluster.pid)))
  }
  const memory = { fennec: treeMib(fennec.process.pid), floor: treeMib(floor.process.pid) }
  results.push({
    name: 'memory with git spawners, 2 workers and their parent',
    ...memory,
    unit: 'MiB',
    floorName: '1 worker',
  })
  await fennec.stop()
  await floor.stop()
  await cluster.stop()
  return results
}
