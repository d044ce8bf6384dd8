import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import {
  type Client,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'

let server: TestServer
let people: ProjectWithMembers
let base: string
let path: string
const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
beforeAll(async () => {
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())
let count = 0
beforeEach(async () => {
  count += 1
  people = await projectWithMembers(server, { path: `checked-${count}` })
  base = `/projects/${people.project.id}`
  path = `${base}/external_status_checks`
})

const blocker = { name: 'MR blocker', external_url: 'https://example.com/mr-blocker' }
const create = (given: object = {}, as: Client = people.maintainer) => as.post(path, { ...blocker, ...given })
const protect = async (name: string) => (await people.maintainer.post(`${base}/protected_branches`, { name })).body
const refused = (...sentences: string[]) => ({ status: 422, body: { message: sentences } })
const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }
const notFound = { status: 404, body: { message: '404 Not found' } }

test('a check is created, listed, changed and deleted', async () => {
  const { status, body } = await create({ shared_secret: 'secret' })
  expect(status).toBe(201)
  const { id: project_id } = people.project
  expect(body).toEqual({ id: expect.any(Number), ...blocker, project_id, protected_branches: [], hmac: true })
  const other = (await create({ name: 'other', external_url: 'http://other.example/' })).body
  expect(other.hmac).toBe(false)
  expect((await people.maintainer.get(path)).body).toEqual([body, other])
  expect((await people.maintainer.get(`${path}?per_page=1&page=2`)).body).toEqual([other])
  const one = `${path}/${body.id}`
  const changed = await people.maintainer.put(one, { name: 'renamed', shared_secret: '' })
  expect(changed).toMatchObject({ status: 200, body: { ...body, name: 'renamed', hmac: false } })
  expect((await people.maintainer.delete(one)).status).toBe(204)
  expect(await people.maintainer.delete(one)).toMatchObject(notFound)
  expect(await people.maintainer.put(one, {})).toMatchObject(notFound)
})

test('the secret is stored sealed, and never answered', async () => {
  const { body } = await create({ shared_secret: 'plain-words' })
  const db = server.app.platform.database.read
  const row = await db.selectFrom('external_status_checks').selectAll().executeTakeFirstOrThrow()
  expect(JSON.stringify([row, body, (await people.maintainer.get(path)).body])).not.toContain('plain-words')
  const { body: kept } = await people.maintainer.put(`${path}/${body.id}`, { name: 'renamed' })
  expect(kept.hmac).toBe(true)
})

test('all below Maintainer are answered with 401, and strangers with 404', async () => {
  const { id } = (await create()).body
  for (const client of [people.developer, people.reporter, people.guest, server.anonymous]) {
    expect(await client.get(path)).toMatchObject(unauthorized)
    expect(await create({ name: 'x' }, client)).toMatchObject(unauthorized)
    expect(await client.put(`${path}/${id}`, { name: 'x' })).toMatchObject(unauthorized)
    expect(await client.delete(`${path}/${id}`)).toMatchObject(unauthorized)
  }
  expect((await (await server.user(`stranger-${count}`)).get(path)).status).toBe(404)
  expect((await people.maintainer.get(path)).body).toHaveLength(1)
})

test('a change leaves what it does not name', async () => {
  const branch = await protect('main')
  const { body } = await create({ protected_branch_ids: [branch.id] })
  const one = `${path}/${body.id}`
  const signed = await people.maintainer.put(one, { shared_secret: 'secret' })
  expect(signed.body).toEqual({ ...body, hmac: true })
  const moved = await people.maintainer.put(one, { external_url: 'https://moved.example/' })
  expect(moved.body).toEqual({ ...signed.body, external_url: 'https://moved.example/' })
  expect((await people.maintainer.get(path)).body).toEqual([moved.body])
})

describe('refuses', () => {
  test('a name or an address that another check of the project has', async () => {
    const { id } = (await create()).body
    expect(await create({ external_url: 'https://other.example/' })).toMatchObject(
      refused('Name has already been taken'),
    )
    expect(await create({ name: 'other' })).toMatchObject(refused('External url has already been taken'))
    const { id: other } = (await create({ name: 'other', external_url: 'https://other.example/' })).body
    const taking = await people.maintainer.put(`${path}/${other}`, { name: blocker.name })
    expect(taking).toMatchObject(refused('Name has already been taken'))
    expect(other).not.toBe(id)
    const neighbour = await projectWithMembers(server, { people, path: `neighbour-${count}` })
    const there = await people.maintainer.post(`/projects/${neighbour.project.id}/external_status_checks`, blocker)
    expect(there.status).toBe(201)
  })

  const blocked = (reason: string) => `External url is blocked: ${reason}`
  const long = 'is too long (maximum is 255 characters)'
  test.each<[string, object, string[]]>([
    ['another scheme', { external_url: 'ftp://example.com/' }, [blocked('Only allowed schemes are http, https')]],
    ['a script', { external_url: 'javascript:alert(1)' }, [blocked('Only allowed schemes are http, https')]],
    ['no address', { external_url: 'example' }, [blocked('URI is invalid')]],
    ['a line break', { external_url: 'https://example.com/\r\nX: 1' }, [blocked('URI is invalid')]],
    ['this machine', { external_url: 'http://127.0.0.1/' }, [blocked('Requests to localhost are not allowed')]],
    ['this machine by IPv6', { external_url: 'http://[::1]:80/' }, [blocked('Requests to localhost are not allowed')]],
    [
      'the link local network',
      { external_url: 'http://169.254.169.254/' },
      [blocked('Requests to the link local network are not allowed')],
    ],
    ['a long address', { external_url: `https://example.com/${'a'.repeat(255)}` }, [`External url ${long}`]],
    ['a blank address', { external_url: ' ' }, ["External url can't be blank"]],
    [
      'a blank name and no address',
      { name: ' ', external_url: 'x' },
      ["Name can't be blank", blocked('URI is invalid')],
    ],
    ['a long name', { name: '💩'.repeat(256) }, [`Name ${long}`]],
    ['a long secret', { shared_secret: 'a'.repeat(2049) }, ['Shared secret is too long (maximum is 2048 characters)']],
  ])('%s', async (_, given, sentences) => {
    expect(await create(given)).toMatchObject(refused(...sentences))
    expect((await people.maintainer.get(path)).body).toEqual([])
  })

  test.each([
    [{ name: undefined }, { error: 'name is missing' }],
    [{ external_url: { a: 1 } }, { error: 'external_url is invalid' }],
    [{ protected_branch_ids: 'x' }, { error: 'protected_branch_ids[0] is invalid' }],
  ])('%j by its type', async (given, body) => {
    expect(await create(given)).toMatchObject({ status: 400, body })
  })

  test('more checks than a project has', async () => {
    const { id } = people.project
    const moment = clock.now().toISOString()
    const rows = Array.from({ length: 49 }, (_, index) => ({
      ...{ project_id: id, name: `${index}`, external_url: `https://${index}.example/`, sealed_secret: null },
      ...{ created_at: moment, updated_at: moment },
    }))
    await server.app.platform.database.write((tx) => tx.insertInto('external_status_checks').values(rows).execute())
    const both = await Promise.all([create(), create({ name: 'second', external_url: 'https://second.example/' })])
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 422])
    expect(both.find(({ status }) => status === 422)).toMatchObject(
      refused('Maximum number of external status checks (50) exceeded'),
    )
  })
})

