import { globSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as later } from 'node:timers/promises'
import { caller } from './caller.ts'
import { token } from './git-bench.ts'
import { git, makeSources } from './history.ts'
import { inTurn, latency } from './measure.ts'
import { answering, startFennec } from './processes.ts'
import type { Result } from './table.ts'

const fileBytes = 10 * 1024
const rounds = 5

const phrases = {
  'a phrase of one file': 'only_here_777 =',
  'a phrase of few files': 'found_now_and_then',
  'a phrase of no file': 'set_user_never_there',
  'a phrase of all files': 'export const',
}

/** Searches of the files of one project, beside `git grep`. `BENCH_SEARCH_MIB`: how much there is to search. */
export async function measureSearch(folder: string): Promise<Result[]> {
  const mib = Number(process.env.BENCH_SEARCH_MIB ?? 256)
  const source = join(folder, 'source.git')
  await makeSources(source, Math.round((mib * 1024 * 1024) / fileBytes), fileBytes)
  const data = join(folder, 'data')
  const running = await startFennec(data, token)
  await answering(running, '/-/readiness')
  const fennec = caller(running.url, token)
  const settings = { search_rate_limit: 0 }
  await fennec.call({ method: 'PUT', path: '/api/v4/application/settings', body: settings })
  await fennec.call({ method: 'POST', path: '/api/v4/projects', body: { name: 'sources' } }, 201)
  await git(source, 'push', '--quiet', `${running.url.replace('://', `://root:${token}@`)}/root/sources.git`, 'main')
  const search = (phrase: string) =>
    fennec.call({
      path: `/api/v4/projects/root%2Fsources/search?scope=blobs&search=${encodeURIComponent(phrase)}`,
    })
  // The size is known when the push was followed; the search after it has the index made.
  while (globSync(join(data, '**/derived/search/current.json')).length === 0) {
    await search('only_here_1 =').catch(() => null)
    await later(500)
  }
  const results: Result[] = []
  for (const [name, phrase] of Object.entries(phrases)) {
    const pairs = await inTurn(rounds, async (side) => {
      const grep = () => git(source, 'grep', '-l', '-i', '-F', phrase, 'main').catch(() => '')
      return (await latency(3, 1, side === 'fennec' ? () => search(phrase) : grep)).medianMs
    })
    const budget = { budget: '<= 300 ms', met: pairs.fennec <= 300 }
    results.push({ name: `${name}, ${mib} MiB`, ...pairs, unit: 'ms', floorName: 'git grep', ...budget })
  }
  fennec.close()
  await running.stop()
  return results
}
