/**
 * `npm run guides [WORD …]`: tries the commands, programs and files of the guides, as readers have them, with the published package and
 * the tools that the guides name. Words select trials by parts of their names. Tools that are missing are installed where that is
 * possible; else their trials are skipped. `--keep` takes the package that the run before has made. The last line is
 * `N passed, N failed, N skipped`.
 */
import { performance } from 'node:perf_hooks'
import { type Cluster, startCluster } from '../setup/cluster.ts'
import { arePrepared, environmentIn, folderOf, freePort, packages, preparePackages, startServer } from './reader.ts'
import { scriptOf, withPorts } from './script.ts'
import { sh } from './shell.ts'
import { lackOf } from './tools.ts'
import type { Trial } from './trial.ts'
import { trials } from './trials.ts'

/** Lines of the output of a trial that has failed. */
const shownLines = 40

const tell = (line: string) => void process.stdout.write(`${line}\n`)
const totals = { passed: 0, failed: 0, skipped: 0 }
let cluster: Cluster | undefined

const nameOf = ({ document, name }: Trial) => `${document}: ${name}`

/** Why a trial cannot be made here; undefined when it can. */
async function reasonToSkip({ tools }: Trial): Promise<string | undefined> {
  for (const tool of tools) {
    const lack = await lackOf(tool, packages, environmentIn(packages))
    if (lack !== undefined) return lack
  }
  return undefined
}

/** The variables of the ports of a trial, and of the PostgreSQL cluster that it needs. */
async function variablesOf({ ports = [], postgres }: Trial): Promise<Record<string, string>> {
  const names = ['SERVER', ...ports].map((name) => `${name}_PORT`)
  const free = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await freePort()] as const)))
  if (!postgres) return free
  cluster ??= await startCluster()
  const { username, searchParams } = new URL(cluster.url)
  return { ...free, PGHOST: searchParams.get('host') ?? 'localhost', PGUSER: username, PGDATABASE: 'postgres' }
}

/** Makes a trial, and returns what it wrote when it failed. */
async function failureOf(trial: Trial): Promise<string | undefined> {
  const folder = await folderOf(nameOf(trial))
  const variables = await variablesOf(trial)
  const listen = { FENNEC_LISTEN: `127.0.0.1:${variables.SERVER_PORT}` }
  const env = { ...environmentIn(folder), ...listen, ...variables }
  const settings = Object.entries(trial.server ?? {}).map(([name, value]) => [name, withPorts(value, variables)])
  const script = scriptOf(trial, variables)
  const server = trial.server && (await startServer(folder, { ...env, ...Object.fromEntries(settings) }))
  try {
    const { code, output } = await sh(script, { cwd: folder, env })
    return code === 0 ? undefined : output
  } finally {
    await server?.stop()
  }
}

async function tryOut(trial: Trial): Promise<void> {
  const reason = await reasonToSkip(trial)
  if (reason !== undefined) {
    totals.skipped += 1
    return tell(`skipped  ${nameOf(trial)}: ${reason}`)
  }
  const begun = performance.now()
  const failure = await failureOf(trial).catch((error: Error) => error.message)
  totals[failure === undefined ? 'passed' : 'failed'] += 1
  const seconds = Math.round((performance.now() - begun) / 1000)
  tell(`${failure === undefined ? 'passed ' : 'FAILED '}  ${nameOf(trial)} (${seconds} s)`)
  if (failure !== undefined) for (const line of failure.trimEnd().split('\n').slice(-shownLines)) tell(`    ${line}`)
}

const parameters = process.argv.slice(2)
const words = parameters.filter((word) => word !== '--keep')
const chosen = trials.filter((trial) => words.length === 0 || words.some((word) => nameOf(trial).includes(word)))
try {
  if (!(parameters.includes('--keep') && arePrepared())) await preparePackages()
  for (const trial of chosen) await tryOut(trial)
} catch (error) {
  totals.failed += 1
  tell((error as Error).message)
} finally {
  await cluster?.stop()
}
tell(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
process.exitCode = totals.failed === 0 && totals.passed > 0 ? 0 : 1
