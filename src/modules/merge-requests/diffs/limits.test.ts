import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { makePlace, openRequest, type Place } from '../testing.ts'

const defaults = { diff_max_files: 1000, diff_max_lines: 50_000, diff_max_patch_bytes: 204_800 }
/** Three new files; the patch of each has a line with the numbers and three others. */
const files = { 'b1.txt': '1\n2\n3\n', 'b2.txt': `1\n2\n${'x'.repeat(100)}\n`, 'b3.txt': '1\n2\n3\n' }
let server: TestServer
let place: Place
let at: string

const set = async (value: object) => expect((await server.root.put('/application/settings', value)).status).toBe(200)

beforeAll(async () => {
  server = await startTestServer()
  place = await makePlace(server)
  at = `${place.at}/${(await openRequest(place, 'limits', files)).iid}`
})
afterAll(async () => {
  await set(defaults)
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

type Shown = { new_path: string; diff: string; too_large?: boolean }
const shown = (diffs: readonly Shown[]) => diffs.map(({ new_path, diff }) => [new_path, diff !== ''])
const read = async (path: string) => (await place.reporter.get(path)).body
const compared = () => read(`${place.base}/repository/compare?from=main&to=limits`)

test('all patches are shown within the limits', async () => {
  const whole = [
    ['b1.txt', true],
    ['b2.txt', true],
    ['b3.txt', true],
  ]
  const { changes, overflow, changes_count } = await read(`${at}/changes`)
  expect([shown(changes), overflow, changes_count]).toEqual([whole, false, '3'])
  const { diffs, compare_timeout } = await compared()
  expect([shown(diffs), compare_timeout]).toEqual([whole, false])
})

test('a patch that is longer than the setting says is left out', async () => {
  const cut = [
    ['b1.txt', true],
    ['b2.txt', false],
    ['b3.txt', true],
  ]
  await set({ diff_max_patch_bytes: 50 })
  const { changes, overflow } = await read(`${at}/changes`)
  expect([shown(changes), overflow]).toEqual([cut, false])
  expect(shown(await read(`${at}/diffs`))).toEqual(cut)
  const { diffs, compare_timeout } = await compared()
  expect([shown(diffs), compare_timeout]).toEqual([cut, false])
  expect(diffs.map(({ too_large }: Shown) => too_large)).toEqual([false, true, false])
  const commit = await read(`${place.base}/repository/commits/limits/diff`)
  expect(shown(commit)).toEqual(cut)
  await set(defaults)
  expect(shown(await read(`${at}/diffs`)).map(([, isShown]) => isShown)).toEqual([true, true, true])
})

test('patches after so many lines are left out, and a page is read for itself', async () => {
  const cut = [
    ['b1.txt', true],
    ['b2.txt', true],
    ['b3.txt', false],
  ]
  await set({ diff_max_lines: 8 })
  const { changes, overflow } = await read(`${at}/changes`)
  expect([shown(changes), overflow]).toEqual([cut, true])
  const { diffs, compare_timeout } = await compared()
  expect([shown(diffs), compare_timeout]).toEqual([cut, true])
  expect(shown(await read(`${at}/diffs?per_page=1&page=3`))).toEqual([['b3.txt', true]])
  await set({ diff_max_lines: 12 })
  expect((await read(`${at}/changes`)).overflow).toBe(false)
  await set(defaults)
})

test('further files are left out, and their number says so', async () => {
  await set({ diff_max_files: 2 })
  const { changes, overflow, changes_count } = await read(`${at}/changes`)
  expect([changes.length, overflow, changes_count]).toEqual([2, true, '2+'])
  const [version] = await read(`${at}/versions`)
  expect(version).toMatchObject({ state: 'overflow', real_size: '2+' })
  expect((await read(`${at}/versions/${version.id}`)).diffs).toHaveLength(2)
  const { diffs, compare_timeout } = await compared()
  expect([diffs.length, compare_timeout]).toEqual([2, true])
  expect(await read(`${at}/diffs`)).toHaveLength(3)
  await set({ diff_max_files: 3 })
  expect((await read(`${at}/versions`))[0]).toMatchObject({ state: 'collected', real_size: '3' })
  await set(defaults)
})

test('the limits are whole numbers from one on, set by administrators', async () => {
  for (const name of Object.keys(defaults)) {
    for (const value of [0, -1, 2 ** 31, 'x', null]) {
      const answer = await server.root.put('/application/settings', { [name]: value })
      expect([name, value, answer.status]).toEqual([name, value, 400])
    }
  }
  expect((await place.owner.put('/application/settings', { diff_max_files: 1 })).status).toBe(403)
})
