import { expect, test } from 'vitest'
import { newProject, people, publish, servePackagesForTests, server } from '../testing.ts'
import { generationOf, versionsOf } from './store.ts'
import { installableStatuses } from './words.ts'

servePackagesForTests()

const tool = { type: 'generic', nameKey: 'tool' } as const

test('the generation of a name grows with every change of what it shows', async () => {
  const { place, project } = await newProject()
  const { read } = server.app.platform.database
  const seen = [await generationOf(read, project.id, tool)]
  const look = async () => void seen.push(await generationOf(read, project.id, tool))
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
  expect(seen).toEqual([0, 1, 2, 3, 4])
  await publish(people.developer, place, 'other/1.0/f')
  await look()
  expect(seen.at(-1)).toBe(4)
})

test('versions that can be installed are those that are not being deleted', async () => {
  const { place, project } = await newProject()
  const { read } = server.app.platform.database
  for (const path of ['tool/1.0/f', 'tool/1.1/f?status=hidden', 'tool/0.9/f'])
    await publish(people.developer, place, path)
  const [, last] = (await people.reporter.get(`${place}/packages`)).body
  await people.maintainer.delete(`${place}/packages/${last.id}`)
  const rows = await versionsOf(read, project.id, tool, installableStatuses)
  expect(rows.map(({ version }) => version)).toEqual(['1.0', '1.1'])
})
