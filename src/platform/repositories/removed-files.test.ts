import { mkdir, stat } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { type DiskPath, newDiskPath, type Repository } from '../../infra/git/index.ts'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { storedJobs } from '../../testing/jobs.ts'
import { openRow } from './on-disk.ts'
import { insertRepository, removedRepositories } from './store/repositories.ts'

let server: TestServer
beforeAll(async () => {
  // In the future, so that files that are created now are old.
  server = await startTestServer({ clock: manualClock({ start: '2100-01-01' }) })
})
afterAll(() => server.stop())

function repository(path: DiskPath): Repository {
  return server.app.platform.git.repository({ storage: 'default', diskPath: path })
}

async function make(): Promise<DiskPath> {
  const { clock } = server.app.platform
  expect(clock.now().getFullYear()).toBe(2100)
  const path = newDiskPath()
  await repository(path).init({ defaultBranch: 'refs/heads/main' as never })
  return path
}

async function note(places: readonly string[]) {
  const rows = places.map((disk_path) => ({ storage: 'default', disk_path, removed_at: '2100-01-01T00:00:00.000Z' }))
  await server.app.platform.database.write((tx) => tx.insertInto('removed_repositories').values(rows).execute())
}

async function run(kind: string) {
  const { database, jobs } = server.app.platform
  await database.write((tx) => jobs.enqueue(tx, kind, null))
  await jobs.drain()
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

describe('files of removed repositories', () => {
  test('are deleted in portions with their rows, also when they were deleted before', async () => {
    const places = await Promise.all(Array.from({ length: 3 }, make))
    const gone = Array.from({ length: 250 }, newDiskPath)
    await note([...gone, ...places])
    await run('repositories.remove_files')
    expect(await removedRepositories(server.app.platform.database.read, 1)).toEqual([])
    for (const path of places) expect(await repository(path).exists()).toBe(false)
    await run('repositories.remove_files')
    expect(await storedJobs(server.app.platform.database)).toEqual([])
  })

  test('outside the storages are not deleted', async () => {
    const { database } = server.app.platform
    await note(['../../etc', '/etc', '@hashed/aa/bb/../../x.git'])
    await run('repositories.remove_files')
    expect(await removedRepositories(database.read, 10)).toHaveLength(3)
    expect((await storedJobs(database))[0]?.last_error).toContain('has no legal path')
    await database.write(async (tx) => {
      await tx.deleteFrom('removed_repositories').execute()
      await tx.deleteFrom('jobs').execute()
    })
  })

  test('are not made again by a request that had found the repository before', async () => {
    const { platform } = server.app
    const { body: project } = await server.root.post('/projects', { name: 'brief' })
    const wiki = { owner: { projectId: project.id }, kind: 'wiki', storage: 'default', objectFormat: 'sha1' } as const
    const found = await platform.database.write((tx) => insertRepository(tx, { ...wiki, now: project.created_at }))
    await platform.database.write((tx) => tx.deleteFrom('repositories').where('id', '=', found.id).execute())
    expect(await (await openRow(platform, found)).exists()).toBe(false)
  })

  test('of killed processes are deleted, and no others', async () => {
    const { directory } = repository(await make())
    const left = `${directory}.removed-01234567-89ab-cdef-0123-456789abcdef`
    await mkdir(left)
    await run('repositories.sweep')
    expect([await exists(left), await exists(directory)]).toEqual([false, true])
  })
})
