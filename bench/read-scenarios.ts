import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Caller, caller } from './caller.ts'
import { processorMs, residentMib } from './footprint.ts'
import { git } from './history.ts'
import { inTurn, latency, median, type Pairs, spreadPercentOf, throughput } from './measure.ts'
import { answering, type Running, startFennec, startFloor } from './processes.ts'
import type { Result } from './table.ts'

const token = 'glpat-bench-token-of-root'
const projects = 500
const rounds = 9
const clients = 32

/** The same question to both. */
type Question = { fennec: string; floor: string }
const list: Question = { fennec: '/api/v4/projects', floor: '/projects' }
const one: Question = { fennec: `/api/v4/projects/${projects}`, floor: `/projects/${projects}` }

/** Makes 10 groups with 500 projects. */
export async function seed(fennec: Caller): Promise<void> {
  const groups: number[] = []
  for (let index = 0; index < 10; index += 1) {
    const body = { name: `group ${index}`, path: `group-${index}` }
    groups.push(JSON.parse(await fennec.call({ method: 'POST', path: '/api/v4/groups', body }, 201)).id)
  }
  for (let index = 0; index < projects; index += 1) {
    const body = { name: `project ${index}`, namespace_id: groups[index % groups.length] }
    await fennec.call({ method: 'POST', path: '/api/v4/projects', body }, 201)
  }
}

/** A floor that answers less than Fennec would be no fair comparison. */
async function checkSameAnswers(question: Question, sides: Record<'fennec' | 'floor', Caller>): Promise<void> {
  const ours = JSON.parse(await sides.fennec.call({ path: question.fennec }))
  const theirs = JSON.parse(await sides.floor.call({ path: question.floor }))
  const members = (value: unknown) => Object.keys((Array.isArray(value) ? value[0] : value) as object).join()
  const length = (value: unknown) => JSON.stringify(value).length
  const isSame = members(ours) === members(theirs) && Math.abs(length(ours) / length(theirs) - 1) < 0.02
  if (!isSame) throw new Error(`the floor answers ${question.floor} with something else: ${length(theirs)} bytes`)
}

function compared(name: string, pairs: Pairs, limit: number): Result {
  const { fennec, floor, ratio, spreadPercent } = pairs
  const budget = `<= ${limit}x`
  return {
    name,
    fennec,
    unit: 'ms',
    floor,
    floorName: 'bare Fastify',
    ratio,
    spreadPercent,
    budget,
    met: ratio <= limit,
  }
}

async function measureOneByOne(
  name: string,
  question: Question,
  sides: Record<'fennec' | 'floor', Caller>,
): Promise<Result> {
  await checkSameAnswers(question, sides)
  const pairs = await inTurn(rounds, async (side) => {
    return (await latency(200, 100, () => sides[side].call({ path: question[side] }))).medianMs
  })
  return compared(name, pairs, 2)
}

async function measureMany(server: Running, floor: Running): Promise<Result[]> {
  const sides = { fennec: caller(server.url, token, clients), floor: caller(floor.url, token, clients) }
  const { pid } = server.process
  const processes = { fennec: pid, floor: floor.process.pid }
  const slowest = { fennec: [] as number[], floor: [] as number[] }
  const used = { fennec: [] as number[], floor: [] as number[] }
  let resident = 0
  const pairs = await inTurn(5, async (side) => {
    const before = processorMs(processes[side])
    const sample = await throughput(clients, 2_000, () => sides[side].call({ path: list[side] }))
    used[side].push((processorMs(processes[side]) - before) / sample.runs)
    slowest[side].push(sample.p99Ms)
    resident = Math.max(resident, residentMib(pid))
    return 1_000 / sample.perSecond
  })
  sides.fennec.close()
  sides.floor.close()
  const name = `list projects, ${clients} clients`
  return [
    { ...compared(name, pairs, 2), fennec: 1_000 / pairs.fennec, floor: 1_000 / pairs.floor, unit: '/s' },
    {
      name: 'processor time per list of projects',
      fennec: median(used.fennec),
      unit: 'ms',
      floor: median(used.floor),
      floorName: 'bare Fastify',
      ratio: median(used.fennec.map((ms, round) => ms / (used.floor[round] ?? 1))),
      spreadPercent: spreadPercentOf(used.fennec),
    },
    {
      name: `${name}, slowest of a hundred`,
      fennec: median(slowest.fennec),
      unit: 'ms',
      floor: median(slowest.floor),
      floorName: 'bare Fastify',
    },
    { name: 'memory under load, server', fennec: resident, unit: 'MiB', budget: '<= 300 MiB', met: resident <= 300 },
  ]
}

async function measureCreate(folder: string, fennec: Caller): Promise<Result> {
  const pairs = await inTurn(40, async (side, round) => {
    const make = () =>
      side === 'fennec'
        ? fennec.call({ method: 'POST', path: '/api/v4/projects', body: { name: `made ${round}` } }, 201)
        : git(folder, 'init', '--quiet', '--bare', `made-${round}.git`)
    return (await latency(1, 0, make)).medianMs
  })
  return { name: 'create a project, with its repository', ...pairs, unit: 'ms', floorName: 'git init --bare' }
}

/** Reads of the API beside the same queries on a bare floor; and what a project costs to make. */
export async function measureReads(folder: string): Promise<Result[]> {
  const data = join(folder, 'data')
  const server = await startFennec(data, token)
  await answering(server, '/api/v4/user', token)
  const fennec = caller(server.url, token)
  await seed(fennec)
  const sample = join(folder, 'sample.json')
  await writeFile(sample, await fennec.call({ path: one.fennec }))
  const floor = await startFloor('bare-fastify', [join(data, 'fennec.db'), sample])
  const sides = { fennec, floor: caller(floor.url, token) }
  const results = [
    await measureOneByOne('list projects, page of 20', list, sides),
    await measureOneByOne('read a project', one, sides),
    ...(await measureMany(server, floor)),
    await measureCreate(folder, fennec),
  ]
  sides.fennec.close()
  sides.floor.close()
  await floor.stop()
  await server.stop()
  return results
}
