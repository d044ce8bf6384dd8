import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ManualClock } from '../../../infra/clock/index.ts'
import { type Person, queriesOf, type TestServer } from '../../../testing/index.ts'
import { startWithStatuses } from '../testing.ts'

let clock: ManualClock
let server: TestServer
let owner: Person
let developer: Person
let reporter: Person
let guest: Person
let outsider: Person
let made: Awaited<ReturnType<typeof startWithStatuses>>['made']

beforeAll(async () => {
  ;({ server, clock, owner, developer, reporter, guest, outsider, made } = await startWithStatuses())
})
afterAll(() => server.stop())

const names = (body: { name: string }[]) => body.map(({ name }) => name)
const refusal = (event: string, from: string) => ({
  status: 400,
  body: {
    message: `Cannot transition status via :${event} from :${from} (Reason(s): Status cannot transition via "${event}")`,
  },
})

describe('a status', () => {
  test('is stored, listed, and creates a pipeline', async () => {
    const demo = await made('demo')
    expect(await demo.detail()).toMatchObject({ status: null, last_pipeline: null })
    const given = { target_url: 'https://ci.example/1', description: 'All well', coverage: 91.5, name: 'build' }
    const answer = await demo.set('success', given)
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.any(Number),
      sha: demo.one,
      ref: 'main',
      status: 'success',
      name: 'build',
      target_url: 'https://ci.example/1',
      description: 'All well',
      created_at: clock.now().toISOString(),
      started_at: null,
      finished_at: clock.now().toISOString(),
      allow_failure: false,
      coverage: 91.5,
      pipeline_id: expect.any(Number),
      author: expect.objectContaining({ username: 'owner', state: 'active' }),
    })
    expect(Object.keys(answer.body).join()).toBe(
      'id,sha,ref,status,name,target_url,description,created_at,started_at,finished_at,allow_failure,coverage,' +
        'pipeline_id,author',
    )
    expect((await demo.list()).body).toEqual([answer.body])
    expect((await demo.list('', demo.two)).body).toEqual([])
    expect(await demo.detail()).toMatchObject({
      status: 'success',
      last_pipeline: {
        id: answer.body.pipeline_id,
        iid: 1,
        project_id: demo.project.id,
        sha: demo.one,
        ref: 'main',
        status: 'success',
        source: 'external',
        web_url: `${server.url}/owner/demo/-/pipelines/${answer.body.pipeline_id}`,
      },
    })
    expect(await demo.set('success', { name: 'build' })).toMatchObject(refusal('success', 'success'))
  })

  test('moves from pending to a final state, never back', async () => {
    const demo = await made('goes-on')
    expect((await demo.set('pending')).body).toMatchObject({ name: 'default', status: 'pending', started_at: null })
    expect(await demo.set('pending')).toMatchObject(refusal('enqueue', 'pending'))
    clock.advance(1000)
    const started = clock.now().toISOString()
    expect((await demo.set('running', { description: 'Half' })).body).toMatchObject({ started_at: started })
    expect(await demo.set('pending', { description: 'no' })).toMatchObject(refusal('enqueue', 'running'))
    expect(await demo.set('running')).toMatchObject(refusal('run', 'running'))
    expect(await demo.set('skipped')).toMatchObject(refusal('skip', 'running'))
    clock.advance(1000)
    const ended = (await demo.set('failed', { target_url: 'http://ci.example' })).body
    expect(ended).toMatchObject({ started_at: started, finished_at: clock.now().toISOString(), description: 'Half' })
    expect(await demo.set('failed')).toMatchObject(refusal('drop', 'failed'))
    expect((await demo.list()).body).toEqual([ended])
  })

  test('is replaced after a final state; the former one remains as retried', async () => {
    const demo = await made('anew')
    const first = (await demo.set('failed')).body
    const second = (await demo.set('pending')).body
    expect(second).toMatchObject({ status: 'pending', pipeline_id: first.pipeline_id, finished_at: null })
    expect(second.id).not.toBe(first.id)
    expect(await demo.detail()).toMatchObject({ status: 'pending' })
    expect((await demo.set('success')).body.id).toBe(second.id)
    expect((await demo.list()).body.map(({ id }: { id: number }) => id)).toEqual([second.id])
    expect((await demo.list('?all=true')).body.map(({ id }: { id: number }) => id)).toEqual([first.id, second.id])
    expect(await demo.detail()).toMatchObject({ status: 'success' })
  })

  test('has a name, also given as context', async () => {
    const demo = await made('named')
    expect((await demo.set('success', { context: 'ci/x' })).body.name).toBe('ci/x')
    expect((await demo.set('success', { context: 'a', name: 'b' })).body.name).toBe('b')
    expect((await demo.set('success', { name: '' })).body.name).toBe('default')
    expect(names((await demo.list()).body)).toEqual(['ci/x', 'b', 'default'])
    expect((await demo.detail()).last_pipeline.iid).toBe(1)
  })
})

