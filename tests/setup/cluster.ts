import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { KeeperReport } from './postgres-keeper.ts'

/** A PostgreSQL cluster with an empty database. */
export type Cluster = {
  url: string
  /** Of the process that starts those of the sessions. */
  pid: number
  /** Suspends every process of the cluster: connections stay open, nothing is answered. */
  freeze(): void
  /** Resumes the processes that `freeze` suspended. */
  thaw(): void
  stop(): Promise<void>
}

const keeperFile = fileURLToPath(new URL('postgres-keeper.ts', import.meta.url))

/**
 * Starts a PostgreSQL cluster. It belongs to a child process (`postgres-keeper.ts`) that ends it when its standard input
 * closes, so it ends with this process even when this process is killed.
 * @throws Error with the output of PostgreSQL when the cluster does not start
 */
export async function startCluster(): Promise<Cluster> {
  const keeper = spawn(process.execPath, [keeperFile], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(keeper, 'exit')
  const report = await firstReport(keeper.stdout)
  if ('error' in report) throw new Error(`PostgreSQL for the tests did not start: ${report.error}`)
  const signal = (name: NodeJS.Signals) => {
    // The server first: after that it starts no further processes.
    process.kill(report.pid, name)
    for (const pid of childrenOf(report.pid)) {
      try {
        process.kill(pid, name)
      } catch {
        // The process has ended since it was listed.
      }
    }
  }
  return {
    url: report.url,
    pid: report.pid,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async stop() {
      signal('SIGCONT')
      keeper.stdin.end()
      await exited
    },
  }
}

/** The processes that a process has started. */
export function childrenOf(parent: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.filter(([, ppid]) => ppid === parent).map(([pid]) => pid as number)
}

/** Reads the report of the keeper, one line. */
async function firstReport(output: NodeJS.ReadableStream): Promise<KeeperReport> {
  let text = ''
  for await (const chunk of output) {
    text += chunk
    if (text.includes('\n')) return JSON.parse(text) as KeeperReport
  }
  return { error: 'its keeper ended without a report' }
}
