import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Database } from './database.ts'
import { openDatabase } from './open.ts'

/** A database of a test's own, removed when the test is over. */
export type FreshDatabase = { url: string; remove(): Promise<void> }

/** Runs one statement on the cluster's own database, where databases are made and dropped. */
async function onCluster(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function named(clusterUrl: string, database: string): string {
  const url = new URL(clusterUrl)
  url.pathname = `/${database}`
  return url.href
}

const template = 'fennec_template'

/** Makes the template that every test's database is a copy of; called once per cluster, before the tests. */
export async function prepareTemplate(clusterUrl: string): Promise<void> {
  await onCluster(clusterUrl, `create database ${template}`)
  const database = await openDatabase({ url: named(clusterUrl, template) })
  await database.close()
}

async function freshPostgres(clusterUrl: string): Promise<FreshDatabase> {
  const name = `fennec_${randomBytes(8).toString('hex')}`
  await onCluster(clusterUrl, `create database ${name} template ${template} strategy file_copy`)
  return {
    url: named(clusterUrl, name),
    remove: () => onCluster(clusterUrl, `drop database if exists ${name} with (force)`),
  }
}

/**
 * Makes an empty database on the engine that `FENNEC_TEST_DATABASE` names (`sqlite`, the default, or `postgres`, in the
 * cluster at `FENNEC_TEST_POSTGRES_URL`) and says where it is.
 */
export async function makeFreshDatabase(): Promise<FreshDatabase> {
  if (process.env.FENNEC_TEST_DATABASE === 'postgres') {
    const clusterUrl = process.env.FENNEC_TEST_POSTGRES_URL
    if (!clusterUrl) throw new Error('FENNEC_TEST_POSTGRES_URL is not set')
    return freshPostgres(clusterUrl)
  }
  const folder = await mkdtemp(join(tmpdir(), 'fennec-database-'))
  return { url: `sqlite:${join(folder, 'fennec.db')}`, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** A fresh database, open and up to date: `await using database = await freshDatabase()`. */
export async function freshDatabase(): Promise<Database & AsyncDisposable> {
  const fresh = await makeFreshDatabase()
  const database = await openDatabase({ url: fresh.url, durable: false })
  return Object.assign(database, {
    async [Symbol.asyncDispose]() {
      await database.close()
      await fresh.remove()
    },
  })
}
