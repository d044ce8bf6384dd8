import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import {
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { type RegistryRows, registryRows } from '../images/testing.ts'
import { deleteRepositoriesJob } from './deletion.ts'

const minuteMs = 60_000

let clock: ManualClock
let server: TestServer
let people: ProjectWithMembers
let rows: RegistryRows
let base: string

beforeAll(async () => {
  clock = manualClock({ start: '2026-05-01T00:00:00.000Z' })
  server = await startTestServer({ clock })
  people = await projectWithMembers(server)
  rows = registryRows(server)
  base = `/projects/${people.project.id}/registry/repositories`
})
afterAll(() => server.stop())

let number = 0
let id: number
beforeEach(async () => {
  number += 1
  id = await rows.repository(people.project, `r${number}`)
})

const drain = () => server.app.platform.jobs.drain()
const statusOf = async (repositoryId = id) => (await rows.row(repositoryId))?.status
const remove = () => people.maintainer.delete(`${base}/${id}`)

/** Rows of a table that belong to a repository. */
async function countOf(table: 'registry_tags' | 'registry_manifests' | 'registry_blob_links', repositoryId: number) {
  const query = server.app.platform.database.read.selectFrom(table).select('repository_id')
  return (await query.where('repository_id', '=', repositoryId).execute()).length
}

/** Makes the deletion of a repository fail: a tag of another repository is on one of its manifests. @returns the repair */
async function obstruct(): Promise<() => Promise<void>> {
  const other = await rows.repository(people.project, `other${number}`)
  const manifest = await rows.image(id, `held ${number}`)
  await rows.tag(other, manifest, ['v1'])
  const { database } = server.app.platform
  return async () => {
    await database.write((tx) => tx.deleteFrom('registry_tags').where('repository_id', '=', other).execute())
  }
}

/** Runs deletions as another process would. */
const runAsOther = (signal = new AbortController().signal) =>
  deleteRepositoriesJob.run(server.app.platform, null, { jobId: 0, attempt: 1, signal })

describe('the deletion of a repository', () => {
  test('is shown at once and removes everything in it', async () => {
    const [amd, arm] = [
      await rows.image(id, 'amd', { layers: { common: 10, amd: 1 } }),
      await rows.image(id, 'arm', { layers: { common: 10 } }),
    ]
    const index = await rows.image(id, 'index', { children: [amd, arm], tags: ['v1'] })
    await rows.image(id, 'nested', { children: [index], tags: ['all', 'latest'] })
    const neighbour = await rows.repository(people.project, 'neighbour')
    await rows.image(neighbour, 'amd', { layers: { common: 10 }, tags: ['v1'] })
    const repair = await obstruct()
    expect((await people.developer.delete(`${base}/${id}`)).status).toBe(403)
    expect(await remove()).toMatchObject({ status: 202, body: { message: '202 Accepted' } })
    const shown = await people.owner.get(`/registry/repositories/${id}`)
    expect(shown.body.status).toMatch(/^delete_(scheduled|ongoing)$/)
    await drain()
    await repair()
    clock.advance(minuteMs)
    await drain()
    expect(await people.owner.get(`/registry/repositories/${id}`)).toMatchObject({ status: 404 })
    expect(await remove()).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    for (const table of ['registry_tags', 'registry_manifests', 'registry_blob_links'] as const)
      expect(await countOf(table, id)).toBe(0)
    expect(await rows.tagNames(neighbour)).toEqual(['v1'])
  })

  test('begins the grace period of the blobs that lost a link', async () => {
    await rows.image(id, 'graced', { layers: { graced: 10 } })
    const { database } = server.app.platform
    await database.write((tx) => tx.updateTable('registry_blobs').set({ is_referenced: true }).execute())
    clock.advance(5 * minuteMs)
    await remove()
    await drain()
    const query = database.read.selectFrom('registry_blobs').select(['used_at', 'is_referenced'])
    expect(await query.orderBy('id', 'desc').executeTakeFirst()).toEqual({
      used_at: clock.now().toISOString(),
      is_referenced: false,
    })
  })

  test('is requested once: a second request has no effect', async () => {
    const answers = await Promise.all([remove(), remove(), remove()])
    expect(answers.map(({ status }) => status)).toContain(202)
    await drain()
    await rows.repository(people.project, `r${number}`)
    const again = await people.owner.get(`${base}?per_page=100`)
    expect(again.body.map((one: { name: string }) => one.name)).toContain(`r${number}`)
  })

  test('keeps the failures of one that is scheduled, and starts anew after it has failed', async () => {
    const inOneHour = new Date(clock.now().getTime() + 60 * minuteMs).toISOString()
    await rows.change(id, { status: 'delete_scheduled', failures: 3, retry_at: inOneHour })
    expect((await remove()).status).toBe(202)
    expect(await rows.row(id)).toMatchObject({ status: 'delete_scheduled', failures: 3, retry_at: inOneHour })
    await rows.change(id, { status: 'delete_failed', failures: 10, retry_at: null })
    const repair = await obstruct()
    expect((await remove()).status).toBe(202)
    await drain()
    expect(await rows.row(id)).toMatchObject({ status: 'delete_scheduled', failures: 1 })
    await repair()
  })

  test('is refused by a protection rule, except to administrators', async () => {
    const rule = { repository_path_pattern: `${people.path}/r${number}`, minimum_access_level_for_delete: 'owner' }
    const rules = `/projects/${people.project.id}/registry/protection/repository/rules`
    expect((await people.owner.post(rules, rule)).status).toBe(201)
    await rows.image(id, 'protected', { tags: ['v1', 'v2'] })
    const refusal = {
      status: 403,
      body: { message: '403 Forbidden - Deleting protected container repository forbidden.' },
    }
    expect(await remove()).toMatchObject(refusal)
    expect(await people.maintainer.delete(`${base}/${id}/tags/v1`)).toMatchObject(refusal)
    expect((await people.owner.delete(`${base}/${id}/tags/v1`)).status).toBe(204)
    expect((await server.root.delete(`${base}/${id}`)).status).toBe(202)
  })
})

describe('a deletion that fails', () => {
  test('is tried again after 2^n minutes, and succeeds when the reason is gone', async () => {
    const repair = await obstruct()
    await remove()
    await drain()
    for (const failures of [1, 2, 3]) {
      const delayMs = 2 ** (failures - 1) * minuteMs
      const retryAt = new Date(clock.now().getTime() + delayMs).toISOString()
      expect(await rows.row(id)).toMatchObject({ status: 'delete_scheduled', failures, retry_at: retryAt })
      clock.advance(delayMs - 1)
      await runAsOther()
      expect(await rows.row(id)).toMatchObject({ failures, retry_at: retryAt })
      clock.advance(1)
      await drain()
    }
    await repair()
    clock.advance(8 * minuteMs)
    await drain()
    expect(await rows.row(id)).toBeUndefined()
  })

  test('ends with the tenth failure', async () => {
    const repair = await obstruct()
    await rows.change(id, { status: 'delete_scheduled', failures: 9 })
    await runAsOther()
    expect(await rows.row(id)).toMatchObject({ status: 'delete_failed', failures: 10, retry_at: null })
    clock.advance(24 * 60 * minuteMs)
    await drain()
    expect(await statusOf()).toBe('delete_failed')
    await repair()
    await remove()
    await drain()
    expect(await rows.row(id)).toBeUndefined()
  })
})

describe('a deletion whose worker died', () => {
  const ongoing = (process: string) =>
    rows.change(id, { status: 'delete_ongoing', claimed_at: clock.now().toISOString(), claimed_by: process })

  test('is continued at once when its process has ended', async () => {
    await rows.image(id, 'killed', { tags: ['v1'] })
    await ongoing('a process that was killed')
    await runAsOther()
    expect(await rows.row(id)).toBeUndefined()
  })

  test('is left to a process that lives', async () => {
    await ongoing(server.app.platform.presence.name())
    await runAsOther()
    expect(await statusOf()).toBe('delete_ongoing')
    await rows.change(id, { status: null, claimed_at: null, claimed_by: null })
  })

  test('is continued after 30 minutes without a sign of life, not before', async () => {
    await rows.image(id, 'left', { tags: ['v1'] })
    await rows.change(id, { status: 'delete_ongoing', claimed_at: clock.now().toISOString() })
    clock.advance(30 * minuteMs)
    await runAsOther()
    expect(await statusOf()).toBe('delete_ongoing')
    clock.advance(1)
    await runAsOther()
    // The recurring job may have claimed it first.
    await expect.poll(() => rows.row(id)).toBeUndefined()
  })

  test('is released by a worker that is stopped, without a failure', async () => {
    // The recurring job, which the clock has made due, must not claim it first.
    await drain()
    const stopped = new AbortController()
    await rows.image(id, 'stopped', { tags: ['v1'] })
    await rows.change(id, { status: 'delete_scheduled' })
    const { database } = server.app.platform
    const { write } = database
    let writes = 0
    const platform = {
      ...server.app.platform,
      database: {
        ...database,
        write: (async (work) => {
          writes += 1
          if (writes === 4) stopped.abort()
          return write(work)
        }) as typeof write,
      },
    }
    const context = { jobId: 0, attempt: 1, signal: stopped.signal, renew: async () => {} }
    await expect(deleteRepositoriesJob.run(platform, null, context)).rejects.toThrow()
    expect(await rows.row(id)).toMatchObject({ status: 'delete_scheduled', failures: 0, claimed_at: null })
    await runAsOther()
    expect(await rows.row(id)).toBeUndefined()
  })

  test('is done by one of several workers', async () => {
    for (let index = 0; index < 5; index += 1) await rows.image(id, `many ${index}`, { tags: [`v${index}`] })
    await rows.change(id, { status: 'delete_scheduled' })
    await Promise.all([runAsOther(), runAsOther(), runAsOther()])
    expect(await rows.row(id)).toBeUndefined()
  })
})

describe('the removal of a project', () => {
  async function withImages(project: ProjectRow): Promise<number> {
    const repository = await rows.repository(project, 'web')
    await rows.image(repository, `of ${project.full_path}`, { layers: { common: 10 }, tags: ['v1'] })
    return repository
  }

  test('deletes its images, and their records outlive its row', async () => {
    const { project, owner } = await projectWithMembers(server)
    const repository = await withImages(project)
    const manifest = await rows.image(repository, 'held by a project')
    await rows.tag(id, manifest, ['v1'])
    await owner.delete(`/projects/${project.id}`)
    const path = (await owner.get(`/projects/${project.id}`)).body.path_with_namespace
    expect((await owner.get(`/registry/repositories/${repository}`)).body.path).toBe(`${path}/web`)
    await owner.delete(`/projects/${project.id}?permanently_remove=true&full_path=${encodeURIComponent(path)}`)
    await drain()
    expect((await owner.get(`/projects/${project.id}`)).status).toBe(404)
    expect((await server.root.get(`/registry/repositories/${repository}`)).status).toBe(404)
    expect(await rows.row(repository)).toMatchObject({ project_id: null, status: 'delete_scheduled', failures: 1 })
    await server.app.platform.database.write((tx) =>
      tx.deleteFrom('registry_tags').where('repository_id', '=', id).execute(),
    )
    clock.advance(minuteMs)
    await drain()
    expect(await rows.row(repository)).toBeUndefined()
  })

  test('deletes the images of all projects of a group that is removed', async () => {
    const { owner } = people
    const top = await server.make.group('top', owner)
    const namespace = await server.make.group('leaving', owner, { parent: top })
    const below = await server.make.group('below', owner, { parent: namespace })
    const repositories = [
      await withImages(await server.make.project('p', owner, { namespace })),
      await withImages(await server.make.project('q', owner, { namespace: below })),
    ]
    await owner.delete(`/groups/${namespace.id}`)
    const path = (await owner.get(`/groups/${namespace.id}`)).body.full_path
    await owner.delete(`/groups/${namespace.id}?permanently_remove=true&full_path=${encodeURIComponent(path)}`)
    await drain()
    expect((await owner.get(`/groups/${namespace.id}`)).status).toBe(404)
    for (const repository of repositories) expect(await rows.row(repository)).toBeUndefined()
  })
})
