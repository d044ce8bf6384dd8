/** Faults of the connection to PostgreSQL, on a cluster of their own: lost connections, and a server that hangs. */
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startEmbedded } from '../src/embedded.ts'
import { type Database, DatabaseUnavailable, openDatabase } from '../src/infra/database/index.ts'
import { migrations } from '../src/migrations/index.ts'
import type { RefRule } from '../src/platform/index.ts'
import { clientOf } from '../src/testing/client.ts'
import { git, makeHistory, temporaryDirectory } from '../src/testing/index.ts'
import { type Cluster, startCluster } from './setup/cluster.ts'

let cluster: Cluster
let admin: pg.Client

beforeAll(async () => {
  cluster = await startCluster()
  admin = new pg.Client({ connectionString: cluster.url, application_name: 'admin' })
  await admin.connect()
})

afterEach(() => cluster.thaw())

afterAll(async () => {
  await admin.end()
  await cluster.stop()
})

const others = `from pg_stat_activity where application_name = 'fennec'`

/** Ends all connections that Fennec has now, as a restart of PostgreSQL does (57P01). It may have new ones before this returns. */
async function terminateConnections(): Promise<void> {
  const { rows } = await admin.query<{ pid: number }>(`select pid, pg_terminate_backend(pid) ${others}`)
  const pids = rows.map(({ pid }) => pid)
  const left = () => admin.query('select pid from pg_stat_activity where pid = any($1)', [pids])
  await expect.poll(async () => (await left()).rowCount).toBe(0)
}

async function queryIsRunning(text: string): Promise<void> {
  const running = `select pid ${others} and state = 'active' and query like '%${text}%'`
  await expect.poll(async () => (await admin.query(running)).rowCount).toBe(1)
}

async function openTestDatabase(): Promise<Database & AsyncDisposable> {
  const database = await openDatabase({ url: cluster.url, migrations })
  return Object.assign(database, { [Symbol.asyncDispose]: () => database.close() })
}

const countLocks = (database: Database) =>
  database.read
    .selectFrom('recurring_jobs')
    .select('name')
    .execute()
    .then((rows) => rows.length)

const row = (name: string) => ({ name, every_seconds: 1, next_run_at: '2030-01-01T00:00:00.000Z', last_run_at: null })

describe('a lost connection', () => {
  test('rejects the running query with DatabaseUnavailable; the next query gets a new connection', async () => {
    await using database = await openTestDatabase()
    const slow = sql`select pg_sleep(60)`.execute(database.read as never).catch((error: unknown) => error)
    await queryIsRunning('pg_sleep')
    await terminateConnections()
    expect(await slow).toBeInstanceOf(DatabaseUnavailable)
    expect(await countLocks(database)).toBe(0)
  })

  test('between two queries of a transaction rejects the transaction, of which nothing is stored', async () => {
    await using database = await openTestDatabase()
    let runs = 0
    const failed = database.write(async (tx) => {
      runs += 1
      await tx.insertInto('recurring_jobs').values(row('lost')).execute()
      await terminateConnections()
      await tx.insertInto('recurring_jobs').values(row('later')).execute()
    })
    await expect(failed).rejects.toThrow(DatabaseUnavailable)
    expect(runs).toBe(1)
    expect(await countLocks(database)).toBe(0)
  })

  test('does not replace the error of the transaction', async () => {
    await using database = await openTestDatabase()
    const failed = database.write(async () => {
      await terminateConnections()
      throw new Error('own error')
    })
    await expect(failed).rejects.toThrow('own error')
    expect(await countLocks(database)).toBe(0)
  })

  test('that was idle in the pool is replaced', async () => {
    await using database = await openTestDatabase()
    await Promise.all(Array.from({ length: 10 }, () => countLocks(database)))
    await terminateConnections()
    await expect.poll(() => countLocks(database).catch(() => null)).toBe(0)
  })
})

describe('a server that does not accept connections', () => {
  test('is reported as DatabaseUnavailable', async () => {
    const url = 'postgres://fennec@127.0.0.1:1/postgres'
    await expect(openDatabase({ url, migrations })).rejects.toThrow(DatabaseUnavailable)
  })
})

