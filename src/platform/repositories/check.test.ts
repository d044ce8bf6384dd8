import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newDiskPath, type RefName } from '../../infra/git/index.ts'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { strayRepositories, unsettledIntents } from './check.ts'
import { insertIntent } from './store/intents.ts'
import { repositoryOfProject } from './store/repositories.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

describe('the check of repositories', () => {
  test('finds repositories on disk without a row, except those that will be removed', async () => {
    const { database, git } = server.app.platform
    await server.root.post('/projects', { name: 'known' })
    expect(await strayRepositories(database, git, ['default'])).toEqual([])
    const [stray, removed] = [newDiskPath(), newDiskPath()]
    for (const path of [stray, removed]) {
      await git.repository({ storage: 'default', diskPath: path }).init({ defaultBranch: 'refs/heads/main' as RefName })
    }
    const row = { storage: 'default', disk_path: removed, removed_at: '2100-01-01T00:00:00.000Z' }
    await database.write((tx) => tx.insertInto('removed_repositories').values(row).execute())
    expect(await strayRepositories(database, git, ['default'])).toEqual([
      `the directory default:${stray} holds a repository that no row of the database names`,
    ])
  })

  test('finds changes of refs that were not recorded within a minute', async () => {
    const { database } = server.app.platform
    const { body } = await server.root.post('/projects', { name: 'interrupted' })
    const row = await repositoryOfProject(database.read, body.id)
    if (!row) throw new Error('the project has no repository')
    const now = '2026-01-01T00:00:00.000Z'
    const id = await database.write((tx) =>
      insertIntent(tx, { repositoryId: row.id, userId: null, updates: [], process: 'ended', now }),
    )
    expect(await unsettledIntents(database, new Date('2026-01-01T00:00:59.000Z'))).toEqual([])
    expect(await unsettledIntents(database, new Date('2026-01-01T00:01:01.000Z'))).toEqual([
      `repository ${row.id}: the change of refs ${id}, begun at ${now}, was interrupted and is not settled`,
    ])
  })
})
