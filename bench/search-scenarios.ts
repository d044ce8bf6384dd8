import { globSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as later } from 'node:timers/promises'
import { type Caller, caller } from './caller.ts'
import { treeProcessorMs } from './footprint.ts'
import { token } from './git-bench.ts'
import { git } from './history.ts'
import { latency, median, summarise, timed } from './measure.ts'
import { answering, type Running, startFennec } from './processes.ts'
import { makeSources } from './sources.ts'
import type { Result } from './table.ts'

const rounds = 12
const budgetMs = 300
/** The smaller projects beside the large one, and how much each has. */
const parts = 4
const partMib = 32

const rare = 'retainedQuorumLedger'
const phrases = {
  'a rare name': rare,
  'a name of some files': 'encounteredOnceInAWhile',
  'a common name': 'createServer',
  'two common words': 'default value',
  'a common word': 'return',
  'an article': 'the ',
  'common words nowhere in a row': 'return the default value for this function name',
  'common parts of words, nowhere': 'constructionElementFor',
  'nothing of the kind': 'zqxjkvwpy',
}

const mib = Number(process.env.BENCH_SEARCH_MIB ?? 1024)
const added: Readonly<Record<number, string>> = Object.fromEntries(
  Array.from({ length: 1_000 }, (_, index) => [index * 997, '\nconst encounteredOnceInAWhile = 2\n']),
)

const searchPath = (place: string, phrase: string) =>
  `/api/v4/${place}search?scope=blobs&search=${encodeURIComponent(phrase)}`

/** Makes the sources of a group, and pushes them. @returns those of the large project */
async function pushSources(folder: string, running: Running, root: Caller): Promise<string> {
  const source = (name: string) => join(folder, `${name}.git`)
  const names = [...Array.from({ length: parts }, (_, index) => `part-${index}`), 'whole']
  const partOf = (name: string, index: number) => ({
    bytes: (name === 'whole' ? mib : partMib) * 1024 * 1024,
    firstCopy: index * 100,
    added: /whole|0/.test(name) ? { ...added, 777: `\nconst ${rare} = 1\n` } : added,
  })
  await makeSources(Object.fromEntries(names.map((name, index) => [source(name), partOf(name, index)])))
  const group = { name: 'sources', path: 'sources' }
  const { id } = JSON.parse(await root.call({ method: 'POST', path: '/api/v4/groups', body: group }, 201))
  for (const name of names) {
    await root.call({ method: 'POST', path: '/api/v4/projects', body: { name, namespace_id: id } }, 201)
    const remote = `${running.url.replace('://', `://root:${token}@`)}/sources/${name}.git`
    await git(source(name), 'push', '--quiet', remote, 'main')
  }
  return source('whole')
}

/** Somebody who may read two of the projects of the group. */
async function readerOfSome({ url }: Running, root: Caller): Promise<Caller> {
  const post = async (path: string, body: object) => JSON.parse(await root.call({ method: 'POST', path, body }, 201))
  const person = { username: 'reader', name: 'Reader', email: 'reader@example.com', password: 'korrekt-horse-9' }
  const { id } = await post('/api/v4/users', { ...person, skip_confirmation: true })
  for (const name of ['part-0', 'part-1'])
    await post(`/api/v4/projects/sources%2F${name}/members`, { user_id: id, access_level: 20 })
  const scopes = ['read_api']
  const made = await post(`/api/v4/users/${id}/personal_access_tokens`, { name: 'bench', scopes })
  return caller(url, made.token)
}

/** Searches until all projects have their index: it is made after the push, or by the first search. */
async function untilIndexed(root: Caller, data: string): Promise<void> {
  while (globSync(join(data, '**/derived/search/current.json')).length < parts + 1) {
    await root.call({ path: searchPath('', rare) }).catch(() => null)
    await later(1_000)
  }
}

/** How long each phrase takes in one place, in turn, and how much processor time a search takes. */
async function measurePlace(name: string, running: Running, search: (phrase: string) => Promise<unknown>) {
  const results: Result[] = []
  const all: number[] = []
  for (const [kind, phrase] of Object.entries(phrases)) {
    const before = treeProcessorMs(running.process.pid)
    const times: number[] = []
    for (let round = 0; round < rounds; round += 1) times.push((await timed(() => search(phrase))).ms)
    const processor = (treeProcessorMs(running.process.pid) - before) / rounds
    all.push(...times)
    const fennec = median(times)
    const budget = { budget: `<= ${budgetMs} ms`, met: fennec <= budgetMs }
    results.push({ name: `${kind}, ${name}`, fennec, unit: 'ms', ...budget })
    results.push({ name: `${kind}, ${name}: processor time`, fennec: processor, unit: 'ms' })
  }
  const { p95Ms, p99Ms } = summarise(all)
  const budget = { budget: `<= ${budgetMs} ms`, met: p95Ms <= budgetMs }
  results.push({ name: `${name}, slowest of twenty`, fennec: p95Ms, unit: 'ms', ...budget })
  results.push({ name: `${name}, slowest of a hundred`, fennec: p99Ms, unit: 'ms' })
  return results
}

/** Searches of sources in a project, a group and the instance. `BENCH_SEARCH_MIB`: how much the large project has. */
export async function measureSearch(folder: string): Promise<Result[]> {
  const data = join(folder, 'data')
  const running = await startFennec(data, token)
  await answering(running, '/-/readiness')
  const root = caller(running.url, token)
  await root.call({ method: 'PUT', path: '/api/v4/application/settings', body: { search_rate_limit: 0 } })
  const source = await pushSources(folder, running, root)
  const pushed = performance.now()
  await untilIndexed(root, data)
  process.stdout.write(`Indexed after ${Math.round((performance.now() - pushed) / 1000)} s\n`)
  const reader = await readerOfSome(running, root)
  const places = {
    [`${mib} MiB in a project`]: (phrase: string) =>
      root.call({ path: searchPath('projects/sources%2Fwhole/', phrase) }),
    'in its group': (phrase: string) => root.call({ path: searchPath('groups/sources/', phrase) }),
    'on the instance': (phrase: string) => root.call({ path: searchPath('', phrase) }),
    'on the instance, of which two small projects may be read': (phrase: string) =>
      reader.call({ path: searchPath('', phrase) }),
  }
  const results: Result[] = []
  for (const [name, search] of Object.entries(places)) results.push(...(await measurePlace(name, running, search)))
  const grep = await latency(2, 0, () => git(source, 'grep', '-l', '-i', '-F', rare, 'main'))
  results.push({ name: 'git grep of a rare name in the project', fennec: grep.medianMs, unit: 'ms' })
  root.close()
  reader.close()
  await running.stop()
  return results
}
