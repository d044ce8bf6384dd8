import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { makePlace, openRequest } from '../merge-requests/testing.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
  await server.root.put('/application/settings', { search_rate_limit: 0 })
})
afterAll(async () => {
  await server?.root.put('/application/settings', { search_rate_limit: 30 })
  await server?.stop()
})

test('a note that is found says of its thread what the list of notes says (contract 16, Note)', async () => {
  const place = await makePlace(server)
  const { developer, base } = place
  await developer.post(`${base}/issues`, { title: 'Discussed' })
  await openRequest(place, 'topic')
  const resolvable: Record<string, unknown[]> = {}
  for (const at of [`${base}/issues/1`, `${base}/merge_requests/1`]) {
    const thread = await developer.post(`${at}/discussions`, { body: `A needle below ${at}` })
    const comment = await developer.post(`${at}/notes`, { body: `A needle in ${at}` })
    expect([thread.status, comment.status]).toEqual([201, 201])
    const { body: listed } = await developer.get(`${at}/notes?activity_filter=only_comments`)
    const { body: found } = await developer.get(`${base}/search?scope=notes&search=${encodeURIComponent(at)}`)
    expect(found).toEqual(listed)
    resolvable[at] = found.map((note: { resolvable: boolean }) => note.resolvable)
  }
  expect(Object.values(resolvable)).toEqual([
    [false, false],
    [false, true],
  ])
})
