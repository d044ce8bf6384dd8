import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/index.ts'
import { queriesOf } from '../../../testing/index.ts'
import { startWithEnvironments } from '../testing.ts'
import { ensureEnvironments } from './environments.ts'

let at: Awaited<ReturnType<typeof startWithEnvironments>>
let path: string
beforeAll(async () => {
  at = await startWithEnvironments()
})
afterAll(() => at.server.stop())
beforeEach(async () => {
  path = (await at.made()).environments
})

const create = (body: object, as: Client = at.developer) => as.post(path, body)
const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const notFound = { status: 404, body: { message: '404 Not found' } }
const refused = (field: string, ...texts: string[]) => ({ status: 400, body: { message: { [field]: texts } } })
const wrongCharacters =
  "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'"

describe('creating an environment', () => {
  test('shows it with a slug, a tier and its project', async () => {
    const answer = await create({ name: 'review/fix-foo', external_url: 'http://a.test/x', description: 'é' })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      ...{ id: expect.any(Number), name: 'review/fix-foo', external_url: 'http://a.test/x', description: 'é' },
      ...{ tier: 'development', state: 'available', auto_stop_at: null, auto_stop_setting: 'always' },
      ...{ created_at: at.clock.now().toISOString(), updated_at: at.clock.now().toISOString() },
    })
    expect(answer.body.slug).toMatch(/^review-fix-foo-[a-z0-9]{6}$/)
    expect(answer.body.project).toMatchObject({ path_with_namespace: expect.stringMatching(/\/deployed-/) })
    expect(answer.body).not.toHaveProperty('last_deployment')
  })

  test.each([
    ['staging', 'staging'],
    ['1', /^env-1-[a-z0-9]{6}$/],
    ['Production', /^production-[a-z0-9]{6}$/],
    ['a--b', /^a-b-[a-z0-9]{6}$/],
    ['a-very-long-name-of-an-environment', /^a-very-long-name-[a-z0-9]{6}$/],
  ])('makes a slug of %s', async (name, slug) => {
    const { body } = await create({ name })
    if (typeof slug === 'string') expect(body.slug).toBe(slug)
    else expect(body.slug).toMatch(slug)
  })

  test.each([
    ['dev-eu', 'development'],
    ['Acceptance', 'testing'],
    ['Demo', 'staging'],
    ['live', 'production'],
    ['elsewhere', 'other'],
  ])('finds the tier of %s', async (name, tier) => {
    expect((await create({ name })).body.tier).toBe(tier)
  })

  test('takes a tier and a setting', async () => {
    const given = { name: 'x', tier: 'production', auto_stop_setting: 'with_action', cluster_agent_id: null }
    expect((await create(given)).body).toMatchObject({ tier: 'production', auto_stop_setting: 'with_action' })
  })

  test.each([
    [{}, { status: 400, body: { error: 'name is missing' } }],
    [{ name: ' ' }, refused('name', "can't be blank")],
    [{ name: '' }, refused('name', "can't be blank", wrongCharacters)],
    [{ name: '/x' }, refused('name', wrongCharacters)],
    [{ name: 'naïve' }, refused('name', wrongCharacters)],
    [{ name: 'a'.repeat(256) }, refused('name', 'is too long (maximum is 255 characters)')],
    [{ name: 'x', external_url: 'javascript:1' }, refused('external_url', 'javascript scheme is not allowed')],
    [{ name: 'x', external_url: 'DATA:text/html,x' }, refused('external_url', 'data scheme is not allowed')],
    [{ name: 'x', external_url: 'nowhere' }, refused('external_url', 'URI is invalid')],
    [
      { name: 'x', external_url: `http://a.test/${'x'.repeat(255)}` },
      refused('external_url', 'is too long (maximum is 255 characters)'),
    ],
    [
      { name: 'x', description: 'x'.repeat(10_001) },
      refused('description', 'is too long (maximum is 10000 characters)'),
    ],
    [
      { name: 'x', tier: 'moon' },
      { status: 400, body: { error: 'tier does not have a valid value' } },
    ],
    [
      { name: 'x', auto_stop_setting: 'never' },
      { status: 400, body: { error: 'auto_stop_setting does not have a valid value' } },
    ],
    [
      { name: 'x', slug: 'x' },
      { status: 400, body: { error: 'slug is automatically generated and cannot be changed' } },
    ],
    [
      { name: 'x', cluster_agent_id: 1 },
      {
        status: 400,
        body: {
          message: "400 Bad request - cluster agent doesn't exist or cannot be associated with this environment",
        },
      },
    ],
    [{ name: { a: 1 } }, { status: 400, body: { error: 'name is invalid' } }],
  ])('refuses %j', async (given, answer) => {
    expect(await create(given)).toMatchObject(answer)
    expect((await at.developer.get(path)).body).toEqual([])
  })

  test('refuses a name that is taken, also to two callers at once', async () => {
    const answers = await Promise.all([create({ name: 'twice' }), create({ name: 'twice' })])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
    expect(await create({ name: 'twice' })).toMatchObject(refused('name', 'has already been taken'))
  })

  test('is for developers', async () => {
    expect(await create({ name: 'x' }, at.reporter)).toMatchObject(forbidden)
    expect((await create({ name: 'x' }, at.server.anonymous)).status).toBe(401)
  })
})

