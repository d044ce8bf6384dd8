import { join } from 'node:path'
import { startCluster } from '../tests/setup/cluster.ts'

/** A database for a scenario. */
export type Engine = { name: 'SQLite' | 'PostgreSQL'; databaseUrl: string; stop(): Promise<void> }

/** SQLite in a folder; with `FENNEC_TEST_DATABASE=postgres` PostgreSQL as the tests start it, which does not wait for the disk. */
export async function startEngine(folder: string): Promise<Engine> {
  if (process.env.FENNEC_TEST_DATABASE !== 'postgres') {
    return { name: 'SQLite', databaseUrl: `sqlite:${join(folder, 'fennec.db')}`, stop: async () => {} }
  }
  const cluster = await startCluster()
  return { name: 'PostgreSQL', databaseUrl: cluster.url, stop: () => cluster.stop() }
}
