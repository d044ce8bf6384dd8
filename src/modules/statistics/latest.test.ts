import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { makeDeployment } from '../pages/testing.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock: manualClock({ start: '2026-03-31T12:00:00.000Z' }) })
})
afterAll(() => server.stop())

test('x.sign_in_statistics counts the latest sign-in of each user, by day', async () => {
  const { database } = server.app.platform
  const times = { one: '2026-03-02T00:00:00.000Z', two: '2026-03-31T10:00:00.000Z', three: '2026-03-31T23:00:00.000Z' }
  await server.user('never_signed_in')
  for (const [username, at] of Object.entries({ ...times, long_ago: '2026-03-01T23:59:59.999Z' })) {
    const { id } = await server.user(username)
    await database.write((tx) => tx.updateTable('users').set({ current_sign_in_at: at }).where('id', '=', id).execute())
  }
  const { status, body } = await server.root.get('/application/statistics/sign_ins')
  expect([status, body.length]).toEqual([200, 30])
  expect([body[0], body[1], body[29]]).toEqual([
    { day: '2026-03-02', users: 1 },
    { day: '2026-03-03', users: 0 },
    { day: '2026-03-31', users: 2 },
  ])
})

test('x.storage_statistics adds up what projects store', async () => {
  const none = { repositories: 0, wikis: 0, lfs_objects: 0, snippets: 0, uploads: 0, pages: 0 }
  expect((await server.root.get('/application/statistics/storage')).body).toEqual(none)
  await server.app.platform.database.write(async (tx) => {
    for (const project_id of [901, 902]) {
      const sizes = { repository_bytes: 3_000_000_000, wiki_bytes: 1, lfs_bytes: 2, snippet_bytes: 3, upload_bytes: 4 }
      await tx
        .insertInto('project_sizes')
        .values({ project_id, ...sizes })
        .execute()
    }
  })
  const project = await server.make.project('published', await server.user('publisher'))
  await makeDeployment(server, project.id)
  const sums = { repositories: 6_000_000_000, wikis: 2, lfs_objects: 4, snippets: 6, uploads: 8, pages: 2 }
  expect((await server.root.get('/application/statistics/storage')).body).toEqual(sums)
})
