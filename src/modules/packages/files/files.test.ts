import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { basic, newProject, people, publish, send, servePackagesForTests, server, storedKeys } from '../testing.ts'
import { packageFileProblems } from './check.ts'
import { collectOrphans, sweepPackageFilesJob } from './cleanup.ts'

const clock = manualClock({ start: '2026-03-04T05:06:07.000Z' })
servePackagesForTests({ clock })

const dayMs = 86_400_000
const { signal } = new AbortController()

async function withFiles(...names: string[]) {
  const { place, project } = await newProject()
  let id = 0
  for (const [index, name] of names.entries()) {
    const path = `tool/1.0/${name}?select=package_file`
    id = (await publish(people.developer, place, path, `${project.id} ${index}`)).body.package_id
  }
  const path = `${place}/packages/${id}/package_files`
  return { place, project, path, files: (await people.reporter.get(path)).body }
}

describe('files', () => {
  test('are listed in the order that is asked for', async () => {
    const { path } = await withFiles('b', 'a', 'c')
    const list = async (query: string) =>
      (await people.reporter.get(`${path}?${query}`)).body.map(({ file_name: name }: { file_name: string }) => name)
    expect(await list('')).toEqual(['b', 'a', 'c'])
    expect(await list('sort=desc')).toEqual(['c', 'a', 'b'])
    expect(await list('order_by=file_name')).toEqual(['a', 'b', 'c'])
    expect(await list('order_by=created_at&sort=desc')).toEqual(['c', 'a', 'b'])
    expect(await people.reporter.get(`${path}?order_by=size`)).toMatchObject({ status: 400 })
  })

  test('are downloaded by id, of their own package only', async () => {
    const { place, path, files } = await withFiles('f')
    const [file] = files
    const got = await people.reporter.get(`${path}/${file.id}/download`)
    expect([got.status, got.headers.get('x-checksum-sha256')]).toEqual([200, file.file_sha256])
    const { body } = await publish(people.developer, place, 'other/1.0/f?select=package_file')
    const elsewhere = `${place}/packages/${body.package_id}/package_files/${file.id}`
    expect((await people.reporter.get(`${elsewhere}/download`)).status).toBe(404)
    expect((await people.maintainer.delete(elsewhere)).status).toBe(404)
    expect((await people.guest.get(`${path}/${file.id}/download`)).status).toBe(403)
  })

  test('are deleted one by one; an older one of the name is served then', async () => {
    const { place, project, path, files } = await withFiles('f', 'f')
    const [older, newer] = files
    const get = () => send(`${place}/packages/generic/tool/1.0/f`, { headers: basic(people.reporter.token) })
    expect((await get()).body).toBe(`${project.id} 1`)
    expect((await people.developer.delete(`${path}/${newer.id}`)).status).toBe(403)
    expect((await people.maintainer.delete(`${path}/${newer.id}`)).status).toBe(204)
    expect((await get()).body).toBe(`${project.id} 0`)
    expect((await people.maintainer.delete(`${path}/${newer.id}`)).status).toBe(404)
    expect((await people.maintainer.delete(`${path}/${older.id}`)).status).toBe(204)
    expect((await people.reporter.get(path)).body).toEqual([])
    expect((await get()).status).toBe(404)
    expect((await people.reporter.get(`${place}/packages`)).body).toHaveLength(1)
    expect((await people.maintainer.get(`${place}?statistics=true`)).body.statistics.packages_size).toBe(0)
  })
})

describe('bytes', () => {
  const collect = () => collectOrphans(server.app.platform, signal)
  const problems = async () => Array.fromAsync(packageFileProblems(server.app.platform))

  test('that no file has are removed after the grace period, and those that one has stay', async () => {
    const before = new Set(await storedKeys())
    const added = async () => (await storedKeys()).filter((key) => !before.has(key))
    const [first, second] = [await newProject(), await newProject()]
    const own = await publish(people.developer, first.place, 'own/1.0/f?select=package_file', 'own bytes')
    const shared = await publish(people.developer, first.place, 'shared/1.0/f?select=package_file', 'shared bytes')
    await publish(people.developer, second.place, 'shared/1.0/f', 'shared bytes')
    for (const { body } of [own, shared]) await people.maintainer.delete(`${first.place}/packages/${body.package_id}`)
    await server.app.platform.jobs.drain()
    await collect()
    expect(await added()).toHaveLength(2)
    clock.advance(dayMs)
    await collect()
    expect(await added()).toHaveLength(1)
    const got = await send(`${second.place}/packages/generic/shared/1.0/f`, { headers: basic(people.reporter.token) })
    expect(got.body).toBe('shared bytes')
    expect(await problems()).toEqual([])
  })

  test('that are published again during the grace period stay', async () => {
    const { place } = await newProject()
    const { body } = await publish(people.developer, place, 'again/1.0/f?select=package_file', 'again bytes')
    await people.maintainer.delete(`${place}/packages/${body.package_id}/package_files/${body.id}`)
    await publish(people.developer, place, 'again/1.0/f', 'again bytes')
    clock.advance(dayMs)
    await collect()
    const got = await send(`${place}/packages/generic/again/1.0/f`, { headers: basic(people.reporter.token) })
    expect(got.body).toBe('again bytes')
  })

  test('of a removed project are found by the sweep', async () => {
    const before = new Set(await storedKeys())
    const { place, project } = await newProject()
    await publish(people.developer, place, 'tool/1.0/f', `of a project ${place}`)
    await server.root.delete(place)
    const gone = `permanently_remove=true&full_path=${encodeURIComponent(project.full_path)}`
    expect((await server.root.delete(`${place}?${gone}`)).status).toBe(202)
    await server.app.platform.jobs.drain()
    const sweep = () => sweepPackageFilesJob.run(server.app.platform, null, { signal } as never)
    await sweep()
    clock.advance(dayMs)
    await collect()
    expect((await storedKeys()).filter((key) => !before.has(key))).toEqual([])
  })

  test('that are missing are found, and stored again with the next upload', async () => {
    const { place } = await newProject()
    const { objects } = server.app.platform
    const before = new Set(await storedKeys())
    await publish(people.developer, place, 'lost/1.0/f', 'lost bytes')
    const [key] = (await storedKeys()).filter((one) => !before.has(one))
    await objects.delete(key as never)
    expect(await problems()).toEqual([expect.stringMatching(/^package file [0-9a-f]{64} is missing$/)])
    await publish(people.developer, place, 'lost/1.0/g', 'lost bytes')
    expect(await problems()).toEqual([])
    const got = await send(`${place}/packages/generic/lost/1.0/f`, { headers: basic(people.reporter.token) })
    expect(got.body).toBe('lost bytes')
  })

  test('of an upload that breaks off leave nothing', async () => {
    const { place } = await newProject()
    const before = (await storedKeys()).length
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('begun'))
      },
      pull(controller) {
        controller.error(new Error('broken'))
      },
    })
    await expect(publish(people.developer, place, 'tool/1.0/f', body)).rejects.toThrow()
    await expect.poll(async () => (await storedKeys()).length).toBe(before)
    expect((await people.reporter.get(`${place}/packages`)).body).toEqual([])
  })
})
