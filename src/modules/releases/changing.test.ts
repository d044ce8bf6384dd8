import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Actor } from '../../api/index.ts'
import { manualClock } from '../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { type People, people, type Work, workOn } from '../../testing/work.ts'
import type { Project } from '../projects/index.ts'
import { createReleaseCreation } from './creation.ts'
import { withoutMilestones } from './milestones.ts'
import { evidencesOf, insertEvidence } from './store.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
let server: TestServer
let cast: People
let work: Work
let releases: string

beforeAll(async () => {
  server = await startTestServer({ clock })
  cast = await people(server)
  work = await workOn(server, cast, 'demo')
  releases = `${work.base}/releases`
})
afterAll(async () => {
  await work[Symbol.asyncDispose]()
  await server.stop()
})

type Answer = Awaited<ReturnType<typeof server.root.get>>
const tagsOf = (answer: Answer) => answer.body.map((release: { tag_name: string }) => release.tag_name)
const create = (tag_name: unknown, more: object = { ref: 'main' }, client = cast.developer) =>
  client.post(releases, { tag_name, ...more })

describe('x.releases_update', () => {
  test('changes what is given', async () => {
    await create('changing', { ref: 'main', name: 'Old', description: 'old' })
    const path = `${releases}/changing`
    const soon = new Date(clock.now().getTime() + 60_000).toISOString()
    expect(await cast.developer.put(path, { name: 'New' })).toMatchObject({
      status: 200,
      body: { name: 'New', description: 'old' },
    })
    expect((await cast.developer.put(path, { description: '', released_at: soon })).body).toMatchObject({
      description: '',
      released_at: soon,
      upcoming_release: true,
    })
    expect((await cast.developer.put(path, { name: '' })).body.name).toBe('changing')
    expect((await cast.developer.put(path, { milestones: [] })).status).toBe(200)
    expect(await cast.developer.put(path, { milestones: ['x'] })).toMatchObject({
      status: 400,
      body: { message: 'Milestone(s) not found: x' },
    })
    expect((await cast.developer.put(path, {})).body.error).toBe(
      'name, description, milestones, milestone_ids, released_at are missing, at least one parameter must be provided',
    )
    expect(await cast.developer.put(`${releases}/nope`, { name: 'x' })).toMatchObject({
      status: 404,
      body: { message: '404 Not Found' },
    })
    expect(await cast.reporter.put(`${releases}/nope`, { name: 'x' })).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden' },
    })
  })
})

