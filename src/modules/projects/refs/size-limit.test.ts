import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectWithTwoCommits, startTestServer, type TestServer, type WorkTree } from '../../../testing/index.ts'
import { projectWithMembers } from '../../../testing/members.ts'
import { sizeProblem } from './size-limit.ts'

const mebibyte = 1024 * 1024
let server: TestServer
let people: Awaited<ReturnType<typeof projectWithMembers>>
let tree: WorkTree

const set = async (megabytes: unknown) =>
  expect((await server.root.put('/application/settings', { repository_size_limit: megabytes })).status).toBe(200)

beforeAll(async () => {
  server = await startTestServer()
  people = await projectWithMembers(server, { path: 'members' })
  tree = await projectWithTwoCommits(server, { people, path: 'sized' })
})
afterAll(async () => {
  await set(0)
  await tree[Symbol.asyncDispose]()
  await server.stop()
})

/** Text that git cannot compress to less than this many bytes. */
const random = (bytes: number) => randomBytes(bytes).toString('base64')

test('a repository takes what it has room for', () => {
  expect(sizeProblem({ limit: 10, stored: 7, incoming: 3 })).toBeNull()
  expect(sizeProblem({ limit: 10, stored: 10, incoming: 0 })).toBeNull()
  expect(sizeProblem({ limit: mebibyte, stored: mebibyte - 1, incoming: 2 })).toMatch(
    /^Your push to this repository would cause it to exceed the size limit of 1 MiB so it has been rejected\./,
  )
  expect(sizeProblem({ limit: mebibyte, stored: mebibyte + 5 * 1024, incoming: 0 })).toMatch(
    /^Your push has been rejected, because this repository has exceeded its size limit of 1 MiB by 5 KiB\./,
  )
})

test('a push beyond the limit is refused until there is room, and the API writes no more either', async () => {
  await set(1)
  await tree.commit('small', { 'a.txt': 'a\n' })
  expect(await tree.push(people.owner, 'main', 'main:refs/heads/other')).toMatchObject({ isAccepted: true })
  await tree.commit('large', { 'large.txt': random(mebibyte) })
  const refused = await tree.push(people.owner, 'main')
  expect([refused.isAccepted, refused.sentences]).toEqual([
    false,
    [expect.stringContaining('would cause it to exceed the size limit of 1 MiB')],
  ])
  expect((await server.root.get(tree.base)).body.default_branch).toBe('main')
  await set(0)
  expect(await tree.push(people.owner, 'main')).toMatchObject({ isAccepted: true })
  await expect
    .poll(async () => (await people.owner.get(`${tree.base}?statistics=true`)).body.statistics.repository_size)
    .toBeGreaterThan(mebibyte)

  await set(1)
  await tree.commit('more', { 'b.txt': 'b\n' })
  const { sentences } = await tree.push(people.owner, 'main')
  expect(sentences).toEqual([expect.stringContaining('has exceeded its size limit of 1 MiB by')])
  const file = { branch: 'main', content: 'c', commit_message: 'c' }
  const written = await people.owner.post(`${tree.base}/repository/files/c.txt`, file)
  expect([written.status, JSON.stringify(written.body)]).toEqual([
    400,
    expect.stringContaining('has exceeded its size limit'),
  ])
  expect(await tree.push(people.owner, ':refs/heads/other')).toMatchObject({ isAccepted: true })
  await set(100)
  expect(await tree.push(people.owner, 'main')).toMatchObject({ isAccepted: true })
})

test('the limit is that of administrators', async () => {
  for (const value of [-1, 2 ** 31, 'x', null]) {
    const answer = await server.root.put('/application/settings', { repository_size_limit: value })
    expect([value, answer.status]).toEqual([value, 400])
  }
  expect((await people.owner.put('/application/settings', { repository_size_limit: 1 })).status).toBe(403)
})
