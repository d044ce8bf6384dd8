import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { type App, startApp } from '../../src/app.ts'
import { memoryConfig, readConfig } from '../../src/config.ts'
import { manualClock } from '../../src/infra/clock/index.ts'
import { type Caller, caller } from '../caller.ts'
import { openSeeding } from '../seeding.ts'
import { fillInstance } from './fill.ts'
import type { Who } from './requests.ts'
import { focalRepository } from './rows.ts'
import { first, type SizeName, sizes } from './size.ts'

/** The token of the administrator. */
export const rootToken = 'glpat-bench-token-of-root'

/** No throttle takes part. */
const settings = {
  ...{ search_rate_limit: 0, search_rate_limit_unauthenticated: 0, projects_api_limit: 0, project_api_limit: 0 },
  ...{ groups_api_limit: 0, group_api_limit: 0 },
}

/** A filled instance whose server runs in this process. */
export type World = {
  app: App
  callers: Record<Who, Caller>
  stop(): Promise<void>
}

/** A database of this name on the server; created when there is none. */
async function databaseOn(server: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
  if (rowCount === 0) await client.query(`create database ${name}`)
  // What one process does is what is measured.
  await client.query(`alter database ${name} set max_parallel_workers_per_gather = 0`)
  await client.end()
  return server.replace(/\/\w+\?/, `/${name}?`)
}

const startedAt = '2026-11-23T00:00:00.000Z'

/** No job is due while the clock stands still. */
async function postponeJobs(databaseUrl: string): Promise<void> {
  const seeding = await openSeeding(databaseUrl)
  await seeding.run(`delete from jobs; update recurring_jobs set next_run_at = '2026-11-23T00:00:01.000Z'`)
  await seeding.close()
}

/** Starts the server over a folder and a database. Its clock stands still, so that no recurring job works beside the lists. */
async function start(folder: string, databaseUrl: string): Promise<App> {
  const config = {
    ...memoryConfig(readConfig({}), folder),
    ...{ databaseUrl, rootToken, listen: { host: '127.0.0.1', port: 0 } },
  }
  return startApp({ config, log: pino({ level: 'silent' }), durable: false, clock: manualClock({ start: startedAt }) })
}

/** Callers of a server over a filled folder. */
export async function callersOf(url: string): Promise<World['callers']> {
  const root = caller(url, rootToken)
  await root.call({ method: 'PUT', path: '/api/v4/application/settings', body: settings })
  const tokenOf = async (id: number) => {
    const body = { name: 'bench', scopes: ['api'] }
    const made = await root.call({ method: 'POST', path: `/api/v4/users/${id}/impersonation_tokens`, body }, 201)
    return caller(url, JSON.parse(made).token)
  }
  return { root, person: await tokenOf(first + 1), guest: await tokenOf(first + 2) }
}

/** Fills the database and the folder of an instance of a size, once. */
export async function fillFolder(
  folder: string,
  databaseUrl: string,
  name: SizeName,
  say: (text: string) => void = () => {},
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const mark = join(folder, 'filled')
  if (existsSync(mark)) return
  const app = await start(folder, databaseUrl)
  await app.stop()
  const seeding = await openSeeding(databaseUrl)
  await fillInstance(seeding, sizes[name], say)
  await seeding.close()
  execFileSync('git', ['init', '--quiet', '--bare', join(folder, 'repositories', focalRepository)])
  await writeFile(mark, '')
}

/**
 * Opens an instance of a size, and fills it the first time.
 * @param folder keeps it: a folder of its own for each size
 * @param server the address of a PostgreSQL; SQLite without one
 */
export async function openWorld(
  folder: string,
  name: SizeName,
  server: string | undefined,
  say: (text: string) => void = () => {},
): Promise<World> {
  const databaseUrl = server ? await databaseOn(server, `growth_${name}`) : `sqlite:${join(folder, 'fennec.db')}`
  await fillFolder(folder, databaseUrl, name, say)
  await postponeJobs(databaseUrl)
  const app = await start(folder, databaseUrl)
  const callers = await callersOf(app.url)
  const stop = async () => {
    for (const one of Object.values(callers)) one.close()
    await app.stop()
  }
  return { app, callers, stop }
}
