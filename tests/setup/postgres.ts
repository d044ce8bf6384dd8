import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { prepareTemplate } from '../../src/testing/database.ts'

/** What the keeper says on its standard output, once: where the cluster listens, or why there is none. */
export type KeeperReport = { url: string } | { error: string }

/**
 * Gives the suite a PostgreSQL cluster when `FENNEC_TEST_DATABASE` is `postgres`, and its address in
 * `FENNEC_TEST_POSTGRES_URL`. An address that is already set is taken as it is: a cluster with a template in it.
 *
 * The cluster belongs to a process of its own (`postgres-keeper.ts`) that ends it as soon as its standard input closes:
 * so it goes with this process however this process ends, even when it is killed.
 * @throws Error when the cluster cannot be started, with what PostgreSQL said.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.FENNEC_TEST_DATABASE !== 'postgres' || process.env.FENNEC_TEST_POSTGRES_URL) return undefined
  const keeperFile = fileURLToPath(new URL('postgres-keeper.ts', import.meta.url))
  const keeper = spawn(process.execPath, [keeperFile], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(keeper, 'exit')
  const report = await firstReport(keeper.stdout)
  if ('error' in report) throw new Error(`PostgreSQL for the tests did not start: ${report.error}`)
  const stop = async () => {
    delete process.env.FENNEC_TEST_POSTGRES_URL
    keeper.stdin.end()
    await exited
  }
  try {
    await prepareTemplate(report.url)
  } catch (error) {
    await stop()
    throw error
  }
  process.env.FENNEC_TEST_POSTGRES_URL = report.url
  return stop
}

/** Reads the keeper's one line. A keeper that ended without one is reported as an error too. */
async function firstReport(output: NodeJS.ReadableStream): Promise<KeeperReport> {
  let text = ''
  for await (const chunk of output) {
    text += chunk
    if (text.includes('\n')) return JSON.parse(text) as KeeperReport
  }
  return { error: 'its keeper ended without a word' }
}
