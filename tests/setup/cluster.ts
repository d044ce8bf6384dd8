import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { KeeperReport, Kept } from './postgres-keeper.ts'

/** A PostgreSQL cluster whose database `postgres` is empty. */
type Controlled = {
  url: string
  /** Of the process that starts those of the sessions. */
  pid: number
  /** Suspends every process of the cluster: connections stay open, nothing is answered. */
  freeze(): void
  /** Resumes the processes that `freeze` suspended. */
  thaw(): void
  /** Kills every process of the cluster. */
  kill(): void
}

/** A cluster that ends when it is stopped. */
export type Cluster = Controlled & { stop(): Promise<void> }

/** A cluster, and one that follows it by streaming replication. */
export type FollowedCluster = Cluster & { standby: Controlled }

const keeperFile = fileURLToPath(new URL('postgres-keeper.ts', import.meta.url))

/**
 * Starts a PostgreSQL cluster. It belongs to a child process (`postgres-keeper.ts`) that ends it when its standard input
 * closes, so it ends with this process even when this process is killed.
 * @throws Error with the output of PostgreSQL when the cluster does not start
 */
export async function startCluster(): Promise<Cluster> {
  const { report, stop } = await startKeeper()
  return withEnd(controlled(report), stop)
}

/** Starts a cluster, and one that follows it, as `startCluster` does. */
export async function startFollowedCluster(): Promise<FollowedCluster> {
  const { report, stop } = await startKeeper('--standby')
  if (!report.standby) throw new Error('The keeper started no cluster that follows')
  const standby = controlled(report.standby)
  const stopBoth = () => {
    standby.thaw()
    return stop()
  }
  return { ...withEnd(controlled(report), stopBoth), standby }
}

/** @throws Error when the keeper could not start what it keeps */
async function startKeeper(...parameters: string[]) {
  const keeper = spawn(process.execPath, [keeperFile, ...parameters], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(keeper, 'exit')
  const report = await firstReport(keeper.stdout)
  if ('error' in report) throw new Error(`PostgreSQL for the tests did not start: ${report.error}`)
  const stop = async () => {
    keeper.stdin.end()
    await exited
  }
  return { report, stop }
}

const withEnd = (cluster: Controlled, end: () => Promise<void>): Cluster => ({
  ...cluster,
  stop() {
    cluster.thaw()
    return end()
  },
})

function controlled({ url, pid }: Kept): Controlled {
  const signal = (name: NodeJS.Signals) => {
    // The server first: after that it starts no further processes.
    send(pid, name)
    for (const child of childrenOf(pid)) send(child, name)
  }
  const freeze = () => signal('SIGSTOP')
  return {
    ...{ url, pid, freeze },
    thaw: () => signal('SIGCONT'),
    kill() {
      freeze()
      for (const one of [pid, ...childrenOf(pid)]) send(one, 'SIGKILL')
    },
  }
}

/** Signals a process, unless it has ended since it was listed. */
function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
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
