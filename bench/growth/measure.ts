import { readFileSync } from 'node:fs'
import pg from 'pg'
import type { Request } from './requests.ts'
import type { World } from './world.ts'

/** What one request takes. */
export type Measured = Request & {
  /** The status, where it is not 200. */
  status?: number
  /** Processor time of the server, with that of the processes of PostgreSQL. */
  ms: number
  queries: number
}

/** Counts the processor time of this process and of the processes that serve it on PostgreSQL. */
type Stopwatch = { start(): Promise<() => number>; close(): Promise<void> }

/** Milliseconds on a processor, by the scheduler; undefined when the process has ended. */
function onProcessor(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return undefined
  }
}

async function stopwatch(databaseUrl: string | undefined): Promise<Stopwatch> {
  const own = () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  if (!databaseUrl) {
    return {
      async start() {
        const before = own()
        return () => own() - before
      },
      async close() {},
    }
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const query = `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
    and datname = current_database()`
  return {
    async start() {
      const pids = (await client.query(query)).rows.map(({ pid }) => pid as number)
      const before = pids.map(onProcessor)
      const ownBefore = own()
      return () => {
        const took = pids.map((pid, index) => (onProcessor(pid) ?? before[index] ?? 0) - (before[index] ?? 0))
        return own() - ownBefore + took.reduce((sum, one) => sum + one, 0)
      }
    },
    close: () => client.end(),
  }
}

/** Slower requests are asked fewer times. */
const slowMs = 300
const rounds = 2

/** Asks each request several times, and takes the fastest after the first: what disturbs only adds. @param say is called for each */
export async function measure(
  { app, callers }: World,
  requests: readonly Request[],
  say: (measured: Measured) => void = () => {},
): Promise<Measured[]> {
  const { database, config } = app.platform
  const watch = await stopwatch(database.engine === 'postgres' ? config.databaseUrl : undefined)
  const results: Measured[] = []
  for (const request of requests) {
    let status: number | undefined
    const ask = () =>
      callers[request.who].call({ path: `/api/v4${request.path}` }).catch((error: Error) => {
        status = Number(/: (\d{3}) /.exec(error.message)?.[1] ?? 0)
      })
    const once = async () => {
      const queries = database.queryCount()
      const stop = await watch.start()
      await ask()
      return { ms: stop(), queries: database.queryCount() - queries }
    }
    const cold = await once()
    const all = [cold]
    const count = status !== undefined ? 0 : cold.ms < slowMs ? rounds : 0
    for (let round = 0; round < count; round += 1) all.push(await once())
    const warm = all.length > 1 ? all.slice(1) : all
    const measured = {
      ...request,
      ...(status !== undefined && { status }),
      ms: Math.min(...warm.map(({ ms }) => ms)),
      queries: Math.min(...all.map(({ queries }) => queries)),
    }
    say(measured)
    results.push(measured)
  }
  await watch.close()
  return results
}
