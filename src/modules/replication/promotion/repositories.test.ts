import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RepositoryRow, repositoryOfProject } from '../../../platform/repositories/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { upsertReplica } from '../secondary/store.ts'
import type { ReplicaChanges } from '../tables.ts'
import type { Knowledge } from './knowledge.ts'
import { type Compared, copiesWithoutRow, judgeRepositories, knowsMore, type Origin } from './repositories.ts'

let server: TestServer
let row: RepositoryRow
const cursorId = 1000
const [early, backedUpAt, late] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z']
const [known, other] = ['a'.repeat(64), 'b'.repeat(64)]

beforeAll(async () => {
  server = await startTestServer()
  const { body } = await server.root.post('/projects', { name: 'p', initialize_with_readme: true })
  row = (await repositoryOfProject(server.app.platform.database.read, body.id)) as RepositoryRow
})
afterAll(() => server.stop())
// One database is that of both servers: their tables differ.
beforeEach(() =>
  server.app.platform.database.write(async (tx) => {
    await tx.deleteFrom('geo_replicas').execute()
    await tx.deleteFrom('geo_events').execute()
    await tx.deleteFrom('geo_checksums').execute()
    const computed = { state: 'succeeded', checksum: known, checksummed_at: early, due_at: late } as const
    await tx
      .insertInto('geo_checksums')
      .values({ type: 'project_repositories', replicable_id: row.id, ...computed })
      .execute()
  }),
)

/** A complete copy with the refs that the database knows. */
const complete = (): ReplicaChanges => ({
  ...{ state: 'synced', location: `${row.storage}:${row.disk_path}`, synced_at: late, changed_at: early },
  ...{ verification: 'succeeded', checksum: known },
})

async function copy(changes: ReplicaChanges, id = row.id): Promise<void> {
  const item = { id, project_id: 1, group_id: null, storage: 'default', size: 1, checksum: null }
  await server.app.platform.database.write(async (tx) => {
    await upsertReplica(tx, 'project_repositories', item, early)
    await tx
      .updateTable('geo_replicas')
      .set({ ...complete(), ...changes })
      .where('replicable_id', '=', id)
      .execute()
  })
}

function compared(backup: Compared['backup'] = null): Compared {
  const { database, git } = server.app.platform
  return { copies: database.read, primary: database.read, git, backup, knowledge: { cursorId } as Knowledge }
}
const withBackup = () => compared({ startedAt: backedUpAt, repositoryIds: new Set([row.id]) })
const judged = async (given: Compared) =>
  (await Array.fromAsync(judgeRepositories(given))).find((one) => one.row.id === row.id)

/** Adds a change to the log of the primary. */
const change = (id: number) =>
  server.app.platform.database.write(async (tx) => {
    const event = { type: 'project_repositories', replicable_id: row.id, action: 'updated', created_at: late } as const
    await tx
      .insertInto('geo_events')
      .values({ ...event, id })
      .execute()
  })

const gone = `default:@hashed/cc/cc/${'c'.repeat(64)}.git`
const incomplete = { state: 'pending', checksum: other } as const
test.each<[string, ReplicaChanges, 'with a backup' | 'without', Origin]>([
  ['a copy as the database knows it', {}, 'without', 'copy'],
  ['a complete copy with other refs', { checksum: other }, 'without', 'newer copy'],
  [
    'a complete copy from before the backup with other refs',
    { checksum: other, synced_at: early },
    'with a backup',
    'newer copy',
  ],
  ['a copy that is behind', incomplete, 'without', 'older copy'],
  ['a copy that is behind, and later than the backup', incomplete, 'with a backup', 'newer copy'],
  ['a copy that is behind, and older than the backup', { ...incomplete, synced_at: early }, 'with a backup', 'backup'],
  ['a damaged copy', { checksum: other, checksum_mismatch: true }, 'without', 'older copy'],
  ['a damaged copy', { checksum: other, checksum_mismatch: true }, 'with a backup', 'backup'],
  ['a copy that is gone', { location: gone }, 'without', 'nowhere'],
  ['a copy that is gone', { location: gone }, 'with a backup', 'backup'],
  ['none', { location: null }, 'without', 'nowhere'],
  ['none', { location: null }, 'with a backup', 'backup'],
])('of %s (%o), %s: %s', async (_name, changes, backup, origin) => {
  await copy(changes)
  const found = await judged(backup === 'without' ? compared() : withBackup())
  expect(found?.origin).toBe(origin)
  const isCopy = origin.endsWith('copy')
  expect(found?.place).toEqual(
    isCopy ? { id: row.id, storage: row.storage, disk_path: row.disk_path, object_format: 'sha1' } : null,
  )
  expect(found?.behindSince).toBe(changes.state === 'pending' ? early : null)
  const isLeft = origin === 'backup' && !('location' in changes)
  expect(found?.unused).toBe(isLeft ? `${row.storage}:${row.disk_path}` : null)
})

test('a copy is older where the database knows of a change that the secondary has not heard of', async () => {
  await copy({ checksum: other })
  await change(cursorId)
  expect([await knowsMore(compared()), (await judged(compared()))?.origin]).toEqual([false, 'newer copy'])
  await change(cursorId + 1)
  expect([await knowsMore(compared()), (await judged(compared()))?.origin]).toEqual([true, 'older copy'])
  expect((await judged(withBackup()))?.origin).toBe('newer copy')
})

test('the refs of a copy that is not verified are read', async () => {
  await copy({ verification: 'none', checksum: null })
  expect((await judged(compared()))?.origin).toBe('newer copy')
  const { git } = server.app.platform
  const repository = git.repository({ storage: row.storage, diskPath: row.disk_path as never })
  const checksum = await repository.refsChecksum({})
  await server.app.platform.database.write((tx) =>
    tx
      .updateTable('geo_checksums')
      .set({ checksum })
      .execute()
      .then(() => {}),
  )
  expect((await judged(compared()))?.origin).toBe('copy')
})

test('a repository that is not on the disk yet is empty', async () => {
  const { body } = await server.root.post('/projects', { name: 'empty' })
  await server.app.platform.database.write((tx) =>
    tx
      .updateTable('repositories')
      .set({ generation: 0 })
      .where('project_id', '=', body.id)
      .execute()
      .then(() => {}),
  )
  const found = (await Array.fromAsync(judgeRepositories(compared()))).find((one) => one.row.project_id === body.id)
  expect(found).toMatchObject({ origin: 'empty', place: null })
})

test('copies of repositories without a row are found', async () => {
  await copy({})
  await copy({}, 123_456)
  await copy({ location: null }, 123_457)
  const found = await Array.fromAsync(copiesWithoutRow(compared()))
  expect(found.map(({ replicable_id: id }) => id)).toEqual([123_456])
})
