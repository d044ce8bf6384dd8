import { describe, expect, test } from 'vitest'
import type { Actor } from '../../../api/index.ts'
import { projectWithTwoCommits } from '../../../testing/index.ts'
import type { Project } from '../../projects/index.ts'
import { evidencesOf, insertEvidence } from '../evidence/store.ts'
import { clock, create, people, releases, serveReleasesForTests, server, tagsOf, work } from '../testing.ts'
import { createRelease } from './create-release.ts'

serveReleasesForTests()

describe('x.releases_update', () => {
  test('changes the given members', async () => {
    await create('changing', { ref: 'main', name: 'Old', description: 'old' })
    const path = `${releases}/changing`
    const soon = new Date(clock.now().getTime() + 60_000).toISOString()
    expect(await people.developer.put(path, { name: 'New' })).toMatchObject({
      status: 200,
      body: { name: 'New', description: 'old' },
    })
    expect((await people.developer.put(path, { description: '', released_at: soon })).body).toMatchObject({
      description: '',
      released_at: soon,
      upcoming_release: true,
    })
    expect((await people.developer.put(path, { name: '' })).body.name).toBe('changing')
    expect((await people.developer.put(path, { milestones: [] })).status).toBe(200)
    expect(await people.developer.put(path, { milestones: ['x'] })).toMatchObject({
      status: 400,
      body: { message: 'Milestone(s) not found: x' },
    })
    expect((await people.developer.put(path, {})).body.error).toBe(
      'name, description, milestones, milestone_ids, released_at are missing, at least one parameter must be provided',
    )
    expect(await people.developer.put(`${releases}/nope`, { name: 'x' })).toMatchObject({
      status: 404,
      body: { message: '404 Not Found' },
    })
    expect(await people.reporter.put(`${releases}/nope`, { name: 'x' })).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden' },
    })
  })
})

