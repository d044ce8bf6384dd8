import { join } from 'node:path'
import { type Caller, caller } from './caller.ts'
import { type Engine, startEngine } from './engines.ts'
import { processorMs } from './footprint.ts'
import { makeProject, token } from './git-bench.ts'
import { median, spreadPercentOf, summarise, timed } from './measure.ts'
import { answering, startFennec } from './processes.ts'
import { measureTick } from './schedule-scenarios.ts'
import type { Result } from './table.ts'

const jobsOfPipeline = 500
const runners = 50
const queuedJobs = 1_000
const api = '/api/v4'

const config = Array.from({ length: jobsOfPipeline }, (_, index) => `job ${index}: {script: make ${index}}\n`).join('')

type CiBench = {
  engine: Engine
  fennec: Caller
  /** Of all runners at once. */
  all: Caller
  /** Path of the project. */
  project: string
  /** The server, without those of the database. */
  pid: number | undefined
}

const budgeted = (name: string, times: readonly number[], limitMs: number): Result => {
  const fennec = median(times)
  const budget = `<= ${limitMs} ms`
  return { name, fennec, unit: 'ms', spreadPercent: spreadPercentOf(times), budget, met: fennec <= limitMs }
}

/** Makes a project of which every pipeline has 500 jobs that wait for a runner. */
async function makeConfigured(fennec: Caller): Promise<string> {
  const project = `${api}/projects/${await makeProject(fennec, 'pipelines')}`
  const body = { branch: 'main', commit_message: 'configure [skip ci]', content: config }
  await fennec.call({ method: 'POST', path: `${project}/repository/files/.gitlab-ci.yml`, body }, 201)
  return project
}

async function measurePipelines({ engine, fennec, project, pid }: CiBench): Promise<Result[]> {
  const rounds = 15
  const times: number[] = []
  let used = 0
  for (let round = 0; round < rounds + 2; round += 1) {
    const before = processorMs(pid)
    const create = () => fennec.call({ method: 'POST', path: `${project}/pipeline`, body: { ref: 'main' } }, 201)
    const { ms, value } = await timed(create)
    if (round >= 2) times.push(ms)
    if (round >= 2) used += processorMs(pid) - before
    // The last ones wait for the runners.
    if (round >= rounds + 2 - queuedJobs / jobsOfPipeline) continue
    await fennec.call({ method: 'DELETE', path: `${project}/pipelines/${JSON.parse(value).id}` }, 204)
  }
  return [
    budgeted(`create a pipeline of ${jobsOfPipeline} jobs, ${engine.name}`, times, 100),
    { name: `processor time of such a pipeline, ${engine.name}`, fennec: used / rounds, unit: 'ms' },
  ]
}

async function makeRunners(fennec: Caller): Promise<string[]> {
  const tokens: string[] = []
  for (let index = 0; index < runners; index += 1) {
    const body = { runner_type: 'instance_type', description: `runner ${index}` }
    const made = await fennec.call({ method: 'POST', path: `${api}/user/runners`, body }, 201)
    tokens.push(JSON.parse(made).token)
  }
  return tokens
}

const info = { name: 'gitlab-runner', version: '19.4.0', executor: 'shell', features: { return_exit_code: true } }

/** One runner after another takes a job, and then all of them at once. */
async function measureRequests({ engine: { name }, fennec, all, pid }: CiBench): Promise<Result[]> {
  const tokens = await makeRunners(fennec)
  const taken = new Set<number>()
  const take = async (via: Caller, index: number) => {
    const body = { token: tokens[index % runners], system_id: 's_bench', info }
    const answered = await timed(() => via.call({ method: 'POST', path: `${api}/jobs/request`, body }, 201))
    taken.add(JSON.parse(answered.value).id)
    return answered.ms
  }
  // The first contact of each runner is recorded; that is part of no budget.
  for (let index = 0; index < runners; index += 1) await take(fennec, index)
  const times: number[] = []
  const usedBefore = processorMs(pid)
  for (let index = 0; index < 300; index += 1) times.push(await take(fennec, index))
  const used = (processorMs(pid) - usedBefore) / times.length
  const before = performance.now()
  const atOnce = await Promise.all(Array.from({ length: 300 }, (_, index) => take(all, index)))
  const perSecond = (atOnce.length * 1_000) / (performance.now() - before)
  if (taken.size !== runners + 600) throw new Error(`${taken.size} jobs were given to runners 650 times`)
  return [
    budgeted(`take one of 1,000 queued jobs, ${name}`, times, 5),
    { name: `processor time of taking a job, ${name}`, fennec: used, unit: 'ms' },
    { name: `take a job, ${runners} runners at once, ${name}`, fennec: perSecond, unit: '/s' },
    { name: `take a job, ${runners} at once, slowest, ${name}`, fennec: summarise(atOnce).maxMs, unit: 'ms' },
  ]
}

/** Schedules that are due, pipelines with many jobs, and runners that take them. */
export async function measureCi(folder: string): Promise<Result[]> {
  const engine = await startEngine(folder)
  try {
    const data = join(folder, 'data')
    const server = await startFennec(data, token, 'source', { FENNEC_DATABASE_URL: engine.databaseUrl })
    await answering(server, '/api/v4/user', token)
    const [fennec, all] = [caller(server.url, token), caller(server.url, token, runners)]
    const project = await makeConfigured(fennec)
    const bench = { engine, fennec, all, project, pid: server.process.pid }
    const results = [...(await measurePipelines(bench)), ...(await measureRequests(bench))]
    fennec.close()
    all.close()
    await server.stop()
    return [...results, await measureTick(engine, data)]
  } finally {
    await engine.stop()
  }
}
