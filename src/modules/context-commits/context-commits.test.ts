import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RefName, refName } from '../../infra/git/index.ts'
import { openRepository } from '../../platform/repositories/index.ts'
import { queriesDuring, startTestServer, type TestServer } from '../../testing/index.ts'
import { makePlace, openRequest, type Place, pushBranch } from '../merge-requests/testing.ts'

let server: TestServer
let place: Place
let one: string
let at: string
let shas: string[]
let made = 0
beforeAll(async () => {
  server = await startTestServer()
  place = await makePlace(server)
  shas = []
  for (let number = 1; number <= 21; number += 1) {
    await place.tree.commit(`history ${number}`, { 'history.txt': `${number}\n` })
    shas.push(await place.tree.run('rev-parse', 'HEAD'))
  }
  await place.tree.push(place.owner, 'main')
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})
beforeEach(async () => {
  made += 1
  const { iid } = await openRequest(place, `explained-${made}`)
  one = `${place.at}/${iid}`
  at = `${one}/context_commits`
})

const sha = (index: number) => shas[index] as string
const add = (...commits: string[]) => place.developer.post(at, { commits })
const remove = (...commits: string[]) => place.developer.delete(at, { body: { commits } })
const listed = async () => (await place.reporter.get(at)).body.map(({ id }: { id: string }) => id)
const message = (text: string) => ({ status: 400, body: { message: text } })
const notValid = message("One or more context commits' sha is not valid.")

test('commits are added, listed with the newest first, and removed', async () => {
  const added = await add(sha(0), sha(2).slice(0, 9).toUpperCase())
  expect(added.status).toBe(201)
  expect(added.body.map(({ id }: { id: string }) => id)).toEqual([sha(0), sha(2)])
  expect(added.body[0]).toMatchObject({
    ...{ short_id: sha(0).slice(0, 8), title: 'history 1', parent_ids: [expect.any(String)] },
    web_url: expect.stringMatching(new RegExp(`/-/commit/${sha(0)}$`)),
  })
  const all = await place.reporter.get(at)
  expect(all.body).toEqual(added.body.toReversed())
  expect(all.headers.get('x-total')).toBe('2')
  expect((await place.reporter.get(`${at}?page=2&per_page=1`)).body).toEqual([added.body[0]])
  expect((await place.developer.delete(`${at}?commits=${sha(0)},${sha(5)}`)).status).toBe(204)
  expect(await listed()).toEqual([sha(2)])
  expect((await remove(sha(2))).status).toBe(204)
  expect((await remove(sha(2))).status).toBe(204)
  expect(await listed()).toEqual([])
})

test('they change nothing of the merge request', async () => {
  const before = [(await place.developer.get(`${one}/commits`)).body, (await place.developer.get(`${one}/diffs`)).body]
  await add(...shas.slice(0, 20))
  expect([
    (await place.developer.get(`${one}/commits`)).body,
    (await place.developer.get(`${one}/diffs`)).body,
  ]).toEqual(before)
  const queries = await queriesDuring(server, () => place.reporter.get(`${at}?per_page=2`))
  expect(await queriesDuring(server, () => place.reporter.get(`${at}?per_page=20`))).toHaveLength(queries.length)
  expect((await place.developer.get(one)).body.detailed_merge_status).toBe('mergeable')
})

test.each<[string, () => unknown, object]>([
  ['no list', () => undefined, { status: 400, body: { error: 'commits is missing' } }],
  ['an empty list', () => [], { status: 400, body: { error: 'commits is empty' } }],
  ['a blank text', () => ' ', { status: 400, body: { error: 'commits is empty' } }],
  ['21 commits', () => shas, message('Context commits array size should not be more than 20')],
  ['an unknown hash', () => ['0'.repeat(40)], notValid],
  ['a commit twice', () => [sha(1), sha(1).slice(0, 10)], notValid],
  ['a branch', () => ['main'], notValid],
  ['a short text', () => [sha(1).slice(0, 6)], notValid],
  ['a path', () => ['refs/heads/main'], notValid],
  ['an option', () => ['--all'], notValid],
  ['an object', () => ({ a: 'b' }), { status: 400, body: { error: 'commits is invalid' } }],
])('%s is refused, and nothing is stored or removed', async (_what, commits, refusal) => {
  await add(sha(3))
  const given = commits()
  const mixed = Array.isArray(given) && given.length === 1 ? [sha(3), ...given] : given
  expect(await place.developer.post(at, { commits: given })).toMatchObject(refusal)
  expect(await place.developer.delete(at, { body: { commits: mixed } })).toMatchObject(refusal)
  expect(await listed()).toEqual([sha(3)])
})

test('the names of branches and tags are no hashes', async () => {
  await place.owner.post(`${place.base}/repository/branches`, { branch: 'abcdef0', ref: 'main' })
  await place.owner.post(`${place.base}/repository/tags`, { tag_name: 'abcdef1', ref: 'main' })
  expect(await add('abcdef0')).toMatchObject(notValid)
  expect(await add('abcdef1')).toMatchObject(notValid)
  const tree = (await place.owner.get(`${place.base}/repository/tree`)).body[0].id
  expect(await add(tree)).toMatchObject(notValid)
})

test('one that is there already is named', async () => {
  await add(sha(4), sha(5))
  expect(await add(sha(6), sha(5), sha(4))).toMatchObject(
    message(`Context commits: [${sha(5)}, ${sha(4)}] are already created`),
  )
  expect((await listed()).sort()).toEqual([sha(4), sha(5)].sort())
})

test('of callers who add the same commit at once, one has added it', async () => {
  const answers = await Promise.all([add(sha(7)), add(sha(7)), add(sha(7))])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400])
  expect(await listed()).toEqual([sha(7)])
})

test('the author and developers change them', async () => {
  const { reporter, developer, outsider } = place
  expect((await reporter.post(at, { commits: [sha(8)] })).status).toBe(403)
  expect((await reporter.delete(at, { body: { commits: [sha(8)] } })).status).toBe(403)
  expect((await outsider.get(at)).status).toBe(404)
  expect((await add(sha(8))).status).toBe(201)
  const { id } = (await developer.get(one)).body
  await server.app.platform.database.write((tx) =>
    tx.updateTable('merge_requests').set({ author_id: reporter.id }).where('id', '=', id).execute(),
  )
  expect((await reporter.post(at, { commits: [sha(9)] })).status).toBe(201)
  expect(await listed()).toEqual([sha(9), sha(8)])
})

test('they are kept after their branch is gone, and end with the merge request', async () => {
  const lost = await pushBranch(place, `lost-${made}`, { 'lost.txt': 'x\n' })
  await add(lost)
  await place.owner.delete(`${place.base}/repository/branches/lost-${made}`)
  const { repository } = await openRepository(server.app.platform, place.project)
  expect(await repository.tips([refName(`refs/keep-around/${lost}`) as RefName])).toEqual([lost])
  expect(await listed()).toEqual([lost])
  const { id } = (await place.developer.get(one)).body
  expect((await place.owner.delete(one)).status).toBe(204)
  const rows = server.app.platform.database.read.selectFrom('context_commits').selectAll()
  expect(await rows.where('merge_request_id', '=', id).execute()).toEqual([])
})
