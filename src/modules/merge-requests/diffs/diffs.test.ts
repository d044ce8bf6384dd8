import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { lines, makePlace, openRequest, type Place, pushBranch, textWith } from '../testing.ts'

let server: TestServer
let place: Place
beforeAll(async () => {
  server = await startTestServer()
  place = await makePlace(server)
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

test('each version has its changed files, with their lines counted', async () => {
  const { iid } = await openRequest(place, 'counted', { 'a.txt': textWith(4, 'changed'), 'new.txt': '1\n2\n' })
  const at = `${place.at}/${iid}`
  const file = { old_path: 'a.txt', new_path: 'a.txt', new_file: false, renamed_file: false, deleted_file: false }
  const first = { ...file, additions: 1, deletions: 1 }
  const added = { ...file, old_path: 'new.txt', new_path: 'new.txt', new_file: true, additions: 2, deletions: 0 }
  const { guest, reporter } = place
  expect((await reporter.get(`${at}/diff_files`)).body).toEqual({ files: [first, added], overflow: false })
  expect((await guest.get(`${at}/diff_files`)).status).toBe(403)
  await pushBranch(place, 'counted', { 'new.txt': '1\n2\n3\n' }, { from: 'counted' })
  const [newest, oldest] = (await reporter.get(`${at}/versions`)).body
  const countsOf = async (version: string) =>
    (await reporter.get(`${at}/diff_files${version}`)).body.files.map((one: typeof first) => one.additions)
  expect([await countsOf(''), await countsOf(`?version_id=${oldest.id}`)]).toEqual([
    [1, 3],
    [1, 2],
  ])
  const before = (await reporter.get(`${at}/diffs?version_id=${oldest.id}`)).body
  expect(before[1].diff).toBe('@@ -0,0 +1,2 @@\n+1\n+2\n')
  const newer = (await reporter.get(`${at}/diffs?version_id=${newest.id}`)).body
  expect(newer).toEqual((await reporter.get(`${at}/diffs`)).body)
  for (const list of ['diffs', 'diff_files']) {
    expect((await reporter.get(`${at}/${list}?version_id=999999`)).status).toBe(404)
  }
})

test('files that conflict are named while the merge request is open', async () => {
  const { iid } = await openRequest(place, 'conflicts', { 'a.txt': textWith(2, 'ours'), 'b.txt': 'ours\n' })
  const at = `${place.at}/${iid}/conflicts`
  const files = async () => (await place.reporter.get(at)).body.files
  expect(await files()).toEqual([])
  await pushBranch(place, 'main', { 'a.txt': `${lines.with(2, 'theirs').join('\n')}\n`, 'b.txt': 'theirs\n' })
  expect(await files()).toEqual([{ path: 'a.txt' }, { path: 'b.txt' }])
  expect((await place.guest.get(at)).status).toBe(403)
  await place.developer.put(`${place.at}/${iid}`, { state_event: 'close' })
  expect(await files()).toEqual([])
})

test('labels have their details when they are asked for', async () => {
  const { iid } = await openRequest(place, 'labelled')
  const at = `${place.at}/${iid}`
  await place.developer.put(at, { labels: 'one' })
  expect((await place.reporter.get(at)).body.labels).toEqual(['one'])
  const { labels } = (await place.reporter.get(`${at}?with_labels_details=true`)).body
  expect(labels).toMatchObject([{ name: 'one', color: expect.stringMatching(/^#/) }])
})
