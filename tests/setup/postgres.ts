import { prepareTemplate } from '../../src/testing/database.ts'
import { startCluster } from './cluster.ts'

/**
 * Starts a PostgreSQL cluster for the suite on PostgreSQL, and sets `FENNEC_TEST_POSTGRES_URL` to its address. An address
 * that is already set is used unchanged; that cluster must have the template database.
 * @throws Error with the output of PostgreSQL when the cluster does not start
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.FENNEC_TEST_POSTGRES_URL) return undefined
  const cluster = await startCluster()
  try {
    await prepareTemplate(cluster.url)
  } catch (error) {
    await cluster.stop()
    throw error
  }
  process.env.FENNEC_TEST_POSTGRES_URL = cluster.url
  return async () => {
    delete process.env.FENNEC_TEST_POSTGRES_URL
    await cluster.stop()
  }
}
