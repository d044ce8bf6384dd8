import { expect, test } from 'vitest'
import { generationsOf } from '../reading/store.ts'
import { newProject, people, publish, servePackagesForTests, server } from '../testing.ts'

servePackagesForTests()

const tool = { type: 'generic', nameKey: 'tool' } as const

test('every change of what a name shows gives it a new generation', async () => {
  const { place, project } = await newProject()
  const { read } = server.app.platform.database
  const seen = [await generationsOf(read, [project.id], tool)]
  const look = async () => void seen.push(await generationsOf(read, [project.id], tool))
  await publish(people.developer, place, 'tool/1.0/f')
  await look()
  await publish(people.developer, place, 'tool/1.1/f?status=hidden')
  await look()
  const [found] = (await people.reporter.get(`${place}/packages`)).body
  const path = `${place}/packages/${found.id}`
  const [file] = (await people.reporter.get(`${path}/package_files`)).body
  await people.maintainer.delete(`${path}/package_files/${file.id}`)
  await look()
  await people.maintainer.delete(path)
  await look()
  expect(seen.map((found) => found.length)).toEqual([0, 1, 1, 1, 1])
  expect(new Set(seen.map(String)).size).toBe(5)
  await publish(people.developer, place, 'other/1.0/f')
  await look()
  expect(seen.at(-1)).toEqual(seen.at(-2))
})
