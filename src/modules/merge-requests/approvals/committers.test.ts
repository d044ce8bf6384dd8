/** Who counts as having written a commit, by the addresses in it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { mergeRequestByIid } from '../core/store.ts'
import { makePlace, openRequest, type Place } from '../testing.ts'
import { hasCommitted } from './committers.ts'

let server: TestServer
let place: Place
beforeAll(async () => {
  server = await startTestServer()
  place = await makePlace(server)
  await server.root.put('/application/settings', { commit_email_hostname: 'private.example.com' })
})
afterAll(async () => {
  await server.root.put('/application/settings', { commit_email_hostname: null })
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

let count = 0

/** Whether a user has committed to a request with a commit of the developer that names this author. */
async function isOf(userId: number, author_email: string): Promise<boolean> {
  count += 1
  const branch = `written-${count}`
  const { iid } = await openRequest(place, branch)
  const actions = [{ action: 'create', file_path: branch, content: 'x' }]
  const commit = { branch, commit_message: 'x', author_email, author_name: 'A', actions }
  const { status, body } = await place.developer.post(`${place.base}/repository/commits`, commit)
  expect([status, status === 201 ? null : body]).toEqual([201, null])
  await server.app.platform.jobs.drain()
  const { platform } = server.app
  const row = await mergeRequestByIid(platform.database.read, place.project.id, iid)
  if (!row) throw new Error('there is no merge request')
  return hasCommitted(platform, row, userId)
}

test('authors and committers, in any case, also by private addresses of former names', async () => {
  const { guest, reporter, developer } = place
  const own = `${reporter.username}@example.com`
  expect(await isOf(reporter.id, own)).toBe(true)
  expect(await isOf(reporter.id, own.toUpperCase())).toBe(true)
  expect(await isOf(developer.id, own)).toBe(true)
  expect(await isOf(guest.id, own)).toBe(false)
  expect(await isOf(reporter.id, `${reporter.id}-former@private.example.com`)).toBe(true)
  expect(await isOf(reporter.id, `${reporter.id}-former@elsewhere.example.com`)).toBe(false)
  expect(await isOf(reporter.id, `${guest.id}-former@private.example.com`)).toBe(false)
  expect(await isOf(4_000_000, own)).toBe(false)
})