describe('the pipeline', () => {
  test('has a status derived from all commit statuses', async () => {
    const demo = await made('follows')
    const pipeline = async () => {
      const { database } = server.app.platform
      return database.read
        .selectFrom('pipelines')
        .selectAll()
        .where('project_id', '=', demo.project.id)
        .executeTakeFirstOrThrow()
    }
    await demo.set('pending', { name: 'a' })
    expect(await pipeline()).toMatchObject({ status: 'pending', started_at: null, finished_at: null, tag: false })
    clock.advance(1000)
    const started = clock.now().toISOString()
    await demo.set('running', { name: 'a' })
    expect(await pipeline()).toMatchObject({ status: 'running', started_at: started, updated_at: started })
    await demo.set('success', { name: 'b' })
    expect(await pipeline()).toMatchObject({ status: 'running' })
    clock.advance(1000)
    await demo.set('failed', { name: 'a' })
    const ended = { started_at: started, finished_at: clock.now().toISOString() }
    expect(await pipeline()).toMatchObject({ status: 'failed', ...ended })
    clock.advance(1000)
    await demo.set('running', { name: 'a' })
    expect(await pipeline()).toMatchObject({ status: 'running', started_at: started, finished_at: null })
    await demo.set('success', { name: 'a' })
    expect(await pipeline()).toMatchObject({ status: 'success' })
  })

  test('exists once per commit and ref, with its own iid', async () => {
    const demo = await made('numbered')
    const a = (await demo.set('success', { ref: 'main' })).body
    const b = (await demo.set('success', { ref: 'topic' })).body
    const c = (await demo.set('success', {}, { sha: demo.two })).body
    expect(new Set([a.pipeline_id, b.pipeline_id, c.pipeline_id]).size).toBe(3)
    expect([a.ref, b.ref, c.ref]).toEqual(['main', 'topic', 'main'])
    const { database } = server.app.platform
    const rows = await database.read
      .selectFrom('pipelines')
      .select('iid')
      .where('project_id', '=', demo.project.id)
      .orderBy('id')
      .execute()
    expect(rows.map(({ iid }) => iid)).toEqual([1, 2, 3])
    // Without a ref it is the one that was there last.
    expect((await demo.set('failed', { name: 'x' })).body.pipeline_id).toBe(b.pipeline_id)
    expect((await demo.set('failed', { name: 'y', pipeline_id: a.pipeline_id })).body).toMatchObject({
      pipeline_id: a.pipeline_id,
      ref: 'main',
    })
    for (const more of [
      { pipeline_id: c.pipeline_id },
      { pipeline_id: a.pipeline_id, ref: 'topic' },
      { pipeline_id: -1 },
    ]) {
      expect(await demo.set('success', { name: 'z', ...more })).toMatchObject({
        status: 404,
        body: { message: '404 Pipeline for pipeline_id, sha and ref Not Found' },
      })
    }
  })

  test('is created once by parallel requests', async () => {
    const demo = await made('at-once')
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => demo.set('success', { name: `job-${index % 6}` })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(6).fill(201), ...Array(6).fill(400)])
    expect((await demo.list('?all=true')).body).toHaveLength(6)
    expect(new Set((await demo.list()).body.map((status: { pipeline_id: number }) => status.pipeline_id)).size).toBe(1)
    expect(await demo.detail()).toMatchObject({ status: 'success', last_pipeline: { iid: 1 } })
  })
})

