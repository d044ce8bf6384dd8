import { freePort } from '../../src/testing/free-port.ts'
import { type Cluster, startCluster } from '../setup/cluster.ts'
import { type Attempt, Skipped } from './attempt.ts'
import { environmentIn, folderWithPackages, packages, startServer } from './reader.ts'
import { scriptOf, withPorts } from './script.ts'
import { sh } from './shell.ts'
import { lackOf } from './tools.ts'
import type { Trial } from './trial.ts'

let cluster: Promise<Cluster> | undefined

/** Ends the PostgreSQL cluster, where a trial has started it. */
export const stopCluster = async () => (await cluster)?.stop()

export const nameOf = ({ document, name }: Trial) => `${document}: ${name}`

/** The variables of the ports of a trial, and of the PostgreSQL cluster that it needs. */
async function variablesOf({ ports = [], postgres }: Trial): Promise<Record<string, string>> {
  const names = ['SERVER', ...ports].map((name) => `${name}_PORT`)
  const free = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, String(await freePort())] as const)),
  )
  if (!postgres) return free
  cluster ??= startCluster()
  const { username, searchParams } = new URL((await cluster).url)
  return { ...free, PGHOST: searchParams.get('host') ?? 'localhost', PGUSER: username, PGDATABASE: 'postgres' }
}

async function make(trial: Trial): Promise<void> {
  for (const tool of trial.tools) {
    const lack = await lackOf(tool, packages, environmentIn(packages))
    if (lack !== undefined) throw new Skipped(lack)
  }
  const folder = await folderWithPackages(nameOf(trial))
  const variables = await variablesOf(trial)
  const listen = { FENNEC_LISTEN: `127.0.0.1:${variables.SERVER_PORT}` }
  const env = { ...environmentIn(folder), ...listen, ...variables }
  const settings = Object.entries(trial.server ?? {}).map(([name, value]) => [name, withPorts(value, variables)])
  const script = scriptOf(trial, variables)
  const server = trial.server && (await startServer(folder, { ...env, ...Object.fromEntries(settings) }))
  try {
    const { code, output } = await sh(script, { cwd: folder, env })
    if (code !== 0) throw new Error(output)
  } finally {
    await server?.stop()
  }
}

export const attemptOf = (trial: Trial): Attempt => ({ name: nameOf(trial), run: () => make(trial) })
