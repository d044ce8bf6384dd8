import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { requestFolder } from '../../../config.ts'
import { manualClock } from '../../../infra/clock/index.ts'
import { storageKey } from '../../../infra/objects/index.ts'
import { uploadProblems } from '../core/check.ts'
import { newOwner, people, secretOf, server, serveUploadsForTests, storedKeys, upload } from '../testing.ts'

const dayMs = 86_400_000
const clock = manualClock({ start: new Date().toISOString() })
serveUploadsForTests({ clock })

const drain = () => server.app.platform.jobs.drain()

async function problems(): Promise<string[]> {
  return Array.fromAsync(uploadProblems(server.app.platform))
}

async function removeNow() {
  await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
}

describe('the uploads', () => {
  test('of a project are removed with it', async () => {
    await removeNow()
    const [gone, other] = [await newOwner('project'), await newOwner('project')]
    await upload(people.guest, gone.place, 'a')
    const kept = await upload(people.guest, other.place, 'b')
    expect((await people.owner.delete(gone.place)).status).toBe(202)
    await drain()
    expect(await storedKeys()).toEqual([expect.stringContaining(secretOf(kept))])
    expect((await people.guest.get(`${other.place}${kept.body.url}`)).status).toBe(200)
    await people.owner.delete(other.place)
    await drain()
    expect(await storedKeys()).toEqual([])
  })

  test('of a group are removed with it, and those of everything below', async () => {
    await removeNow()
    const { id, place } = await newOwner('group')
    const parent = await server.app.platform.database.read
      .selectFrom('namespaces')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const below = await server.make.group('below', people.owner, { parent })
    const project = await server.make.project('within', people.owner, { namespace: below })
    for (const at of [place, `/groups/${below.id}`, `/projects/${project.id}`]) {
      expect((await upload(people.owner, at, 'a')).status).toBe(201)
    }
    expect(await storedKeys()).toHaveLength(3)
    expect((await people.owner.delete(place)).status).toBe(202)
    await drain()
    expect(await storedKeys()).toEqual([])
    expect((await server.app.platform.database.read.selectFrom('uploads').selectAll().execute()).length).toBe(0)
  })

  test('of a deleted user stay, without their name', async () => {
    const { place } = await newOwner('project')
    const person = await server.user('leaving')
    await server.make.member({ project: { id: Number(place.split('/')[2]) } as never }, person, 30)
    const { body } = await upload(person, place, 'a')
    const uploader = async () => (await people.maintainer.get(`${place}/uploads`)).body[0].uploaded_by
    expect(await uploader()).toMatchObject({ username: 'leaving' })
    expect((await server.root.delete(`/users/${person.id}`)).status).toBe(204)
    expect(await uploader()).toBeNull()
    await drain()
    expect(await uploader()).toBeNull()
    expect((await people.guest.get(`${place}${body.url}`)).status).toBe(200)
  })
})

describe('files without a record', () => {
  const sweep = async () => {
    const { database, jobs } = server.app.platform
    await database.write((tx) => jobs.enqueue(tx, 'uploads.sweep', null))
    await drain()
  }

  test('are swept when they are a day old', async () => {
    const { objects } = server.app.platform
    const [project, group] = [await newOwner('project'), await newOwner('group')]
    const kept = [await upload(people.guest, project.place, 'a'), await upload(people.guest, group.place, 'b')]
    const known = await storedKeys()
    const hex = '0123456789abcdef'.repeat(2)
    const lost = [
      storageKey('uploads', 'project', project.id, hex),
      // The secret of another owner.
      storageKey('uploads', 'group', group.id, secretOf(kept[0] as never)),
      storageKey('uploads', 'odd'),
    ]
    for (const key of lost) await objects.put(key, Readable.from(['x']))
    await sweep()
    expect((await storedKeys()).sort()).toEqual([...known, ...lost].sort())
    // The objects have the time of the file system or of the service.
    clock.advance(2 * dayMs)
    await sweep()
    expect((await storedKeys()).sort()).toEqual([...known].sort())
    expect(await problems()).toEqual([])
  })

  test('of a killed process are swept as well', async () => {
    const folder = requestFolder(server.app.platform.config)
    const old = new Date(clock.now().getTime() - 2 * dayMs)
    const recent = new Date(clock.now().getTime() - dayMs / 2)
    for (const [name, time] of [
      ['upload-old', old],
      ['upload-recent', recent],
      ['other', old],
    ] as const) {
      await mkdir(join(folder, name), { recursive: true })
      await writeFile(join(folder, name, '0'), 'bytes of a body')
      await utimes(join(folder, name), time, time)
    }
    await sweep()
    expect((await readdir(folder)).sort()).toEqual(['other', 'upload-recent'])
    // The server is used by other files of tests.
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
  })
})

test('the check finds uploads whose file is missing or has another size', async () => {
  const { place } = await newOwner('project')
  const [lost, changed] = [await upload(people.guest, place, 'a'), await upload(people.guest, place, 'b', 'four')]
  const { objects } = server.app.platform
  for (const key of await storedKeys()) {
    if (key.endsWith(secretOf(lost))) await objects.delete(key as never)
    if (key.endsWith(secretOf(changed))) await objects.put(key as never, Readable.from(['three']))
  }
  expect(await problems()).toEqual([
    `upload ${lost.body.id}: its file is missing`,
    `upload ${changed.body.id}: its file has 5 bytes instead of 4`,
  ])
})

test('sizes are in the statistics of projects and groups', async () => {
  const { id, place } = await newOwner('group')
  const namespace = await server.app.platform.database.read
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const project = await server.make.project('sized', people.owner, { namespace })
  await upload(people.owner, place, 'of-group', 'x'.repeat(100))
  await upload(people.owner, `/projects/${project.id}`, 'a', 'x'.repeat(20))
  await upload(people.owner, `/projects/${project.id}`, 'b', 'x'.repeat(3))
  const { statistics } = (await people.owner.get(`/projects/${project.id}?statistics=true`)).body
  expect(statistics).toMatchObject({ uploads_size: 23, storage_size: 23 })
  const { body } = await server.root.get(`/groups?statistics=true&search=${namespace.path}`)
  expect(body[0].statistics).toMatchObject({ uploads_size: 123, storage_size: 123 })
  expect(body[0].root_storage_statistics).toMatchObject({ uploads_size: 123 })
})
