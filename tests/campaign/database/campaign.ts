import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Cluster } from '../../setup/cluster.ts'
import type { Failure } from '../failed.ts'
import type { CampaignOptions } from '../part.ts'
import { killAtOnce } from '../spawner/processes.ts'
import { holdsIn, openStage, playRounds, readinessOf, type Stage } from '../stage.ts'

/** `fault`: the longest that the database is away at a stretch, in milliseconds. */
type DatabaseOptions = CampaignOptions & { fault: number }

const returnMs = 60_000

/** The API says 503, and a push that it is unavailable; never 500. */
const belongsToFault = ({ status, text }: Failure) =>
  status === 503 || (status === 0 && /unavailable|error: 503|HTTP 503/.test(text))

async function onCluster<T>({ url }: Cluster, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'campaign' })
  client.on('error', () => {})
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end().catch(() => {})
  }
}

type Fault = (stage: Stage, options: DatabaseOptions, cluster: Cluster) => Promise<string>

/** Ends all sessions of the server again and again. */
const terminate: Fault = async ({ random }, { fault }, cluster) => {
  const end = performance.now() + fault
  let ended = 0
  await onCluster(cluster, async (client) => {
    while (performance.now() < end) {
      await sleep(random() * 200)
      const { rowCount } = await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'fennec'",
      )
      ended += rowCount ?? 0
    }
  })
  return `${ended} sessions ended`
}

/** Suspends the database: connections stay open, and nothing is answered. */
const freeze: Fault = async ({ random }, { fault }, cluster) => {
  cluster.freeze()
  await sleep(fault * (0.2 + 0.8 * random())).finally(() => cluster.thaw())
  return 'suspended'
}

/** Kills the process of one session: PostgreSQL ends all others, and recovers as after a crash. */
const crash: Fault = async (stage, { fault }, cluster) => {
  const pids = await onCluster(cluster, async (client) => {
    const { rows } = await client.query("select pid from pg_stat_activity where application_name = 'fennec'")
    return rows.map(({ pid }) => pid as number)
  })
  const pid = pids[Math.floor(stage.random() * pids.length)]
  if (pid !== undefined) killAtOnce(pid)
  await sleep(fault * stage.random())
  return 'crashed'
}

const faults = [terminate, freeze, crash]

/** Another program holds the lock of the file. */
async function lockFile({ installation, random }: Stage, faultMs: number): Promise<string> {
  const other = new DatabaseSync(join(installation.data, 'fennec.db'))
  other.exec('pragma busy_timeout = 60000')
  other.exec('begin immediate')
  await sleep(faultMs * random())
  other.exec('rollback')
  other.close()
  return 'locked'
}

/**
 * Takes the database away and gives it back in the midst of work: requests answer 503 meanwhile, nothing that was acknowledged is lost,
 * and the server goes on by itself. PostgreSQL's sessions are ended, it is suspended, and it crashes; the file of SQLite is locked.
 * @returns what is wrong, one sentence each
 */
export async function runCampaign(options: DatabaseOptions): Promise<string[]> {
  const { cluster, databaseUrl, fault } = options
  if (databaseUrl && !cluster) throw new Error('the database is stopped: run with FENNEC_TEST_DATABASE=postgres')
  const stage = openStage(options)
  await stage.start()
  return playRounds(stage, options, async (round) => {
    let what = ''
    const play = async () => {
      const chosen = faults[round % faults.length] ?? terminate
      what = cluster ? await chosen(stage, options, cluster) : await lockFile(stage, fault)
    }
    await stage.during(String(round), play, belongsToFault)
    if (!(await holdsIn(returnMs, async () => (await readinessOf(stage.server())) === 200))) {
      stage.problems.push(`round ${round}: the server is not ready a minute after the fault`)
    }
    await stage.calmly(String(round), 5)
    return what
  })
}