describe('x.releases_delete', () => {
  test('returns the deleted release and does not delete the tag', async () => {
    await create('leaving')
    const path = `${releases}/leaving`
    const headers = { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' }
    expect((await people.developer.delete(path, { headers })).status).toBe(412)
    expect(await people.developer.delete(path)).toMatchObject({ status: 200, body: { tag_name: 'leaving' } })
    expect(await people.developer.delete(path)).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
    expect((await people.reporter.get(`${work.base}/repository/tags/leaving`)).body.release).toBeNull()
    expect((await create('leaving', {})).status).toBe(201)
  })
})

describe('x.releases_evidence', () => {
  test('is collected when a release is created, and again on request', async () => {
    const { jobs, database } = server.app.platform
    await create('proven', { ref: 'main', description: 'd' })
    await jobs.drain()
    const path = `${releases}/proven`
    const [first] = (await people.reporter.get(path)).body.evidences
    const page = `${server.url}/owner/demo/-/releases/proven/evidences`
    expect(first).toEqual({
      sha: expect.stringMatching(/^[0-9a-f]{64}$/),
      filepath: expect.stringMatching(new RegExp(`^${page}/\\d+\\.json$`)),
      collected_at: clock.now().toISOString(),
    })
    await people.developer.put(path, { description: 'other' })
    expect(await people.maintainer.post(`${path}/evidence`)).toMatchObject({
      status: 202,
      body: { message: '202 Accepted' },
    })
    await jobs.drain()
    const { evidences, assets } = (await people.reporter.get(path)).body
    expect(evidences).toHaveLength(2)
    expect(evidences[1]).toEqual(first)
    expect(evidences[0].sha).not.toBe(first.sha)
    expect(assets.evidence_file_path).toBe(evidences[0].filepath)
    const rows = await database.read.selectFrom('release_evidences').selectAll().where('sha', '=', first.sha).execute()
    expect(rows.map(({ summary }) => JSON.parse(summary).release)).toEqual([
      expect.objectContaining({ tag_name: 'proven', description: 'd', sha: await work.run('rev-parse', 'main') }),
    ])
  })

  test('is stored once when its job runs twice', async () => {
    const { database } = server.app.platform
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

  test('requires a maintainer', async () => {
    await create('unproven')
    for (const client of [people.developer, people.reporter])
      expect((await client.post(`${releases}/unproven/evidence`)).status).toBe(403)
    expect(await people.maintainer.post(`${releases}/nope/evidence`)).toMatchObject({
      status: 404,
      body: { message: '404 Not Found' },
    })
  })

  test('is refused in an archived project', async () => {
    await using own = await projectWithTwoCommits(server, { people, path: 'archived' })
    await people.developer.post(`${own.base}/releases`, { tag_name: 'v1', ref: 'main' })
    expect((await people.owner.post(`${own.base}/archive`)).status).toBe(201)
    for (const client of [people.maintainer, people.owner]) {
      expect(await client.post(`${own.base}/releases/v1/evidence`)).toMatchObject({
        status: 403,
        body: { message: '403 Forbidden' },
      })
    }
  })
})

describe('a release', () => {
  test('is deleted with its tag, and moves with it', async () => {
    await using own = await projectWithTwoCommits(server, { people, path: 'following' })
    const path = `${own.base}/releases`
    for (const tag of ['by-api', 'by-push', 'kept', 'moved'])
      await people.developer.post(path, { tag_name: tag, ref: 'main' })
    await own.push(people.owner, 'main:refs/heads/kept-branch')
    expect((await people.developer.delete(`${own.base}/repository/tags/by-api`)).status).toBe(204)
    await own.run('tag', '--annotate', 'moved', '--message', 'm', 'main~1')
    expect(await own.push(people.developer, ':refs/tags/by-push', ':refs/heads/kept-branch')).toMatchObject({
      isAccepted: true,
    })
    expect(await own.push(people.developer, '--force', 'moved')).toMatchObject({ isAccepted: true })
    const answer = await people.reporter.get(path)
    expect(tagsOf(answer)).toEqual(['moved', 'kept'])
    const before = await own.run('rev-parse', 'main~1')
    expect(answer.body[0].commit.id).toBe(before)
    expect(answer.body[1].commit.id).toBe(await own.run('rev-parse', 'main'))
    await own.run('tag', '--force', 'moved', 'main^{tree}')
    expect(await own.push(people.developer, '--force', 'moved')).toMatchObject({ isAccepted: true })
    const ofTree = (await people.reporter.get(`${path}/moved`)).body
    expect([ofTree.commit, 'commit_path' in ofTree]).toEqual([null, false])
  })

  test('is not created on a tag deleted meanwhile, and is created when another ref moves', async () => {
    const { platform: actual } = server.app
    await using own = await projectWithTwoCommits(server, { people, path: 'racing' })
    const project: Project = {
      ...own.project,
      role: { level: 50, projectLevel: 50, groupLevel: null, permissions: new Set() },
    }
    const tags = `${own.base}/repository/tags`
    const actor = { kind: 'user', userId: people.owner.id, credential: {} } as Actor

    /** Creates a release; right before its first transaction something else happens. */
    async function createAfter(tag: string, happening: () => Promise<unknown>) {
      let isFirst = true
      const write: typeof actual.database.write = async (work) => {
        if (isFirst) await happening()
        isFirst = false
        return actual.database.write(work)
      }
      const platform = { ...actual, database: Object.assign(Object.create(actual.database), { write }) }
      expect((await people.developer.post(tags, { tag_name: tag, ref: 'main' })).status).toBe(201)
      return createRelease(platform, project, actor, { tag_name: tag })
    }

    await expect(createAfter('gone', () => people.developer.delete(`${tags}/gone`))).rejects.toMatchObject({
      status: 422,
      body: { message: 'Ref is not specified' },
    })
    expect((await people.reporter.get(`${own.base}/releases`)).body).toEqual([])
    const other = () => people.developer.post(tags, { tag_name: 'other', ref: 'main' })
    expect(await createAfter('kept', other)).toMatchObject({
      tag_name: 'kept',
      commit: { id: await own.run('rev-parse', 'main') },
    })
    expect(tagsOf(await people.reporter.get(`${own.base}/releases`))).toEqual(['kept'])
  })

  test('is not deleted with its author', async () => {
    const passing = await server.user('passing')
    await using own = await projectWithTwoCommits(server, { people, path: 'outliving' })
    await server.make.member({ project: own.project }, passing, 30)
    for (const tag of ['v1', 'v2']) await passing.post(`${own.base}/releases`, { tag_name: tag, ref: 'main' })
    expect((await server.root.delete(`/users/${passing.id}`)).status).toBe(204)
    await server.app.platform.jobs.drain()
    const { author } = (await people.reporter.get(`${own.base}/releases/v1`)).body
    expect(author.username).toMatch(/^ghost/)
    const gone = await server.user('gone-for-good')
    await server.make.member({ project: own.project }, gone, 30)
    await gone.post(`${own.base}/releases`, { tag_name: 'v3', ref: 'main' })
    expect((await server.root.delete(`/users/${gone.id}?hard_delete=true`)).status).toBe(204)
    await server.app.platform.jobs.drain()
    expect((await people.reporter.get(`${own.base}/releases/v3`)).body).toMatchObject({ tag_name: 'v3', author: null })
  })
})
