/**
 * A primary on PostgreSQL is killed together with its PostgreSQL, and its secondary takes its place with a database that followed by
 * streaming replication (docs/guides/failover.md). PostgreSQL is always a part of it, so it runs once, on clusters of its own.
 */
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { clientOf } from '../src/testing/index.ts'
import { checkInstallation } from './campaign/process.ts'
import {
  branchesOf,
  command,
  commit,
  issuesOf,
  limits,
  patience,
  promoted,
  start,
  startPair,
  untilCopied,
} from './promoting.ts'
import { type FollowedCluster, startFollowedCluster } from './setup/cluster.ts'

vi.setConfig(limits)

let cluster: FollowedCluster
beforeEach(async () => {
  cluster = await startFollowedCluster()
})
afterEach(() => cluster.stop())

/** Starts the two servers: the primary on PostgreSQL, the secondary on SQLite. */
async function startServers() {
  const pair = await startPair({ first: async () => cluster.url, second: async () => undefined })
  onTestFinished(() => pair[Symbol.asyncDispose]())
  const { body } = await pair.root.post('/projects', { name: 'p', initialize_with_readme: true })
  return { pair, project: body.id as number }
}

/** A connection to a cluster, which may be killed. */
async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end().catch(() => undefined))
  return client
}

const valueIn = async (client: pg.Client, statement: string) =>
  Object.values((await client.query(statement)).rows[0])[0]

/** Waits until the replica has all that the primary has written until now. */
async function untilFollowed(): Promise<void> {
  const [first, second] = [await connected(cluster.url), await connected(cluster.standby.url)]
  const written = await valueIn(first, 'select pg_current_wal_lsn()')
  await expect.poll(() => valueIn(second, `select pg_last_wal_replay_lsn() >= '${written}'`), patience).toBe(true)
}

/** Ends the replication, as a broken network does, and waits until the loss of what comes after it can be told in seconds. */
async function detach(): Promise<void> {
  const standby = await connected(cluster.standby.url)
  await standby.query(`alter system set primary_conninfo = ''`)
  await standby.query('select pg_reload_conf()')
  await expect.poll(() => valueIn(standby, 'select count(*)::int from pg_stat_wal_receiver'), patience).toBe(0)
  const isApart = `select clock_timestamp() - pg_last_xact_replay_timestamp() > interval '2 seconds'`
  await expect.poll(() => valueIn(standby, isApart), patience).toBe(true)
}

test('what the replica had not received is lost and named, and pushes of that time remain', async () => {
  const { pair, project } = await startServers()
  const { root, first, second, primary, secondary } = pair
  await root.post(`/projects/${project}/issues`, { title: 'received' })
  await root.post(`/projects/${project}/variables`, { key: 'SECRET', value: 'a sealed value' })
  await untilFollowed()
  await detach()
  expect((await root.post(`/projects/${project}/issues`, { title: 'lost' })).status).toBe(201)
  expect((await commit(root, project, 'after', 'main')).status).toBe(201)
  await untilCopied(pair, { repositories: 1 })
  const branches = await branchesOf(root, project)
  await first.kill()
  cluster.kill()

  await second.kill()
  const parameters = ['promote', '--database', cluster.standby.url]
  expect(await command(secondary, parameters)).toMatchObject({
    code: 1,
    stderr:
      'fennec: the database is a replica that follows another server still: make that server writable first (select pg_promote())\n',
  })
  expect(await valueIn(await connected(cluster.standby.url), 'select pg_promote()')).toBe(true)
  await copyFile(join(primary.data, 'secret-key'), join(secondary.data, 'secret-key'))
  const done = await command(secondary, parameters)
  expect(done, done.stderr).toMatchObject({ code: 0 })
  expect(done.stdout).toMatch(/Lost of the database: [1-9]\d* s\./)
  expect(done.stdout).toContain('Lost of repositories and files: 0 s')
  expect(done.stdout).toContain('Repositories: 1 from the copies, with refs newer than the database.')

  const installation = promoted(pair, cluster.standby.url)
  expect(await checkInstallation(installation)).toMatchObject({ code: 0 })
  const now = clientOf((await start(installation)).url, pair.primary.token)
  expect(await issuesOf(now, project)).toEqual(['received'])
  expect(await branchesOf(now, project)).toEqual(branches)
  expect((await now.get(`/projects/${project}/variables/SECRET`)).body.value).toBe('a sealed value')
  const { status, body } = await now.post(`/projects/${project}/issues`, { title: 'made after it' })
  expect([status, body.iid]).toEqual([201, 2])
  expect((await commit(now, project, 'later', 'after')).status).toBe(201)
})

test('a synchronous replica loses nothing that a client was told', async () => {
  const { pair, project } = await startServers()
  const { root, first, second, primary, secondary } = pair
  const admin = await connected(cluster.url)
  await admin.query(`alter system set synchronous_standby_names = '*'`)
  await admin.query('select pg_reload_conf()')
  const follower = `select sync_state = 'sync' from pg_stat_replication`
  await expect.poll(() => valueIn(admin, follower), patience).toBe(true)
  await untilCopied(pair, { repositories: 1 })
  // Several clients write while everything of the primary is killed.
  const told: string[] = []
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let number = 0; ; number += 1) {
      const title = `${writer}.${number}`
      const answer = await root.post(`/projects/${project}/issues`, { title }).catch(() => undefined)
      if (answer?.status !== 201) return
      told.push(title)
    }
  })
  await expect.poll(() => told.length, patience).toBeGreaterThan(20)
  cluster.kill()
  await first.kill()
  await Promise.all(writers)

  await second.kill()
  expect(await valueIn(await connected(cluster.standby.url), 'select pg_promote()')).toBe(true)
  await copyFile(join(primary.data, 'secret-key'), join(secondary.data, 'secret-key'))
  const done = await command(secondary, ['promote', '--database', cluster.standby.url])
  expect(done, done.stderr).toMatchObject({ code: 0 })
  expect(done.stdout).toContain('Repositories: 1 from the copies.')
  const installation = promoted(pair, cluster.standby.url)
  expect(await checkInstallation(installation)).toMatchObject({ code: 0 })
  const now = clientOf((await start(installation)).url, pair.primary.token)
  expect(await issuesOf(now, project)).toEqual(expect.arrayContaining(told))
})