describe('protected branches', () => {
  test('limit a check, and leave it when they are unprotected', async () => {
    const [main, release] = [await protect('main'), await protect('release/*')]
    const { status, body } = await create({ protected_branch_ids: `${main.id},${release.id}` })
    expect(status).toBe(201)
    const shown = {
      ...{ id: main.id, project_id: people.project.id, name: 'main', code_owner_approval_required: false },
      ...{ created_at: clock.now().toISOString(), updated_at: clock.now().toISOString() },
    }
    expect(body.protected_branches).toEqual([shown, { ...shown, id: release.id, name: 'release/*' }])
    expect((await people.maintainer.delete(`${base}/protected_branches/release%2F*`)).status).toBe(204)
    const [listed] = (await people.maintainer.get(path)).body
    expect(listed.protected_branches).toEqual([shown])
    const emptied = await people.maintainer.put(`${path}/${body.id}`, { protected_branch_ids: [] })
    expect(emptied.body.protected_branches).toEqual([])
  })

  test('of other projects and of none are refused', async () => {
    const neighbour = await projectWithMembers(server, { people, path: `far-${count}` })
    const { id } = (
      await people.maintainer.post(`/projects/${neighbour.project.id}/protected_branches`, { name: 'main' })
    ).body
    const sentence = 'all protected branches must exist within the project'
    for (const ids of [[id], [0], [9_007_199_254_740_991]]) {
      expect(await create({ protected_branch_ids: ids })).toMatchObject(refused(sentence))
    }
    const own = await protect('main')
    const made = (await create({ protected_branch_ids: [own.id, own.id] })).body
    expect(made.protected_branches).toHaveLength(1)
    const changed = await people.maintainer.put(`${path}/${made.id}`, { protected_branch_ids: [own.id, id] })
    expect(changed).toMatchObject(refused(sentence))
    expect((await people.maintainer.get(path)).body[0].protected_branches).toHaveLength(1)
  })
})