describe('a slow query', () => {
  test('continues while the server answers other queries', async () => {
    await using database = await openTestDatabase()
    const slow = sql<{ done: boolean }>`select pg_sleep(5) is not null as done`.execute(database.read as never)
    expect((await slow).rows).toEqual([{ done: true }])
  })
})

/** A server on an empty database: the one of another installation would refuse its keys. */
async function startInstallation() {
  await admin.query('drop schema public cascade; create schema public')
  return startEmbedded({ databaseUrl: cluster.url })
}

describe('a running Fennec', () => {
  test('answers 503 when connections are lost, recovers, and retains acknowledged changes', async () => {
    await using fennec = await startInstallation()
    const root = clientOf(fennec.url, fennec.rootToken)
    const created: string[] = []
    const statuses = new Set<number>()
    let isDone = false
    const create = async (worker: number) => {
      for (let index = 0; !isDone; index += 1) {
        const path = `label-${worker}-${index}`
        const answer = await root.post('/groups', { name: path, path })
        statuses.add(answer.status)
        if (answer.status === 201) created.push(path)
        else expect(answer.body).toEqual({ message: '503 Service Unavailable' })
        if (answer.status === 503) expect(answer.headers.get('retry-after')).toBe('1')
      }
    }
    const workers = Array.from({ length: 4 }, (_, worker) => create(worker))
    for (let round = 0; round < 40; round += 1) await admin.query(`select pg_terminate_backend(pid) ${others}`)
    await expect.poll(() => statuses.has(503) && statuses.has(201)).toBe(true)
    isDone = true
    await Promise.all(workers)
    expect([...statuses].sort()).toEqual([201, 503])
    for (const path of created) expect((await root.get(`/groups/${path}`)).status).toBe(200)
  })

  test('records refs that moved before the connection was lost, without a restart', async () => {
    await using fennec = await startInstallation()
    const root = clientOf(fennec.url, fennec.rootToken)
    const { body } = await root.post('/projects', { name: 'faulty', initialize_with_readme: true })
    let losses = 1
    fennec.app.platform.gate.listeners.push({
      prepare: async () => async () => {
        if (losses-- > 0) await terminateConnections()
      },
    })
    const repository = `/projects/${body.id}/repository`
    expect((await root.post(`${repository}/branches`, { branch: 'moved', ref: 'main' })).status).toBe(503)
    await expect.poll(async () => (await root.get(`${repository}/branches/moved`)).status).toBe(200)
    await expect.poll(async () => (await admin.query('select id from ref_intents')).rowCount).toBe(0)
  })

  test('refuses a push with a sentence when the connection is lost during its checks', async () => {
    await using fennec = await startInstallation()
    const root = clientOf(fennec.url, fennec.rootToken)
    expect((await root.post('/projects', { name: 'pushed' })).status).toBe(201)
    await using work = await temporaryDirectory()
    await makeHistory(work.path, ['one'])
    const address = `${fennec.url.replace('://', `://root:${fennec.rootToken}@`)}/root/pushed.git`
    const loseConnection: RefRule = async ({ database }) => {
      await database.write(async (tx) => {
        await terminateConnections()
        await tx.selectFrom('projects').select('id').execute()
      })
      return null
    }
    const { rules } = fennec.app.platform.gate
    rules.push(loseConnection)
    const refused = await git(work.path, 'push', address, 'main').finally(() => rules.pop())
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('remote: GitLab: The service is unavailable. Please try again later.')
    expect(await git(work.path, 'push', address, 'main')).toMatchObject({ code: 0 })
  })

  test('answers 503 while the server hangs, and recovers without a restart', async () => {
    await using fennec = await startInstallation()
    const root = clientOf(fennec.url, fennec.rootToken)
    const readiness = () => fetch(`${fennec.url}/-/readiness`, { signal: AbortSignal.timeout(4_000) })
    expect((await readiness()).status).toBe(200)
    cluster.freeze()
    const requests = Array.from({ length: 20 }, () => root.get('/user'))
    expect((await readiness()).status).toBe(503)
    for (const answer of await Promise.all(requests)) {
      expect(answer).toMatchObject({ status: 503, body: { message: '503 Service Unavailable' } })
    }
    cluster.thaw()
    await expect.poll(async () => (await readiness()).status).toBe(200)
    expect((await root.get('/user')).status).toBe(200)
    await fennec.app.platform.jobs.drain()
  })
})
