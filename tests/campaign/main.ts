/**
 * `npm run campaign PART [rounds] [seed] [name=value …]`: faults, again and again, and after each of them a comparison with what clients
 * were told. `FENNEC_DATABASE_URL` chooses the database; with `FENNEC_TEST_DATABASE=postgres` a cluster is started for the run.
 */
import { temporaryDirectory } from '../../src/testing/index.ts'
import { type Cluster, startCluster } from '../setup/cluster.ts'
import type { Part } from './part.ts'
import { parts } from './parts.ts'

const [name = 'help', ...parameters] = process.argv.slice(2)
const tell = (line: string) => void process.stdout.write(`${line}\n`)

function showParts(): void {
  tell('npm run campaign PART [rounds] [seed] [name=value …]\n')
  for (const [name, { what, rounds, sizes }] of Object.entries(parts)) {
    const given = Object.entries(sizes).map(([size, value]) => `${size}=${value}`)
    tell(`  ${name.padEnd(10)} ${what} (${[`${rounds} rounds`, ...given].join(', ')})`)
  }
}

/** The numbers that stand alone, and those that have a name. */
function readParameters({ sizes, rounds }: Part): { rounds: number; seed: number; sizes: Record<string, number> } {
  const named = parameters.filter((parameter) => parameter.includes('=')).map((parameter) => parameter.split('='))
  const alone = parameters.filter((parameter) => !parameter.includes('=')).map(Number)
  const given = Object.fromEntries(named.map(([size, value]) => [size, Number(value)]))
  const unknown = Object.keys(given).find((size) => !(size in sizes))
  if (unknown !== undefined) throw new Error(`${name} has no ${unknown}`)
  if ([...alone, ...Object.values(given)].some(Number.isNaN)) throw new Error('rounds, seed and sizes are numbers')
  return { rounds: alone[0] ?? rounds, seed: alone[1] ?? 1, sizes: given }
}

/** The server runs from one file, which does not change during the campaign, and starts in a third of the time. */
async function joinProgram(): Promise<void> {
  const { bundledProgram } = await import(new URL('../../scripts/bundle.mjs', import.meta.url).href)
  process.env.FENNEC_TEST_PROGRAM ||= await bundledProgram()
}

async function run(part: Part): Promise<void> {
  const { rounds, seed, sizes } = readParameters(part)
  await joinProgram()
  await using folder = await temporaryDirectory()
  let databaseUrl = process.env.FENNEC_DATABASE_URL
  let cluster: Cluster | undefined
  if (!databaseUrl && process.env.FENNEC_TEST_DATABASE === 'postgres') {
    cluster = await startCluster()
    databaseUrl = cluster.url
  }
  const engine = databaseUrl?.startsWith('postgres') ? 'PostgreSQL' : 'SQLite'
  tell(`${name}: ${rounds} rounds, seed ${seed}, ${engine}`)
  const begun = performance.now()
  try {
    const problems = await part.run({ rounds, seed, folder: folder.path, databaseUrl, cluster, tell }, sizes)
    for (const problem of problems) tell(problem)
    const seconds = Math.round((performance.now() - begun) / 1000)
    tell(`${problems.length === 0 ? 'No' : problems.length} problems after ${rounds} rounds in ${seconds} s.`)
    process.exitCode = problems.length === 0 ? 0 : 1
  } finally {
    await cluster?.stop()
  }
}

const chosen = parts[name]
if (chosen) await run(chosen)
else {
  if (name !== 'help') tell(`There is no part ${name}.\n`)
  showParts()
  process.exitCode = name === 'help' ? 0 : 1
}