describe('x.releases_delete', () => {
  test('shows what it removes, and leaves the tag', async () => {
    await create('leaving')
    const path = `${releases}/leaving`
    const headers = { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' }
    expect((await cast.developer.delete(path, { headers })).status).toBe(412)
    expect(await cast.developer.delete(path)).toMatchObject({ status: 200, body: { tag_name: 'leaving' } })
    expect(await cast.developer.delete(path)).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
    expect((await cast.reporter.get(`${work.base}/repository/tags/leaving`)).body.release).toBeNull()
    expect((await create('leaving', {})).status).toBe(201)
  })
})

describe('x.releases_evidence', () => {
  test('is collected when a release is made, and once more when asked for', async () => {
    const { jobs, database } = server.app.floor
    await create('proven', { ref: 'main', description: 'd' })
    await jobs.drain()
    const path = `${releases}/proven`
    const [first] = (await cast.reporter.get(path)).body.evidences
    const page = `${server.url}/owner/demo/-/releases/proven/evidences`
    expect(first).toEqual({
      sha: expect.stringMatching(/^[0-9a-f]{64}$/),
      filepath: expect.stringMatching(new RegExp(`^${page}/\\d+\\.json$`)),
      collected_at: clock.now().toISOString(),
    })
    await cast.developer.put(path, { description: 'other' })
    expect(await cast.maintainer.post(`${path}/evidence`)).toMatchObject({
      status: 202,
      body: { message: '202 Accepted' },
    })
    await jobs.drain()
    const { evidences, assets } = (await cast.reporter.get(path)).body
    expect(evidences).toHaveLength(2)
    expect(evidences[1]).toEqual(first)
    expect(evidences[0].sha).not.toBe(first.sha)
    expect(assets.evidence_file_path).toBe(evidences[0].filepath)
    const rows = await database.read.selectFrom('release_evidences').selectAll().where('sha', '=', first.sha).execute()
    expect(rows.map(({ summary }) => JSON.parse(summary).release)).toEqual([
      expect.objectContaining({ tag_name: 'proven', description: 'd', sha: await work.run('rev-parse', 'main') }),
    ])
  })

  test('is kept once however often its job runs', async () => {
    const { database } = server.app.floor
    const { id } = await database.read.selectFrom('releases').select('id').orderBy('id').executeTakeFirstOrThrow()
    const evidence = {
      release_id: id,
      job_id: 999_999,
      sha: 'a',
      summary: '{}',
      collected_at: clock.now().toISOString(),
    }
    for (const sha of ['a', 'b']) await database.write((tx) => insertEvidence(tx, { ...evidence, sha }))
    const kept = (await evidencesOf(database.read, [id])).filter(({ job_id }) => job_id === evidence.job_id)
    expect(kept.map(({ sha }) => sha)).toEqual(['a'])
  })

  test('is for maintainers', async () => {
    await create('unproven')
    for (const client of [cast.developer, cast.reporter])
      expect((await client.post(`${releases}/unproven/evidence`)).status).toBe(403)
    expect(await cast.maintainer.post(`${releases}/nope/evidence`)).toMatchObject({
      status: 404,
      body: { message: '404 Not Found' },
    })
  })
})

describe('a release', () => {
  test('goes with its tag, however that goes', async () => {
    await using own = await workOn(server, cast, 'following')
    const path = `${own.base}/releases`
    for (const tag of ['by-api', 'by-push', 'kept', 'moved'])
      await cast.developer.post(path, { tag_name: tag, ref: 'main' })
    await own.push(cast.owner, 'main:refs/heads/kept-branch')
    expect((await cast.developer.delete(`${own.base}/repository/tags/by-api`)).status).toBe(204)
    await own.run('tag', '--annotate', 'moved', '--message', 'm', 'main~1')
    expect(await own.push(cast.developer, ':refs/tags/by-push', ':refs/heads/kept-branch')).toMatchObject({
      isAccepted: true,
    })
    expect(await own.push(cast.developer, '--force', 'moved')).toMatchObject({ isAccepted: true })
    const answer = await cast.reporter.get(path)
    expect(tagsOf(answer)).toEqual(['moved', 'kept'])
    const before = await own.run('rev-parse', 'main~1')
    expect(answer.body[0].commit.id).toBe(before)
    expect(answer.body[1].commit.id).toBe(await own.run('rev-parse', 'main'))
    await own.run('tag', '--force', 'moved', 'main^{tree}')
    expect(await own.push(cast.developer, '--force', 'moved')).toMatchObject({ isAccepted: true })
    const ofTree = (await cast.reporter.get(`${path}/moved`)).body
    expect([ofTree.commit, 'commit_path' in ofTree]).toEqual([null, false])
  })

  test('is never made on a tag that goes meanwhile, and is when only something else moves', async () => {
    const { database, repositories } = server.app.floor
    await using own = await workOn(server, cast, 'racing')
    const project: Project = { ...own.project, role: { level: 50, projectLevel: 50, groupLevel: null } }
    const tags = `${own.base}/repository/tags`
    const actor = { kind: 'user', userId: cast.owner.id } as Actor

    /** Makes a release, with something else happening right before it is written. */
    async function createAfter(tag: string, happening: () => Promise<unknown>) {
      let isFirst = true
      const write: typeof database.write = async (work) => {
        if (isFirst) await happening()
        isFirst = false
        return database.write(work)
      }
      const create = createReleaseCreation({
        ...{ repositories, clock, database: Object.assign(Object.create(database), { write }) },
        makeTag: async () => null,
        mayCreateTag: async () => true,
        milestones: withoutMilestones,
        evidence: { collectLater: async () => {} },
      })
      expect((await cast.developer.post(tags, { tag_name: tag, ref: 'main' })).status).toBe(201)
      return create(project, actor, { tag_name: tag })
    }

    await expect(createAfter('gone', () => cast.developer.delete(`${tags}/gone`))).rejects.toMatchObject({
      status: 422,
      body: { message: 'Ref is not specified' },
    })
    expect((await cast.reporter.get(`${own.base}/releases`)).body).toEqual([])
    const other = () => cast.developer.post(tags, { tag_name: 'other', ref: 'main' })
    expect(await createAfter('kept', other)).toMatchObject({ tag: 'kept', sha: await own.run('rev-parse', 'main') })
    expect(tagsOf(await cast.reporter.get(`${own.base}/releases`))).toEqual(['kept'])
  })

  test('outlives its author', async () => {
    const passing = await server.user('passing')
    await using own = await workOn(server, cast, 'outliving')
    await server.make.member({ project: own.project }, passing, 30)
    for (const tag of ['v1', 'v2']) await passing.post(`${own.base}/releases`, { tag_name: tag, ref: 'main' })
    expect((await server.root.delete(`/users/${passing.id}`)).status).toBe(204)
    await server.app.floor.jobs.drain()
    const { author } = (await cast.reporter.get(`${own.base}/releases/v1`)).body
    expect(author.username).toMatch(/^ghost/)
    const gone = await server.user('gone-for-good')
    await server.make.member({ project: own.project }, gone, 30)
    await gone.post(`${own.base}/releases`, { tag_name: 'v3', ref: 'main' })
    expect((await server.root.delete(`/users/${gone.id}?hard_delete=true`)).status).toBe(204)
    await server.app.floor.jobs.drain()
    expect((await cast.reporter.get(`${own.base}/releases/v3`)).body).toMatchObject({ tag_name: 'v3', author: null })
  })
})
