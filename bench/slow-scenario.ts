import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, caller } from './caller.ts'
import { startEngine } from './engines.ts'
import { callersOf, fillFolder, rootToken } from './growth/world.ts'
import { type Sample, summarise, timed } from './measure.ts'
import { answering, startFennec } from './processes.ts'
import type { Result } from './table.ts'

/** Searches that read a table to its end, since no index has what they ask for. */
const searches = [
  '/api/v4/projects?topic=none',
  '/api/v4/projects?last_activity_before=2000-01-01',
  '/api/v4/projects?repository_storage=none',
  '/api/v4/projects?order_by=similarity&search=project',
]

const warmUp = 100
const calls = 1_000
/** Enough, where each call takes long. */
const longestMs = 30_000
/** Between two calls, so that the searches have the rest of the time. */
const pauseMs = 5
const budgetMs = 20

/** How long `/version` takes, asked from time to time. */
async function versionTimes(version: Caller): Promise<Sample> {
  const times: number[] = []
  const end = performance.now() + longestMs
  for (let index = 0; index < warmUp + calls && performance.now() < end; index += 1) {
    const { ms } = await timed(() => version.call({ path: '/api/v4/version' }))
    if (index >= warmUp) times.push(ms)
    await sleep(pauseMs)
  }
  return summarise(times)
}

/** Calls without end, one at a time for each path. @returns ends them, and tells how many were answered in a second */
function callWithoutEnd(searcher: Caller, paths: readonly string[]): () => Promise<number> {
  let [answered, isOver] = [0, false]
  const began = performance.now()
  const calling = paths.map(async (path) => {
    for (; !isOver; answered += 1) await searcher.call({ path })
  })
  return async () => {
    const perSecond = (answered * 1_000) / (performance.now() - began)
    isOver = true
    await Promise.all(calling)
    return perSecond
  }
}

/** A quick request beside searches that are slow: one user must not hold up all others. */
export async function measureSlow(folder: string): Promise<Result[]> {
  const engine = await startEngine(folder)
  const data = join(folder, 'data')
  await fillFolder(data, engine.databaseUrl, 'searched')
  const server = await startFennec(data, rootToken, 'source', { FENNEC_DATABASE_URL: engine.databaseUrl })
  await answering(server, '/api/v4/user', rootToken)
  const callers = await callersOf(server.url)
  const version = callers.root
  const searcher = caller(server.url, rootToken, searches.length)
  const quiet = await versionTimes(version)
  const end = callWithoutEnd(searcher, searches)
  const beside = await versionTimes(version)
  const perSecond = await end()
  searcher.close()
  for (const one of Object.values(callers)) one.close()
  await server.stop()
  await engine.stop()
  const name = `/version beside ${searches.length} slow searches, ${engine.name}`
  const floorName = 'without them'
  return [
    { name, fennec: beside.medianMs, unit: 'ms', floor: quiet.medianMs, floorName },
    {
      name: `${name}, slowest of a hundred`,
      fennec: beside.p99Ms,
      unit: 'ms',
      floor: quiet.p99Ms,
      floorName,
      budget: `<= ${budgetMs} ms`,
      met: beside.p99Ms <= budgetMs,
    },
    { name: `${name}, slowest`, fennec: beside.maxMs, unit: 'ms', floor: quiet.maxMs, floorName },
    { name: 'slow searches answered meanwhile', fennec: perSecond, unit: '/s' },
  ]
}
