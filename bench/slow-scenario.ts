import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, caller } from './caller.ts'
import { type Sample, summarise, timed } from './measure.ts'
import { rootToken, type Size, startInstance } from './slow-instance.ts'
import type { Result } from './table.ts'

const size: Size = {
  users: 20_000,
  groups: 10_000,
  projects: 100_000,
  members: 200_000,
  ofPerson: 5_000,
  ofGroup: 5_000,
}

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
  const instance = await startInstance(folder, size)
  const { root: version } = instance.callers
  const searcher = caller(instance.server.url, rootToken, searches.length)
  const quiet = await versionTimes(version)
  const end = callWithoutEnd(searcher, searches)
  const beside = await versionTimes(version)
  const perSecond = await end()
  searcher.close()
  await instance.stop()
  const name = `/version beside ${searches.length} slow searches, ${instance.engine.name}`
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
