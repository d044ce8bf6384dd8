import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person, TestServer } from '../../../testing/index.ts'
import { type Lfs, objectOf, pointerTo, startLfsServer, type TestObject } from '../testing.ts'

let server: TestServer
let lfs: Lfs
let owner: Person
let forker: Person
let stranger: Person
beforeAll(async () => {
  ;({ server, lfs, owner, forker, stranger } = await startLfsServer(['owner', 'forker', 'stranger']))
})
afterAll(() => server.stop())

/** A private project with a large file, and a fork of it. */
async function forked(path: string) {
  const source = await lfs.project(owner, path, { 20: forker })
  const object = objectOf()
  await lfs.put(owner, `owner/${path}`, object)
  const file = { branch: 'main', commit_message: 'Add', content: pointerTo(object) }
  await owner.post(`/projects/${source.id}/repository/files/large.bin`, file)
  const { status, body } = await forker.post(`/projects/${source.id}/fork`)
  expect(status).toBe(201)
  await server.app.platform.jobs.drain()
  await server.make.member({ project: body }, stranger, 30)
  return { source, object, fork: body as { id: number } }
}

const offered = async (person: Person, path: string, object: TestObject, operation = 'download') => {
  const { body } = await lfs.batch(person, path, operation, [object])
  return Object.keys(body.objects[0].actions ?? body.objects[0].error ?? {})
}

test('a fork has the objects of its source, also after the source is deleted', async () => {
  const { source, object, fork } = await forked('whole')
  expect((await lfs.get(stranger, 'forker/whole', object)).bytes.equals(object.content)).toBe(true)
  expect((await forker.get(`/projects/${fork.id}?statistics=true`)).body.statistics.lfs_objects_size).toBe(object.size)
  await owner.delete(`/projects/${source.id}`)
  await owner.delete(`/projects/${source.id}?permanently_remove=true&full_path=owner/whole`)
  await server.app.platform.jobs.drain()
  expect((await lfs.get(stranger, 'forker/whole', object)).status).toBe(200)
})

test('later objects of the source are available to its readers', async () => {
  const { source } = await forked('later')
  const object = objectOf()
  await lfs.put(owner, 'owner/later', object)
  expect(await offered(forker, 'forker/later', object)).toEqual(['download'])
  expect((await lfs.get(forker, 'forker/later', object)).bytes.equals(object.content)).toBe(true)
  expect((await lfs.get(stranger, 'forker/later', object)).status).toBe(404)
  expect(await offered(stranger, 'forker/later', object, 'upload')).toEqual(['upload'])
  // Readers of the source need not upload it again; the fork then has the object itself.
  expect(await offered(forker, 'forker/later', object, 'upload')).toEqual([])
  expect((await lfs.get(stranger, 'forker/later', object)).status).toBe(200)
  await owner.delete(`/projects/${source.id}/members/${forker.id}`)
  const next = objectOf()
  await lfs.put(owner, 'owner/later', next)
  expect((await lfs.get(forker, 'forker/later', next)).status).toBe(404)
  expect(await offered(forker, 'forker/later', next, 'upload')).toEqual(['upload'])
})

test('objects of a fork are not available in the source or in another fork', async () => {
  await forked('apart')
  const object = objectOf()
  await lfs.put(forker, 'forker/apart', object)
  expect((await lfs.get(owner, 'owner/apart', object)).status).toBe(404)
  expect(await offered(owner, 'owner/apart', object, 'upload')).toEqual(['upload'])
})
