/** `npm run bench`: Fennec beside bare floors, in one run on one machine. Prints a table and writes `bench/results.json`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { measureCi } from './ci-scenarios.ts'
import { measureComparison } from './compare/scenario.ts'
import { measureGit } from './git-scenarios.ts'
import { measureGrowth } from './growth/scenario.ts'
import { measureIssues } from './issue-scenarios.ts'
import { measureNoise } from './noise.ts'
import { measurePackages } from './package-scenarios.ts'
import { measurePages } from './page-scenarios.ts'
import { forms } from './processes.ts'
import { measureReads } from './read-scenarios.ts'
import { measureRegistry } from './registry/scenarios.ts'
import { measureSearch } from './search-scenarios.ts'
import { measureSlow } from './slow-scenario.ts'
import { measureStart } from './start-scenario.ts'
import { type Result, table } from './table.ts'
import { measureWorkers } from './worker-scenarios.ts'

const parts = {
  start: measureStart,
  reads: measureReads,
  git: measureGit,
  registry: measureRegistry,
  ci: measureCi,
  issues: measureIssues,
  pages: measurePages,
  packages: measurePackages,
  growth: measureGrowth,
  search: measureSearch,
  slow: measureSlow,
  workers: measureWorkers,
  compare: measureComparison,
}
/** Repeats scenarios of the others, so it runs only when it is asked for. */
const repeats = 'compare'
const asked = process.argv.slice(2)
const isAsked = (name: string) => (asked.length === 0 ? name !== repeats : asked.includes(name))
const names = Object.keys(parts).filter(isAsked) as (keyof typeof parts)[]

const folder = await mkdtemp(join(tmpdir(), 'fennec-bench-'))
const results: Result[] = []
const noise = [measureNoise()]
try {
  for (const name of names) {
    const found = await parts[name](await mkdtemp(join(folder, 'part-')))
    noise.push(measureNoise())
    results.push(...found)
    process.stdout.write(`${table(found)}\n\n`)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version, platform: process.platform }
const load = loadavg().map((value) => Math.round(value * 10) / 10)
const quietest = Math.min(...noise.map(({ fastestMs }) => fastestMs))
const slowdown = Math.max(...noise.map(({ medianMs }) => medianMs)) / quietest
if (asked.length === 0) {
  const path = fileURLToPath(new URL('./results.json', import.meta.url))
  await writeFile(path, `${JSON.stringify({ machine, forms, load, noise, results }, null, 2)}\n`)
  process.stdout.write(`Written to ${path}\n`)
}
process.stdout.write(
  `Noise: the same work took up to ${slowdown.toFixed(1)} times its best time; load ${load.join(', ')} on ` +
    `${machine.cpus} processors. ${slowdown > 1.3 ? 'Read ratios, not times.\n' : '\n'}`,
)
const missed = results.filter((result) => result.met === false)
process.stdout.write(
  missed.length === 0 ? 'Every budget is met.\n' : `Missed: ${missed.map(({ name }) => name).join('; ')}\n`,
)
