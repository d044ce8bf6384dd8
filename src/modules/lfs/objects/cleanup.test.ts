import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import { storageKey } from '../../../infra/objects/index.ts'
import type { Person, TestServer } from '../../../testing/index.ts'
import { type Lfs, objectOf, startLfsServer, storedKeys } from '../testing.ts'
import { objectByOid } from './store.ts'

let clock: ManualClock
let server: TestServer
let lfs: Lfs
let owner: Person
beforeAll(async () => {
  // Files have the time of the machine.
  clock = manualClock({ start: new Date(performance.timeOrigin + performance.now()) })
  ;({ server, lfs, owner } = await startLfsServer(['owner'], { clock }))
})
afterAll(() => server.stop())

const dayMs = 86_400_000

async function tomorrow(): Promise<void> {
  clock.advance(dayMs)
  await server.app.platform.jobs.drain()
}

const rowOf = (object: { oid: string }) => objectByOid(server.app.platform.database.read, object.oid)

async function remove(id: number): Promise<void> {
  await owner.delete(`/projects/${id}`)
  await owner.delete(`/projects/${id}?permanently_remove=true&full_path=${encodeURIComponent(await pathOf(id))}`)
  await server.app.platform.jobs.drain()
}

const pathOf = async (id: number) => (await owner.get(`/projects/${id}`)).body.path_with_namespace ?? ''

test('objects without a project are removed after a day; those of another project remain', async () => {
  const first = await lfs.project(owner, 'first')
  await lfs.project(owner, 'second')
  const [lonely, common] = [objectOf(), objectOf()]
  await lfs.put(owner, 'owner/first', lonely)
  await lfs.put(owner, 'owner/first', common)
  await lfs.put(owner, 'owner/second', common)
  await remove(first.id)
  expect((await owner.get(`/projects/${first.id}`)).status).toBe(404)
  await tomorrow()
  expect(await rowOf(lonely)).not.toBeNull()
  expect(await storedKeys(server)).toHaveLength(2)
  await tomorrow()
  await tomorrow()
  expect(await rowOf(lonely)).toBeNull()
  expect(await storedKeys(server)).toEqual([(await rowOf(common))?.storage_key])
  expect((await lfs.get(owner, 'owner/second', common)).bytes.equals(common.content)).toBe(true)
})

test('an object that a project has again within the grace period is retained', async () => {
  const made = await lfs.project(owner, 'passing')
  await lfs.project(owner, 'staying')
  const object = objectOf()
  await lfs.put(owner, 'owner/passing', object)
  await remove(made.id)
  await tomorrow()
  expect((await rowOf(object))?.orphaned_at).not.toBeNull()
  expect((await lfs.put(owner, 'owner/staying', object)).status).toBe(200)
  expect((await rowOf(object))?.orphaned_at).toBeNull()
  await tomorrow()
  await tomorrow()
  expect((await lfs.get(owner, 'owner/staying', object)).bytes.equals(object.content)).toBe(true)
})

test('bytes without a row are removed, and nothing outside the prefix of LFS', async () => {
  const { objects } = server.app.platform
  const [left, other] = [storageKey('lfs', 'ab', 'cd', 'left'), storageKey('other', 'thing')]
  const before = await storedKeys(server)
  await objects.put(left, [Buffer.from('x')] as never)
  await objects.put(other, [Buffer.from('x')] as never)
  await tomorrow()
  await tomorrow()
  expect(await storedKeys(server)).toEqual(before)
  expect(await objects.head(other)).not.toBeNull()
})