describe('the ref of a status', () => {
  const noReferences = { status: 404, body: { message: '404 References for commit Not Found' } }

  test('may be a branch or a tag, as short or full name', async () => {
    const demo = await made('refs')
    await owner.post(`/projects/${demo.project.id}/repository/tags`, { tag_name: 'v1', ref: 'main' })
    const refOf = async (ref: string) => (await demo.set('success', { ref, name: ref })).body.ref
    expect([
      await refOf('refs/heads/main'),
      await refOf('v1'),
      await refOf('refs/tags/v2'),
      await refOf('gone'),
    ]).toEqual(['main', 'v1', 'v2', 'gone'])
    for (const ref of ['a..b', '-x', 'a b', 'refs/heads/', 'x'.repeat(5000), '\u007f']) {
      expect(await demo.set('success', { ref })).toMatchObject(noReferences)
    }
  })

  test('defaults to a branch with the commit, which must exist', async () => {
    const demo = await made('branches')
    expect((await demo.set('success', {}, { sha: demo.three })).body.ref).toBe('topic')
    const lonely = await made('lonely')
    await owner.delete(`/projects/${lonely.project.id}/repository/branches/topic`)
    expect(await lonely.set('success', {}, { sha: lonely.three })).toMatchObject(noReferences)
    expect(await lonely.set('success', {}, { sha: 'f'.repeat(40) })).toMatchObject({
      status: 404,
      body: { message: '404 Commit Not Found' },
    })
  })

  test('requires the right to push to it or merge into it', async () => {
    const demo = await made('locked')
    const rules = `/projects/${demo.project.id}/protected_branches`
    const forbidden = { status: 403, body: { message: '403 Forbidden' } }
    await owner.delete(`${rules}/main`)
    await owner.post(rules, { name: 'main', push_access_level: 40, merge_access_level: 40 })
    expect(await demo.set('success', {}, { sha: demo.one, as: developer })).toMatchObject(forbidden)
    expect(await demo.set('success', { ref: 'refs/heads/main' }, { sha: demo.one, as: developer })).toMatchObject(
      forbidden,
    )
    expect((await demo.set('success', {}, { sha: demo.three, as: developer })).status).toBe(201)
    expect((await demo.set('success')).status).toBe(201)
    await owner.delete(`${rules}/main`)
    await owner.post(rules, { name: 'main', push_access_level: 40, merge_access_level: 30 })
    expect((await demo.set('success', { name: 'x' }, { sha: demo.one, as: developer })).status).toBe(201)
    await owner.post(`/projects/${demo.project.id}/protected_tags`, { name: 'v*', create_access_level: 40 })
    expect(await demo.set('success', { ref: 'refs/tags/v1' }, { sha: demo.one, as: developer })).toMatchObject(
      forbidden,
    )
  })
})

describe('the parameters', () => {
  test('are validated', async () => {
    const demo = await made('checked')
    const error = async (state: string | undefined, more: object) =>
      (await owner.post(`/projects/${demo.project.id}/statuses/${demo.one}`, { ...(state ? { state } : {}), ...more }))
        .body
    expect(await error(undefined, {})).toEqual({
      message: '400 (Bad request) "state" not given',
      error: 'state is missing',
    })
    expect((await error('done', {})).error).toBe('state does not have a valid value')
    expect((await error('success', { coverage: 'much' })).error).toBe('coverage is invalid')
    expect((await error('success', { coverage: '9'.repeat(400) })).error).toBe('coverage is invalid')
    expect((await error('success', { pipeline_id: 'x' })).error).toBe('pipeline_id is invalid')
    const scheme = { message: { target_url: ['is blocked: Only allowed schemes are http, https'] } }
    for (const target_url of ['git://x', 'javascript:alert(1)', 'nowhere', ' x']) {
      expect(await error('success', { target_url })).toEqual(scheme)
    }
    for (const target_url of ['http://', 'https:///x', 'http://a b', 'http://[', 'https:x']) {
      expect(await error('success', { target_url })).toEqual({
        message: { target_url: ['is blocked: URI is invalid'] },
      })
    }
    const long = 'x'.repeat(256)
    const tooLong = ['is too long (maximum is 255 characters)']
    expect(await error('success', { name: long, description: long, target_url: `https://${long}` })).toEqual({
      message: { name: tooLong, target_url: tooLong, description: tooLong },
    })
    expect((await demo.list()).body).toEqual([])
    expect((await demo.set('pending', { target_url: 'http://x', coverage: '' })).body.target_url).toBe('http://x')
    expect((await demo.set('running', { target_url: '' })).body.target_url).toBe(null)
  })
})

