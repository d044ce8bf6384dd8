import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Client, queriesDuring, startTestServer, type TestServer } from '../../testing/index.ts'
import { makePlace, openRequest, type Place, pushBranch } from '../merge-requests/testing.ts'

let server: TestServer
let place: Place
let made = 0
beforeAll(async () => {
  server = await startTestServer()
  place = await makePlace(server)
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

type Request = { id: number; iid: number; at: string }
let one: Request
let other: Request
beforeEach(async () => {
  one = await newRequest()
  other = await newRequest()
})

async function newRequest(of: Place = place): Promise<Request> {
  made += 1
  const { id, iid } = await openRequest(of, `branch-${made}`)
  return { id, iid, at: `${of.at}/${iid}` }
}

const block = (blocked: Request, by: Request, who: Client = place.developer) =>
  who.post(`${blocked.at}/blocks`, { blocking_merge_request_id: by.id })
const statusOf = async ({ at }: Request) => (await place.developer.get(at)).body.detailed_merge_status
const merge = ({ at }: Request, body: object = {}) => place.maintainer.put(`${at}/merge`, body)
const refusal = (status: number, message: string) => ({ status, body: { message } })
const unknown = refusal(404, 'Blocking merge request not found')

test('a request that depends on another one is merged after it', async () => {
  const created = await block(one, other)
  expect(created).toMatchObject({
    status: 201,
    body: {
      ...{ id: expect.any(Number), project_id: place.project.id },
      ...{ blocking_merge_request: { id: other.id }, blocked_merge_request: { id: one.id } },
    },
  })
  expect((await place.reporter.get(`${one.at}/blocks`)).body).toMatchObject([{ id: created.body.id }])
  expect((await place.reporter.get(`${one.at}/blocks/${created.body.id}`)).body).toMatchObject({ id: created.body.id })
  expect((await place.reporter.get(`${other.at}/blockees`)).body).toMatchObject([{ id: created.body.id }])
  expect((await place.reporter.get(`${one.at}/blockees`)).body).toEqual([])
  expect((await place.reporter.get(`${other.at}/blocks`)).body).toEqual([])
  expect([await statusOf(one), await statusOf(other)]).toEqual(['merge_request_blocked', 'mergeable'])
  const listed = (await place.reporter.get(place.at)).body.find(({ id }: { id: number }) => id === one.id)
  expect(listed.detailed_merge_status).toBe('merge_request_blocked')
  expect((await merge(one)).status).toBe(405)
  expect((await merge(other)).status).toBe(200)
  expect(await statusOf(one)).toBe('mergeable')
  expect((await merge(one)).status).toBe(200)
})

test('a closed one blocks, and a removed one does not', async () => {
  await block(one, other)
  await place.developer.put(other.at, { state_event: 'close' })
  expect(await statusOf(one)).toBe('merge_request_blocked')
  expect((await place.owner.delete(other.at)).status).toBe(204)
  expect(await statusOf(one)).toBe('mergeable')
  expect((await place.reporter.get(`${one.at}/blocks`)).body).toEqual([])
})

test('a dependency is named by a number, in this project or in another one', async () => {
  const by = (body: object) => place.developer.post(`${one.at}/blocks`, body)
  expect((await by({ blocking_merge_request_iid: other.iid })).body.blocking_merge_request.id).toBe(other.id)
  await using elsewhere = await anotherPlace()
  const [far, further] = [await newRequest(elsewhere), await newRequest(elsewhere)]
  const id = { blocking_merge_request_iid: far.iid, blocking_project_id: elsewhere.project.id }
  expect((await by(id)).body).toMatchObject({
    project_id: elsewhere.project.id,
    blocking_merge_request: { id: far.id },
  })
  const path = { blocking_merge_request_iid: further.iid, blocking_project_id: elsewhere.project.full_path }
  expect((await by(path)).status).toBe(201)
  expect((await place.developer.get(`${one.at}/blocks`)).body).toHaveLength(3)
})

/** A project of the same people, whose work tree is removed with it. */
async function anotherPlace(people: Parameters<typeof makePlace>[1] = { people: peopleOf(place) }) {
  const made = await makePlace(server, people)
  return Object.assign(made, { [Symbol.asyncDispose]: () => made.tree[Symbol.asyncDispose]() })
}

const peopleOf = ({ owner, maintainer, developer, reporter, guest, outsider }: Place) => ({
  ...{ owner, maintainer, developer, reporter, guest, outsider },
})

test.each<[string, () => object, object]>([
  [
    'itself',
    () => ({ blocking_merge_request_id: one.id }),
    refusal(400, 'Blocked merge request cannot be the same as the blocking merge request'),
  ],
  ['an unknown one', () => ({ blocking_merge_request_id: 99_999_999 }), unknown],
  ['an unknown number', () => ({ blocking_merge_request_iid: 99_999 }), unknown],
  [
    'a number in an unknown project',
    () => ({ blocking_merge_request_iid: 1, blocking_project_id: 'no/such' }),
    unknown,
  ],
  [
    'none',
    () => ({}),
    {
      status: 400,
      body: {
        error:
          'blocking_merge_request_id, blocking_merge_request_iid are missing, exactly one parameter must be provided',
      },
    },
  ],
  [
    'both',
    () => ({ blocking_merge_request_id: other.id, blocking_merge_request_iid: other.iid }),
    { status: 400, body: { error: 'blocking_merge_request_id, blocking_merge_request_iid are mutually exclusive' } },
  ],
  [
    'a text',
    () => ({ blocking_merge_request_id: 'x' }),
    { status: 400, body: { error: 'blocking_merge_request_id is invalid' } },
  ],
])('%s blocks nothing', async (_what, body, expected) => {
  expect(await place.developer.post(`${one.at}/blocks`, body())).toMatchObject(expected)
  expect((await place.developer.get(`${one.at}/blocks`)).body).toEqual([])
})

test('a dependency is there once, also of callers who make it at once', async () => {
  const answers = await Promise.all([block(one, other), block(one, other), block(one, other)])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  expect(await block(one, other)).toMatchObject(refusal(409, 'Block already exists'))
})

const chained = refusal(400, 'Dependency chains are not supported')

test('dependencies close no circle, also of callers who make them at once', async () => {
  const third = await newRequest()
  await block(one, other)
  expect(await block(other, one)).toMatchObject(chained)
  await block(other, third)
  expect(await block(third, one)).toMatchObject(chained)
  const [left, right] = [await newRequest(), await newRequest()]
  const answers = await Promise.all([block(left, right), block(right, left)])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
})

test('at most ten dependencies follow one another', async () => {
  const all = [one, other]
  while (all.length < 13) all.push(await newRequest())
  // From both ends: 1 to 5 and 7 to 12 first, then what joins them.
  const join = (index: number) => block(all[index] as Request, all[index + 1] as Request)
  for (const index of [0, 1, 2, 3, 6, 7, 8, 9, 10]) expect((await join(index)).status).toBe(201)
  expect((await join(4)).status).toBe(201)
  expect(await join(5)).toMatchObject(chained)
  const [first] = (await place.developer.get(`${all[10]?.at}/blocks`)).body
  await place.developer.delete(`${all[10]?.at}/blocks/${first.id}`)
  expect((await join(5)).status).toBe(201)
  expect(await join(10)).toMatchObject(chained)
})

test('a dependency is removed by those who may change the request', async () => {
  const { body } = await block(one, other)
  const at = `${one.at}/blocks/${body.id}`
  const lacking = refusal(403, 'Lacking permissions to update the merge request')
  expect(await place.reporter.delete(at)).toMatchObject(lacking)
  expect(await block(one, other, place.reporter)).toMatchObject(lacking)
  expect((await place.outsider.delete(at)).status).toBe(404)
  const gone = { status: 404, body: { message: '404 Not found' } }
  expect(await place.developer.delete(`${other.at}/blocks/${body.id}`)).toMatchObject(gone)
  expect(await place.developer.get(`${other.at}/blocks/${body.id}`)).toMatchObject(gone)
  expect((await place.developer.delete(at)).status).toBe(204)
  expect(await place.developer.delete(at)).toMatchObject(gone)
  expect(await statusOf(one)).toBe('mergeable')
})

test('a request that the caller may not read blocks nothing for them, and is not shown', async () => {
  const stranger = await server.user(`stranger-${made}`)
  await using elsewhere = await anotherPlace({ people: { ...peopleOf(place), owner: stranger } })
  const far = await newRequest({ ...elsewhere, developer: stranger })
  await server.root.delete(`${elsewhere.base}/members/${place.developer.id}`)
  expect(await block(one, far)).toMatchObject(refusal(403, 'Lacking permissions to the blocking merge request'))
  const { id } = elsewhere.project
  const numbered = { blocking_merge_request_iid: far.iid, blocking_project_id: id }
  expect(await place.developer.post(`${one.at}/blocks`, numbered)).toMatchObject(unknown)
  const { body } = await block(one, far, server.root)
  expect((await place.developer.get(`${one.at}/blocks`)).body).toEqual([
    { id: body.id, project_id: id, blocked_merge_request: expect.objectContaining({ id: one.id }) },
  ])
  expect(await statusOf(one)).toBe('merge_request_blocked')
  expect((await stranger.get(`${far.at}/blockees`)).body[0].blocked_merge_request?.id).toBe(
    (await stranger.get(one.at)).status === 200 ? one.id : undefined,
  )
})

test('auto-merge waits for what blocks', async () => {
  await block(one, other)
  const set = await merge(one, { auto_merge: true })
  expect(set).toMatchObject({ status: 200, body: { state: 'opened', merge_when_pipeline_succeeds: true } })
  await server.app.platform.jobs.drain()
  expect((await place.developer.get(one.at)).body).toMatchObject({ state: 'opened', merge_error: null })
  expect((await merge(other)).status).toBe(200)
  await server.app.platform.jobs.drain()
  expect((await place.developer.get(one.at)).body.state).toBe('merged')
})

test('auto-merge goes on when the last block is removed, or the request that blocks', async () => {
  const third = await newRequest()
  const { body } = await block(one, other)
  await block(one, third)
  await merge(one, { auto_merge: true })
  expect((await place.owner.delete(third.at)).status).toBe(204)
  await server.app.platform.jobs.drain()
  expect((await place.developer.get(one.at)).body.state).toBe('opened')
  expect((await place.developer.delete(`${one.at}/blocks/${body.id}`)).status).toBe(204)
  await server.app.platform.jobs.drain()
  expect((await place.developer.get(one.at)).body.state).toBe('merged')
})

test('auto-merge goes on when the project that blocks is removed', async () => {
  await using elsewhere = await anotherPlace()
  await block(one, await newRequest(elsewhere))
  await merge(one, { auto_merge: true })
  await server.root.delete(elsewhere.base)
  const { path_with_namespace: path } = (await server.root.get(elsewhere.base)).body
  const { status } = await server.root.delete(`${elsewhere.base}?permanently_remove=true&full_path=${path}`)
  expect(status).toBe(202)
  await server.app.platform.jobs.drain()
  expect((await place.developer.get(one.at)).body.state).toBe('merged')
})

test('what else is missing refuses auto-merge', async () => {
  await block(one, other)
  await place.developer.put(one.at, { title: 'Draft: later' })
  expect((await merge(one, { auto_merge: true })).status).toBe(405)
  await place.developer.put(one.at, { title: 'now' })
  await pushBranch(place, `conflict-${made}`, { 'a.txt': `${made}\n` })
  expect(await statusOf(one)).toBe('merge_request_blocked')
})

test('a list of blocks asks no more queries for more of them', async () => {
  const all = [other, await newRequest(), await newRequest(), await newRequest()]
  for (const by of all) await block(one, by)
  const list = (perPage: number) =>
    queriesDuring(server, () => place.developer.get(`${one.at}/blocks?per_page=${perPage}`))
  await list(4)
  expect((await list(4)).length).toBeLessThanOrEqual((await list(2)).length)
  expect((await place.developer.get(`${one.at}/blocks?per_page=1&page=2`)).body).toMatchObject([
    { blocking_merge_request: { id: all[1]?.id } },
  ])
})

test('in an edition that has no dependencies, those that are stored block nothing', async () => {
  await block(one, other)
  const { config } = server.app.platform
  const { edition } = config
  config.edition = { ...edition, tier: 'free' }
  expect(await statusOf(one)).toBe('mergeable')
  config.edition = edition
  expect(await statusOf(one)).toBe('merge_request_blocked')
})