describe('reading environments', () => {
  test('is for reporters, and for every signed-in user where the project is public', async () => {
    expect((await at.reporter.get(path)).body).toEqual([])
    expect(await at.guest.get(path)).toMatchObject(forbidden)
    const outsider = await at.server.user(`outsider-${Math.random().toString(36).slice(2)}`)
    expect(await outsider.get(path)).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } })
    const open = await at.made('public')
    expect((await outsider.get(open.environments)).status).toBe(200)
    expect((await at.server.anonymous.get(open.environments)).status).toBe(401)
    await at.owner.put(open.base, { environments_access_level: 'private' })
    expect(await outsider.get(open.environments)).toMatchObject(forbidden)
    await at.owner.put(open.base, { environments_access_level: 'disabled' })
    expect(await at.owner.get(open.environments)).toMatchObject(forbidden)
  })

  test('filters by name, by a part of it, and by state', async () => {
    for (const name of ['review/a', 'review/b', 'prod']) await create({ name })
    const named = async (query: string) => {
      const { status, body } = await at.reporter.get(`${path}?${query}`)
      return status === 200 ? body.map(({ name }: { name: string }) => name) : (body.error ?? body.message)
    }
    expect(await named('')).toEqual(['review/a', 'review/b', 'prod'])
    expect(await named('name=prod')).toEqual(['prod'])
    expect(await named('search=VIEW')).toEqual(['review/a', 'review/b'])
    expect(await named('search=%25%25%25')).toEqual([])
    expect(await named('states=stopped')).toEqual([])
    expect(await named('search=ab')).toBe('400 Bad request - Search query is less than 3 characters')
    expect(await named('states=x')).toBe('states does not have a valid value')
    expect(await named('name=a&search=abc')).toBe('name, search cannot be used together')
  })

  test('reads a page with a fixed number of queries', async () => {
    await create({ name: 'one' })
    const list = () => at.reporter.get(path)
    const queries = await queriesOf(at.server, list)
    for (const name of ['two', 'three']) await create({ name })
    expect(await queriesOf(at.server, list)).toBe(queries)
  })

  test('finds one of the project only', async () => {
    const { body } = await create({ name: 'one' })
    const found = await at.reporter.get(`${path}/${body.id}`)
    expect(found).toMatchObject({ status: 200, body: { id: body.id, name: 'one' } })
    expect(found.body).not.toHaveProperty('project')
    const other = await at.made()
    expect(await at.reporter.get(`${other.environments}/${body.id}`)).toMatchObject(notFound)
    expect(await at.reporter.get(`${path}/x`)).toMatchObject({
      status: 400,
      body: { error: 'environment_id is invalid' },
    })
  })
})

