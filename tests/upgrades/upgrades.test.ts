/** Upgrades: what earlier releases stored is opened by this one, and their schema becomes that of the declared tables. */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { type App, startApp } from '../../src/app.ts'
import { restoreBackup } from '../../src/backup/index.ts'
import { silent } from '../../src/backup/testing.ts'
import { checkInstallation } from '../../src/check.ts'
import { memoryConfig, readConfig } from '../../src/config.ts'
import { systemClock } from '../../src/infra/clock/index.ts'
import {
  createTables,
  type Database,
  type Dialect,
  missingMigrations,
  openDatabase,
  statementsOf,
} from '../../src/infra/database/index.ts'
import { migrations } from '../../src/migrations/index.ts'
import { extractZip } from '../../src/runner/files/zip.ts'
import { tables } from '../../src/tables.ts'
import { makeFreshDatabase } from '../../src/testing/database.ts'
import { bytesAt, clientOf, git, onPostgres, temporaryDirectory } from '../../src/testing/index.ts'
import { releases, tokenOfRoot } from './releases.ts'
import { schemaFacts } from './schema-facts.ts'

const log = pino({ level: 'silent' })
const released = await readdir(releases)

/** Opens an empty database, applies these migrations, and reads something. */
async function inDatabase<T>(all: typeof migrations, work: (database: Database) => Promise<T>): Promise<T> {
  const fresh = await makeFreshDatabase({ isEmpty: true })
  const database = await openDatabase({ url: fresh.url, migrations: all, durable: false })
  try {
    return await work(database)
  } finally {
    await database.close()
    await fresh.remove()
  }
}

test('the migrations lead to the tables that are declared', async () => {
  const declared = { name: 'declared', up: (dialect: Dialect) => createTables(dialect, tables) }
  const expected = await inDatabase([declared], ({ read }) => schemaFacts(read))
  expect(await inDatabase(migrations, ({ read }) => schemaFacts(read))).toEqual(expected)
})

test('a later migration only adds, so that nodes of the release before go on serving', async () => {
  const adding =
    /^(create (unique )?(table|virtual table|index|function|trigger)|alter table \w+ add (column|foreign key)|insert into) |^do (?=.*create index)(?!.*drop )/s
  await inDatabase(migrations, async ({ read, engine }) => {
    const later = migrations.slice(1).flatMap((one) => statementsOf(read as never, engine, one))
    expect(later.filter((statement) => !adding.test(statement))).toEqual([])
  })
})

/** What a person sees of the world of `fennec demo` that was stored. */
async function expectWorld(app: App): Promise<void> {
  const root = clientOf(app.url, tokenOfRoot)
  const projects = (await root.get('/projects?order_by=id&sort=asc&simple=true&per_page=100')).body
  expect(projects.length).toBeGreaterThan(3)
  for (const { id } of projects) {
    const { body: issues } = await root.get(`/projects/${id}/issues?scope=all`)
    for (const { iid } of issues.slice(0, 3)) {
      expect(await root.get(`/projects/${id}/issues/${iid}/notes`)).toMatchObject({ status: 200 })
    }
    expect(await root.get(`/projects/${id}/repository/commits`)).toMatchObject({ status: 200 })
  }
  const logs = projects.map(async ({ id }: { id: number }) => {
    const [job] = (await root.get(`/projects/${id}/jobs?scope[]=success`)).body
    return job ? (await bytesAt(root, `/projects/${id}/jobs/${job.id}/trace`)).bytes.length : 0
  })
  expect(Math.max(...(await Promise.all(logs)))).toBeGreaterThan(100)
  const created = await root.post('/projects', { name: 'made after the upgrade', initialize_with_readme: true })
  expect(created.status).toBe(201)
  await using folder = await temporaryDirectory()
  for (const { path_with_namespace: path } of [projects[0], created.body]) {
    const url = `${app.url.replace('://', `://root:${tokenOfRoot}@`)}/${path}.git`
    expect(await git(folder.path, 'clone', '--quiet', url, path.replaceAll('/', '-'))).toMatchObject({ code: 0 })
  }
}

describe.each(released)('what %s stored', (release) => {
  test.skipIf(onPostgres)('as a data folder opens, after a dry run that changed nothing', async () => {
    await using folder = await temporaryDirectory()
    await extractZip(join(releases, release, 'data.zip'), folder.path, AbortSignal.timeout(60_000))
    const config = { ...memoryConfig(readConfig({}), folder.path), listen: { host: '127.0.0.1', port: 0 } }
    const lacking = () => missingMigrations({ url: config.databaseUrl, migrations })
    const before = await lacking()
    expect(await lacking()).toEqual(before)
    expect(before.every(({ name }) => name > '0001')).toBe(true)
    const app = await startApp({ config, log, durable: false })
    try {
      expect(await lacking()).toEqual([])
      await expectWorld(app)
    } finally {
      await app.stop()
    }
    expect(await checkInstallation(config, silent)).toEqual([])
  })

  test('as a backup is restored and migrated', async () => {
    const fresh = await makeFreshDatabase({ isEmpty: true })
    await using folder = await temporaryDirectory()
    const data = join(folder.path, 'data')
    const path = join(folder.path, 'backup')
    await mkdir(data)
    await pipeline(createReadStream(join(releases, release, 'backup.gz')), createGunzip(), createWriteStream(path))
    const base = memoryConfig(readConfig({}), data)
    const config = { ...base, databaseUrl: fresh.url, listen: { host: '127.0.0.1', port: 0 } }
    await restoreBackup({ config, path, clock: systemClock, progress: silent })
    const app = await startApp({ config, log, durable: false })
    try {
      await expectWorld(app)
    } finally {
      await app.stop()
      await fresh.remove()
    }
  })
})
