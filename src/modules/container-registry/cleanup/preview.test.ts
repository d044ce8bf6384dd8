import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import {
  type ProjectWithMembers,
  projectWithMembers,
  queriesOf,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { type RegistryRows, registryRows } from '../images/testing.ts'

let server: TestServer
let people: ProjectWithMembers
let rows: RegistryRows
let base: string

beforeAll(async () => {
  server = await startTestServer({ clock: manualClock({ start: '2026-05-01T00:00:00.000Z' }) })
  people = await projectWithMembers(server)
  rows = registryRows(server)
  base = `/projects/${people.project.id}/registry/repositories`
})
afterAll(() => server.stop())

/** A repository whose tags are of images that are so many days old. */
async function repository(name: string, agesInDays: Readonly<Record<string, number>>): Promise<number> {
  const id = await rows.repository(people.project, name)
  await rows.agedImages(id, name, agesInDays)
  return id
}

const preview = (id: number, query: string, client = people.maintainer) =>
  client.get(`${base}/${id}/deletable_tags?${query}`)
const namesOf = (body: { name: string }[]) => body.map(({ name }) => name)
const ages = { v1: 5, v2: 4, v3: 3, latest: 2, rc1: 1 }

test.each([
  'name_regex_delete=.*',
  'name_regex_delete=v.*&name_regex_keep=v2&keep_n=1&older_than=1d',
  'name_regex_delete=.*&keep_n=2',
  'name_regex_delete=.*&older_than=4d',
  'name_regex_delete=none',
  'name_regex=rc%5Cd',
])('a preview by %s has the tags that the deletion deletes, and deletes none', async (query) => {
  const id = await repository(`of-${Buffer.from(query).toString('hex').slice(-40)}-x`, ages)
  const before = await rows.tagNames(id)
  const { status, body, headers } = await preview(id, query)
  expect([status, headers.get('x-total'), await rows.tagNames(id)]).toEqual([200, String(body.length), before])
  expect((await people.maintainer.delete(`${base}/${id}/tags?${query}`)).status).toBe(202)
  await server.app.platform.jobs.drain()
  const after = await rows.tagNames(id)
  expect(namesOf(body).sort()).toEqual(before.filter((name) => !after.includes(name)))
})

test('a preview is a list with details, oldest first, in pages of a constant number of queries', async () => {
  const id = await repository('paged', ages)
  const { body, headers } = await preview(id, 'name_regex_delete=.*&per_page=2&page=2')
  expect([namesOf(body), headers.get('x-total'), headers.get('x-next-page')]).toEqual([['v3', 'rc1'], '4', ''])
  const first = await preview(id, 'name_regex_delete=.*&per_page=1')
  expect(first.body).toEqual([
    expect.objectContaining({ name: 'v1', total_size: 7, created_at: '2026-04-26T00:00:00.000Z' }),
  ])
  const many = (perPage: number) => queriesOf(server, () => preview(id, `name_regex_delete=.*&per_page=${perPage}`))
  expect(await many(4)).toBe(await many(1))
})

test('a preview has the errors of the deletion, without its hour', async () => {
  const id = await repository('refused', { v1: 1 })
  expect((await preview(id, '')).body.error).toContain('name_regex, name_regex_delete are missing')
  expect((await preview(id, 'name_regex_delete=(')).body.error).toContain('name_regex_delete is an invalid regexp')
  expect((await preview(id, 'name_regex_delete=.*', people.developer)).status).toBe(403)
  expect((await preview(99999999, 'name_regex_delete=.*')).status).toBe(404)
  expect((await people.maintainer.delete(`${base}/${id}/tags?name_regex_delete=none`)).status).toBe(202)
  expect((await preview(id, 'name_regex_delete=.*')).status).toBe(200)
  expect((await preview(id, 'name_regex_delete=.*')).status).toBe(200)
})

test('a repository with very many tags has no preview', async () => {
  const id = await rows.repository(people.project, 'huge')
  const names = Array.from({ length: 50_001 }, (_, index) => `t${index}`)
  await rows.image(id, 'huge', { tags: names })
  expect(await preview(id, 'name_regex_delete=x')).toMatchObject({
    status: 422,
    body: { message: 'The repository has more than 50000 tags' },
  })
})