test('a list shows the newest deployment of each when it is asked for, with a fixed number of queries', async () => {
  const { base, environments } = await at.made()
  await at.owner.post(`${base}/repository/files/a`, { branch: 'main', content: 'a', commit_message: 'a' })
  const { id: sha } = (await at.owner.get(`${base}/repository/commits/main`)).body
  const deploy = (environment: string, status: string) =>
    at.developer.post(`${base}/deployments`, { environment, status, sha, ref: 'main', tag: false })
  await deploy('one', 'success')
  await deploy('one', 'failed')
  await at.developer.post(environments, { name: 'two' })
  const list = () => at.reporter.get(`${environments}?with_last_deployment=true`)
  const { body } = await list()
  expect(body).toMatchObject([
    { name: 'one', last_deployment: { iid: 2, status: 'failed', sha, deployable: null } },
    { name: 'two', last_deployment: null },
  ])
  expect(body[0].last_deployment).not.toHaveProperty('environment')
  for (const query of ['', '?with_last_deployment=false']) {
    expect((await at.reporter.get(environments + query)).body[0]).not.toHaveProperty('last_deployment')
  }
  const queries = await queriesOf(at.server, list)
  await deploy('three', 'success')
  expect(await queriesOf(at.server, list)).toBe(queries)
})

describe('changing an environment', () => {
  test('keeps its name, and changes nothing without parameters', async () => {
    const { body } = await create({ name: 'one', external_url: 'http://a.test' })
    const change = (given: object, as: Client = at.developer) => as.put(`${path}/${body.id}`, given)
    at.clock.advance(1000)
    expect((await change({})).body.updated_at).toBe(body.updated_at)
    const changed = await change({ name: 'two', tier: 'staging', external_url: '', description: 'd' })
    expect(changed.body).toMatchObject({ name: 'one', tier: 'staging', external_url: null, description: 'd' })
    expect(changed.body.updated_at).toBe(at.clock.now().toISOString())
    expect(await change({ slug: 'x' })).toMatchObject({ status: 400 })
    expect(await change({ tier: 'staging' }, at.reporter)).toMatchObject(forbidden)
    expect(await at.developer.put(`${path}/${body.id + 1000}`, {})).toMatchObject(notFound)
  })
})

test('environments of jobs are found or made with as many queries for a few as for hundreds', async () => {
  const { platform } = at.server.app
  const { project } = await at.made()
  const made = async (names: readonly string[]) => {
    const wanted = new Map(names.map((name) => [name, name === 'x 1' ? ('staging' as const) : undefined]))
    const before = platform.database.queryCount()
    const rows = await platform.database.write((tx) => ensureEnvironments(platform, tx, project.id, wanted))
    return { rows, queries: platform.database.queryCount() - before }
  }
  const few = await made(['x 1', 'bad:name', '', 'production'])
  expect([...few.rows.keys()].sort()).toEqual(['production', 'x 1'])
  expect([few.rows.get('x 1')?.tier, few.rows.get('production')?.tier]).toEqual(['staging', 'production'])
  // The slugs of all of them begin with the same letters.
  const names = Array.from({ length: 300 }, (_, index) => `a name that is too long for a slug ${index}`)
  const many = await made([...names, 'x 1', 'Naïve'])
  expect(many.rows.size).toBe(301)
  expect(new Set([...many.rows.values()].map(({ slug }) => slug)).size).toBe(301)
  expect(many.rows.get('x 1')).toEqual(few.rows.get('x 1'))
  expect(many.queries).toBe(few.queries)
})

test('a project has no more than 10,000 environments: what has no room is not made', async () => {
  const { platform } = at.server.app
  const { project, environments } = await at.made()
  const make = (from: number, count: number) => {
    const wanted = new Map(Array.from({ length: count }, (_, index) => [`e${from + index}`, undefined]))
    return platform.database.write((tx) => ensureEnvironments(platform, tx, project.id, wanted))
  }
  await make(0, 9_999)
  const last = await make(9_998, 3)
  expect([...last.keys()]).toEqual(['e9998', 'e9999'])
  const body = { message: { base: ['Maximum number of project environments (10000) exceeded'] } }
  expect(await at.developer.post(environments, { name: 'one' })).toMatchObject({ status: 400, body })
})

