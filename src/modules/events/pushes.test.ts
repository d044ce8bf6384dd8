import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import {
  git,
  httpUrl,
  makeHistory,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../testing/index.ts'
import type { ProjectRow } from '../projects/index.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
let server: TestServer
let owner: Person
let folder: Awaited<ReturnType<typeof temporaryDirectory>>

beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  folder = await temporaryDirectory()
  await makeHistory(folder.path, ['one', 'two', 'three'])
})
afterAll(async () => {
  await folder[Symbol.asyncDispose]()
  await server.stop()
})

async function push(path: string, ...parameters: string[]) {
  const address = httpUrl(server, owner, `owner/${path}`)
  const outcome = await git(
    folder.path,
    'push',
    ...parameters.slice(0, -1),
    address,
    ...parameters.slice(-1)[0]!.split(' '),
  )
  expect(outcome).toMatchObject({ code: 0 })
  return outcome.stderr
}

const oidOf = async (revision: string) => (await git(folder.path, 'rev-parse', revision)).stdout.trim()

async function eventsOf(project: ProjectRow) {
  const { database } = server.app.platform
  return database.read.selectFrom('events').selectAll().where('project_id', '=', project.id).orderBy('id').execute()
}

async function pushesOf(project: ProjectRow) {
  return server.app.platform.database.read
    .selectFrom('pushes')
    .innerJoin('repositories', 'repositories.id', 'pushes.repository_id')
    .selectAll('pushes')
    .where('repositories.project_id', '=', project.id)
    .orderBy('pushes.id')
    .execute()
}

describe('a push', () => {
  test('is recorded as an event for each ref and as one push', async () => {
    const project = await server.make.project('told', owner)
    const [one, two, three] = await Promise.all(['main~2', 'main~1', 'main'].map(oidOf))
    await push('told', 'main~1:refs/heads/main')
    await push('told', '-o', 'ci.skip', 'main:refs/heads/main main~2:refs/heads/side main:refs/tags/v1')
    await push('told', ':refs/heads/side')
    const events = await eventsOf(project)
    expect(events.map(({ action, author_id, push_data }) => [action, author_id, push_data])).toEqual([
      [
        'pushed new',
        owner.id,
        {
          commit_count: 2,
          action: 'created',
          ref_type: 'branch',
          commit_from: null,
          commit_to: two,
          ref: 'main',
          commit_title: 'two',
          ref_count: null,
        },
      ],
      ['pushed to', owner.id, expect.objectContaining({ commit_count: 1, commit_from: two, commit_to: three })],
      ['pushed new', owner.id, expect.objectContaining({ commit_count: 0, ref: 'side', commit_title: 'one' })],
      ['pushed new', owner.id, expect.objectContaining({ ref_type: 'tag', ref: 'v1', commit_count: 0 })],
      ['deleted', owner.id, expect.objectContaining({ action: 'removed', commit_from: one, commit_to: null })],
    ])
    const pushes = await pushesOf(project)
    expect(pushes.map(({ push_options }) => push_options)).toEqual([[], ['ci.skip'], []])
    expect(pushes[1]?.changes).toEqual([
      { ref: 'refs/heads/main', old: two, new: three },
      { ref: 'refs/heads/side', old: '0'.repeat(40), new: one },
      { ref: 'refs/tags/v1', old: '0'.repeat(40), new: three },
    ])
  })

  test('of many refs is recorded as one event', async () => {
    const project = await server.make.project('many', owner)
    await push('many', [1, 2, 3, 4].map((number) => `main:refs/heads/b${number}`).join(' '))
    const events = await eventsOf(project)
    expect(events.map(({ push_data }) => push_data)).toEqual([
      expect.objectContaining({ action: 'created', ref_type: 'branch', ref: null, ref_count: 4 }),
    ])
    expect((await pushesOf(project))[0]?.changes).toHaveLength(4)
  })

  test('that is refused is not recorded', async () => {
    const project = await server.make.project('refused', owner)
    await push('refused', 'main')
    const before = await eventsOf(project)
    const address = httpUrl(server, owner, 'owner/refused')
    expect((await git(folder.path, 'push', address, ':main')).code).toBe(1)
    expect(await eventsOf(project)).toEqual(before)
    expect(await pushesOf(project)).toHaveLength(1)
  })

  test('by the API is recorded as well', async () => {
    const project = await server.make.project('by-api', owner)
    await push('by-api', 'main')
    const path = `/projects/${project.id}/repository/branches`
    expect((await owner.post(path, { branch: 'topic', ref: 'main' })).status).toBe(201)
    expect((await owner.delete(`${path}/topic`)).status).toBe(204)
    expect((await eventsOf(project)).map(({ action }) => action)).toEqual(['pushed new', 'pushed new', 'deleted'])
  })

  test('updates the statistics', async () => {
    const project = await server.make.project('counted', owner)
    await push('counted', 'main')
    await server.app.platform.jobs.drain()
    const read = async () => (await owner.get(`/projects/${project.id}?statistics=true`)).body.statistics
    expect(await read()).toMatchObject({ commit_count: 3 })
    expect((await read()).repository_size).toBeGreaterThan(0)
    const row = await server.app.platform.database.read
      .selectFrom('repositories')
      .selectAll()
      .where('project_id', '=', project.id)
      .executeTakeFirstOrThrow()
    expect(row.measured_generation).toBe(row.generation)
  })

  test('is deleted after a week, its events are not', async () => {
    const project = await server.make.project('old', owner)
    await push('old', 'main')
    const { jobs, database } = server.app.platform
    await jobs.drain()
    clock.advance(8 * 86_400_000)
    await database.write((tx) => jobs.enqueue(tx, 'pushes.forget', null))
    await jobs.drain()
    expect(await pushesOf(project)).toEqual([])
    expect(await eventsOf(project)).toHaveLength(1)
  })
})

describe('the pusher', () => {
  test('gets the address for a merge request, and the unknown push options', async () => {
    await server.make.project('noticed', owner)
    expect(await push('noticed', 'main')).not.toContain('merge request')
    const told = await push('noticed', '-o', 'ci.skip', '-o', 'make.coffee=now', 'main~1:refs/heads/a/b&c')
    expect(told).toContain("remote: WARNING: unknown push option 'make.coffee=now' was ignored")
    expect(told).not.toContain('ci.skip')
    expect(told).toContain('remote: To create a merge request for a/b&c, visit:')
    const address = `${server.url}/owner/noticed/-/merge_requests/new?merge_request%5Bsource_branch%5D=a%2Fb%26c`
    expect(told).toContain(`remote:   ${address}`)
    expect(await push('noticed', ':refs/heads/a/b&c')).not.toContain('merge request')
  })

  test('gets no address when the project disables it', async () => {
    const project = await server.make.project('silent', owner)
    await owner.put(`/projects/${project.id}`, { printing_merge_request_link_enabled: false })
    await push('silent', 'main')
    expect(await push('silent', 'main~1:refs/heads/topic')).not.toContain('merge request')
  })
})
