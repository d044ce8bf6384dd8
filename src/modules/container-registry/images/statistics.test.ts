import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ProjectWithMembers,
  projectWithMembers,
  queriesOf,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { type RegistryRows, registryRows } from './testing.ts'

let server: TestServer
let people: ProjectWithMembers
let rows: RegistryRows

beforeAll(async () => {
  server = await startTestServer()
  people = await projectWithMembers(server)
  rows = registryRows(server)
})
afterAll(() => server.stop())

test('the statistics of a project count each tagged layer of its images once', async () => {
  const { project, reporter, guest } = people
  const sizeOf = async () => (await reporter.get(`/projects/${project.id}?statistics=true`)).body.statistics
  expect((await sizeOf()).container_registry_size).toBe(0)
  const [web, root] = [await rows.repository(project, 'web'), await rows.repository(project)]
  const child = await rows.image(web, 'a', { layers: { common: 100, a: 1 } })
  await rows.image(web, 'index', { children: [child], tags: ['v1', 'v2'] })
  await rows.image(root, 'b', { layers: { common: 100, b: 20 }, tags: ['v1'] })
  await rows.image(root, 'untagged', { layers: { lost: 1000 } })
  expect(await sizeOf()).toMatchObject({ container_registry_size: 121, storage_size: 0 })
  expect((await guest.get(`/projects/${project.id}?statistics=true`)).body).not.toHaveProperty('statistics')
})

test('the statistics of many projects take a constant number of queries', async () => {
  const owner = await server.user('many')
  const make = async (path: string) => {
    const repository = await rows.repository(await server.make.project(path, owner))
    await rows.image(repository, path, { layers: { common: 100 }, tags: ['v1'] })
  }
  const ask = () => owner.get('/projects?owned=true&statistics=true&per_page=100')
  await make('first')
  await make('second')
  const few = await queriesOf(server, ask)
  for (let index = 0; index < 8; index += 1) await make(`more-${index}`)
  const { body } = await ask()
  expect(body.map((one: { statistics: object }) => one.statistics)).toEqual(
    Array.from({ length: 10 }, () => expect.objectContaining({ container_registry_size: 100 })),
  )
  expect(await queriesOf(server, ask)).toBe(few)
})