describe('access', () => {
  const forbidden = { status: 403, body: { message: '403 Forbidden' } }

  test('to set a status requires the scope api', async () => {
    const demo = await made('setters')
    const reading = server.as(await server.make.token(developer, ['read_api']))
    const answer = await demo.set('success', {}, { sha: demo.three, as: reading })
    expect(answer.body).toMatchObject({ error: 'insufficient_scope' })
  })

  test('to read statuses requires access to pipelines, as does last_pipeline of a commit', async () => {
    const open = await made('readers', 'public')
    await open.set('success')
    const path = `${open.commits}/${open.one}`
    const standing = async () => {
      const people = [server.anonymous, outsider, guest, reporter, owner]
      const statuses = await Promise.all(people.map((person) => person.get(`${path}/statuses`)))
      const commits = await Promise.all(people.map((person) => person.get(path)))
      for (const [index, { status, body }] of commits.entries()) {
        const isShown = status === 200 && body.status === 'success' && body.last_pipeline !== null
        expect(isShown).toBe(statuses[index]?.status === 200)
      }
      return statuses.map(({ status }) => status)
    }
    const change = (settings: object) => owner.put(`/projects/${open.project.id}`, settings)
    expect(await standing()).toEqual([200, 200, 200, 200, 200])
    await change({ builds_access_level: 'private' })
    expect(await standing()).toEqual([403, 403, 200, 200, 200])
    await change({ builds_access_level: 'enabled', public_jobs: false })
    expect(await standing()).toEqual([403, 403, 403, 200, 200])
    await change({ builds_access_level: 'disabled' })
    expect(await standing()).toEqual([403, 403, 403, 403, 403])
    expect(await open.set('failed')).toMatchObject(forbidden)
    await change({ builds_access_level: 'enabled', repository_access_level: 'disabled' })
    expect(await standing()).toEqual([404, 404, 404, 404, 404])
  })
})

describe('the list', () => {
  test('is filtered, sorted and paginated', async () => {
    const demo = await made('listed')
    const first = (await demo.set('success', { name: 'a' })).body
    const second = (await demo.set('success', { name: 'a', ref: 'topic' })).body
    await demo.set('success', { name: 'b', ref: 'main' })
    await demo.set('failed', { name: 'a', ref: 'main' })
    const states = async (query: string) =>
      (await demo.list(query)).body.map(({ name, ref, status }: Record<string, string>) => `${name} ${ref} ${status}`)
    const latest = ['a topic success', 'b main success', 'a main failed']
    expect(await states('')).toEqual(latest)
    expect(await states('?sort=desc')).toEqual(latest.toReversed())
    expect(await states('?order_by=pipeline_id')).toEqual(['b main success', 'a main failed', 'a topic success'])
    expect(await states('?all=true')).toEqual(['a main success', ...latest])
    expect(await states('?ref=topic')).toEqual(['a topic success'])
    expect(await states('?name=b')).toEqual(['b main success'])
    expect(await states('?stage=external&name=b')).toEqual(['b main success'])
    expect(await states('?stage=build')).toEqual([])
    expect(await states(`?pipeline_id=${second.pipeline_id}`)).toEqual(['a topic success'])
    expect(await states(`?pipeline_id=${first.pipeline_id}&all=true&per_page=1&page=2`)).toEqual(['b main success'])
    expect((await demo.list('?order_by=name')).body.error).toBe('order_by does not have a valid value')
    expect((await demo.list('?sort=up')).body.error).toBe('sort does not have a valid value')
    expect((await demo.list('?all=maybe')).body.error).toBe('all is invalid')
    expect(await demo.list('', 'none')).toMatchObject({ status: 404, body: { message: '404 Commit Not Found' } })
  })

  test('makes the same number of queries for any number of statuses and authors', async () => {
    const demo = await made('many')
    const people = [owner, developer]
    const report = (index: number) =>
      demo.set('success', { name: `job-${index}` }, { sha: demo.three, as: people[index % 2] ?? owner })
    const list = () => demo.list('', demo.three)
    const cost = async () => ({ queries: await queriesOf(server, list), count: (await list()).body.length })
    for (let index = 0; index < 2; index += 1) await report(index)
    const few = await cost()
    for (let index = 2; index < 20; index += 1) await report(index)
    expect([few.count, await cost()]).toEqual([2, { count: 20, queries: few.queries }])
  })
})

describe('when the author is removed', () => {
  test('the statuses pass to the ghost user, or have no author', async () => {
    const demo = await made('left')
    const authorAfter = async (username: string, query: string) => {
      const leaver = await server.user(username)
      await server.make.member({ project: demo.project }, leaver, 40)
      await demo.set('success', { name: username }, { sha: demo.one, as: leaver })
      await server.root.delete(`/users/${leaver.id}${query}`)
      await server.app.platform.jobs.drain()
      return (await demo.list(`?name=${username}`)).body[0].author
    }
    expect(await authorAfter('leaver', '')).toMatchObject({ username: 'ghost' })
    expect(await authorAfter('leaver-for-good', '?hard_delete=true')).toBe(null)
  })
})
