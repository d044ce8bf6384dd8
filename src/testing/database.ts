import { randomBytes } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { type Database, openDatabase } from '../infra/database/index.ts'
import { migrations } from '../migrations/index.ts'

/** A database for one test, to be removed after it. */
type FreshDatabase = { url: string; remove(): Promise<void> }

/** Runs a statement on the cluster's maintenance database, from which databases are created and dropped. */
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

/** Creates the template database that the databases of the tests are copied from; called once per cluster. */
export async function prepareTemplate(clusterUrl: string): Promise<void> {
  await onCluster(clusterUrl, `create database ${template}`)
  const database = await openDatabase({ url: named(clusterUrl, template), migrations })
  await database.close()
}

async function freshPostgres(clusterUrl: string, isEmpty: boolean): Promise<FreshDatabase> {
  const name = `fennec_${randomBytes(8).toString('hex')}`
  await onCluster(clusterUrl, `create database ${name} template ${isEmpty ? 'template0' : template} strategy file_copy`)
  return {
    url: named(clusterUrl, name),
    remove: () => onCluster(clusterUrl, `drop database if exists ${name} with (force)`),
  }
}

/** Creates a database file with the current schema that the databases of the tests are copied from. */
export async function prepareSqliteTemplate(path: string): Promise<void> {
  const database = await openDatabase({ url: `sqlite:${path}`, migrations, durable: false })
  await database.close()
}

async function freshSqlite(isEmpty: boolean): Promise<FreshDatabase> {
  const path = join(await mkdtemp(join(tmpdir(), 'fennec-database-')), 'fennec.db')
  const prepared = process.env.FENNEC_TEST_SQLITE_TEMPLATE
  if (prepared && !isEmpty) await copyFile(prepared, path)
  return { url: `sqlite:${path}`, remove: () => rm(dirname(path), { recursive: true, force: true }) }
}

/** Whether the tests run on PostgreSQL; else they run on SQLite. */
export const onPostgres = process.env.FENNEC_TEST_DATABASE === 'postgres'

/**
 * Creates a database on the engine that `FENNEC_TEST_DATABASE` names (`sqlite`, the default, or `postgres`, in the cluster
 * at `FENNEC_TEST_POSTGRES_URL`) and returns its URL. It has the current schema where the suite has made a template.
 * @param options.isEmpty it has no schema
 */
export async function makeFreshDatabase({ isEmpty = false } = {}): Promise<FreshDatabase> {
  if (!onPostgres) return freshSqlite(isEmpty)
  const clusterUrl = process.env.FENNEC_TEST_POSTGRES_URL
  if (!clusterUrl) throw new Error('FENNEC_TEST_POSTGRES_URL is not set')
  return freshPostgres(clusterUrl, isEmpty)
}

/** Opens a new database with the current schema: `await using database = await freshDatabase()`. */
export async function freshDatabase(): Promise<Database & AsyncDisposable> {
  const fresh = await makeFreshDatabase()
  const database = await openDatabase({ url: fresh.url, migrations, durable: false })
  return Object.assign(database, {
    async [Symbol.asyncDispose]() {
      await database.close()
      await fresh.remove()
    },
  })
}