describe('stopping and deleting an environment', () => {
  test('deletes only what is stopped', async () => {
    const { body } = await create({ name: 'one' })
    const one = `${path}/${body.id}`
    expect(await at.developer.delete(one)).toMatchObject(forbidden)
    expect(await at.reporter.post(`${one}/stop`)).toMatchObject(forbidden)
    expect(await at.developer.post(`${one}/stop`)).toMatchObject({ status: 200, body: { state: 'stopped' } })
    const again = await at.developer.post(`${one}/stop`)
    expect(again).toMatchObject({ status: 200, body: { state: 'stopped', project: expect.anything() } })
    expect(await at.reporter.delete(one)).toMatchObject(forbidden)
    expect((await at.developer.delete(one)).status).toBe(204)
    expect(await at.developer.delete(one)).toMatchObject(notFound)
    expect(await at.developer.post(`${one}/stop`)).toMatchObject(notFound)
  })
})

describe('review apps', () => {
  const old = async (name: string) => {
    const { body } = await create({ name })
    await at.developer.post(`${path}/${body.id}/stop`)
    return body.id as number
  }
  const remove = (query = '', as: Client = at.developer) => as.delete(`${path}/review_apps${query}`)

  test('are deleted seven days after they were scheduled, unless they are available again', async () => {
    const id = await old('review/a')
    await old('other')
    await create({ name: 'review/available' })
    const none = await remove()
    expect(none).toMatchObject({ status: 400, body: { scheduled_entries: [], unprocessable_entries: [] } })
    expect(none.body.message).toMatch(/^No environments found for scheduled deletion\./)
    at.clock.advance(31 * 86_400_000)
    expect((await remove()).body.scheduled_entries).toMatchObject([{ id, name: 'review/a' }])
    const scheduled = await remove('?dry_run=false')
    expect(scheduled).toMatchObject({ status: 200, body: { unprocessable_entries: [] } })
    expect(scheduled.body.scheduled_entries[0]).not.toHaveProperty('state')
    expect((await remove()).status).toBe(400)
    at.clock.advance(6 * 86_400_000)
    await at.server.app.platform.jobs.drain()
    expect((await at.developer.get(`${path}/${id}`)).status).toBe(200)
    at.clock.advance(86_400_000)
    await at.server.app.platform.jobs.drain()
    expect((await at.developer.get(`${path}/${id}`)).status).toBe(404)
  })

  test('are refused to reporters by 401, with a limit by 400, and while another request is processed by 409', async () => {
    expect(await remove('', at.reporter)).toMatchObject({
      status: 401,
      body: {
        message: 'You do not have permission to destroy environments in this project',
        scheduled_entries: [],
        unprocessable_entries: [],
      },
    })
    for (const limit of [0, 1001]) {
      const body = { error: 'limit does not have a valid value' }
      expect(await remove(`?limit=${limit}`)).toMatchObject({ status: 400, body })
    }
    const held = await at.server.app.platform.database.hold(`review_apps:${path.split('/')[2]}`)
    expect(await remove()).toMatchObject({
      status: 409,
      body: { message: 'Another process is already processing a delete request. Please retry later.' },
    })
    await held.release()
  })
})

describe('stale environments', () => {
  const stop = (before: unknown, as: Client = at.maintainer) => as.post(`${path}/stop_stale`, { before })
  const daysAgo = (days: number) => new Date(at.clock.now().getTime() - days * 86_400_000).toISOString()

  test('are stopped in the background', async () => {
    const old = (await create({ name: 'old' })).body.id
    at.clock.advance(20 * 86_400_000)
    const fresh = (await create({ name: 'fresh' })).body.id
    expect(await stop(daysAgo(10))).toMatchObject({
      status: 200,
      body: { message: 'Successfully requested stop for all stale environments' },
    })
    await at.server.app.platform.jobs.drain()
    const stateOf = async (id: number) => (await at.reporter.get(`${path}/${id}`)).body.state
    expect([await stateOf(old), await stateOf(fresh)]).toEqual(['stopped', 'available'])
  })

  test('need a time from ten years to one week ago, and a maintainer', async () => {
    for (const before of [daysAgo(1), daysAgo(4000)]) {
      const body = { message: '400 Bad request - Invalid Date' }
      expect(await stop(before)).toMatchObject({ status: 400, body })
    }
    expect((await stop(undefined)).body.error).toBe('before is missing')
    expect(await stop(daysAgo(10), at.developer)).toMatchObject(forbidden)
  })
})
