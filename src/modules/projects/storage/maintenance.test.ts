import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { storedJobs } from '../../../testing/jobs.ts'
import type { ProjectRow } from '../tables.ts'
import { type HandsOn, handsOn } from '../testing.ts'

let server: TestServer
let hands: HandsOn
let owner: Person
let developer: Person
let outsider: Person
let project: ProjectRow

beforeAll(async () => {
  server = await startTestServer()
  hands = handsOn(server)
  owner = await server.user('owner')
  developer = await server.user('developer')
  outsider = await server.user('outsider')
  project = await server.make.project('kept', owner)
  await server.make.member({ project }, developer, 30)
  await hands.push(owner, 'owner/kept', ['one', 'two', 'three'])
})
afterAll(() => server.stop())

const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const created = { status: 201, body: { message: '201 Created' } }
const alreadyTriggered = {
  status: 409,
  body: { message: 'Somebody already triggered housekeeping for this resource in the past 1440 minutes' },
}

const statistics = async () => (await owner.get(`/projects/${project.id}?statistics=true`)).body.statistics

describe('the storage of a project', () => {
  test('is shown to administrators', async () => {
    const { disk_path: path } = await hands.repositoryRow(project.id)
    const answer = await server.root.get(`/projects/${project.id}/storage`)
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        project_id: project.id,
        disk_path: path.replace('.git', ''),
        repository_storage: 'default',
        created_at: project.created_at,
      },
    ])
    expect(answer.body.disk_path).toMatch(/^@hashed\/[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64}$/)
  })

  test('is hidden from others, whether or not the project exists', async () => {
    for (const id of [project.id, 987654]) {
      expect(await owner.get(`/projects/${id}/storage`)).toMatchObject(forbidden)
      expect((await server.anonymous.get(`/projects/${id}/storage`)).status).toBe(401)
    }
    expect((await server.root.get('/projects/987654/storage')).body.message).toBe('404 Project Not Found')
  })
})

describe('measuring a repository', () => {
  test('updates its statistics', async () => {
    await hands.push(owner, 'owner/kept', ['a', 'b'], ['main:refs/heads/side'])
    expect(await owner.post(`/projects/${project.id}/repository_size`)).toMatchObject(created)
    const { repository_size: size, storage_size: whole, commit_count: commits } = await statistics()
    expect(commits).toBe(3)
    expect(size).toBe(await hands.at(await hands.repositoryRow(project.id)).sizeBytes())
    expect(whole).toBe(size)
  })

  test('requires a maintainer, and works for an empty repository', async () => {
    expect(await developer.post(`/projects/${project.id}/repository_size`)).toMatchObject(forbidden)
    expect((await outsider.post(`/projects/${project.id}/repository_size`)).status).toBe(404)
    expect((await server.anonymous.post(`/projects/${project.id}/repository_size`)).status).toBe(401)
    const empty = await server.make.project('empty', owner)
    expect(await owner.post(`/projects/${empty.id}/repository_size`)).toMatchObject(created)
  })
})

describe('housekeeping', () => {
  test('packs the repository, one run at a time', async () => {
    const { jobs, database } = server.app.platform
    const repository = hands.at(await hands.repositoryRow(project.id))
    const before = await repository.sizeBytes()
    const answers = await Promise.all([1, 2].map(() => owner.post(`/projects/${project.id}/housekeeping`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(answers.find(({ status }) => status === 409)).toMatchObject(alreadyTriggered)
    await jobs.drain()
    const after = await repository.sizeBytes()
    expect(after).not.toBe(before)
    expect((await statistics()).repository_size).toBe(after)
    expect(await repository.fsck()).toMatchObject({ ok: true })
    expect(await owner.post(`/projects/${project.id}/housekeeping`, { task: 'prune' })).toMatchObject(created)
    await jobs.drain()
    expect(await owner.post(`/projects/${project.id}/housekeeping`, { task: 'eager' })).toMatchObject(created)
    await jobs.drain()
    expect(await storedJobs(database)).toEqual([])
  })

  test('requires a maintainer', async () => {
    const path = `/projects/${project.id}/housekeeping`
    expect(await developer.post(path)).toMatchObject(forbidden)
    expect((await outsider.post(path)).status).toBe(404)
    expect((await server.anonymous.post(path)).status).toBe(401)
    expect((await owner.post(path, { task: 'all' })).body).toEqual({
      message: { task: ['does not have a valid value'] },
      error: 'task does not have a valid value',
    })
  })

  test('skips a repository that is being moved or was deleted', async () => {
    const { database } = server.app.platform
    const moving = await server.make.project('moving', owner)
    const { id } = await hands.repositoryRow(moving.id)
    await database.write((tx) => tx.updateTable('repositories').set({ read_only: true }).where('id', '=', id).execute())
    expect(await owner.post(`/projects/${moving.id}/housekeeping`)).toMatchObject(forbidden)
    await hands.run('projects.housekeeping', { projectId: moving.id })
    await hands.run('projects.housekeeping', { projectId: 987654 })
    expect(await storedJobs(database)).toEqual([])
  })
})
