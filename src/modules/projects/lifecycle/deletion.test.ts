import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayAfter } from '../../../api/index.ts'
import { removedRepositories } from '../../../platform/repositories/index.ts'
import type { Person, TestServer } from '../../../testing/index.ts'
import { storedJobs } from '../../../testing/jobs.ts'
import { type HandsOn, startWithMaintainer, type WithMaintainer } from '../testing.ts'

let server: TestServer
let hands: HandsOn
let owner: Person
let maintainer: Person
let outsider: Person
let made: WithMaintainer['made']

beforeAll(async () => {
  ;({ server, hands, owner, maintainer, outsider, made } = await startWithMaintainer())
})
afterAll(() => server.stop())

const projectNotFound = { status: 404, body: { message: '404 Project Not Found' } }
const accepted = { status: 202, body: { message: '202 Accepted' } }
const refused = (message: string) => ({ status: 400, body: { message } })
const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }
const alreadyMarked = refused('Project has been already marked for deletion')
const wrongFullPath = refused('`full_path` is incorrect. You must enter the complete path for the project.')

const day = (difference = 0) => dayAfter(server.app.platform.clock.now(), difference)

/** Has a period of days for what is in `work`. */
async function withPeriod(days: number, work: () => Promise<void>) {
  await server.root.put('/application/settings', { deletion_adjourned_period: days })
  try {
    await work()
  } finally {
    await server.root.put('/application/settings', { deletion_adjourned_period: 7 })
  }
}

describe('deleting a project', () => {
  test('marks it: it can be read, its path and name are free, and the old path redirects', async () => {
    const project = await made('gone')
    expect(await owner.delete('/projects/owner%2Fgone')).toMatchObject(accepted)
    const { status, body } = await owner.get(`/projects/${project.id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      path: `gone-deletion_scheduled-${project.id}`,
      name: `gone-deletion_scheduled-${project.id}`,
      path_with_namespace: `owner/gone-deletion_scheduled-${project.id}`,
      marked_for_deletion_on: day(),
      marked_for_deletion_at: day(),
      archived: false,
    })
    expect((await owner.get('/projects/owner%2Fgone')).status).toBe(301)
    expect(await owner.post('/projects', { name: 'gone' })).toMatchObject({ status: 201, body: { path: 'gone' } })
    expect((await owner.get('/projects/owner%2Fgone')).status).toBe(200)
    expect(await owner.delete(`/projects/${project.id}`)).toMatchObject(alreadyMarked)
  })

  test('refuses writes while it is marked', async () => {
    const project = await made('silent')
    await hands.push(owner, 'owner/silent', ['first'])
    await owner.delete(`/projects/${project.id}`)
    const path = `owner/silent-deletion_scheduled-${project.id}`
    const pushed = await hands.tryPush(owner, path)
    expect(pushed.code).not.toBe(0)
    expect(await hands.lsRemote(owner, path)).toContain('refs/heads/main')
    const branch = { branch: 'b', ref: 'main' }
    expect(await owner.post(`/projects/${project.id}/repository/branches`, branch)).toMatchObject(forbidden)
    expect(await owner.post(`/projects/${project.id}/archive`)).toMatchObject(forbidden)
    expect(await owner.put(`/projects/${project.id}/transfer`, { namespace: 'owner' })).toMatchObject(forbidden)
    expect(await owner.post(`/projects/${project.id}/share`, { group_id: 1, group_access: 10 })).toMatchObject(
      forbidden,
    )
  })

  test('requires an owner or administrator', async () => {
    const project = await made('kept')
    const path = `/projects/${project.id}`
    expect(await maintainer.delete(path)).toMatchObject(forbidden)
    expect(await outsider.delete(path)).toMatchObject(projectNotFound)
    expect(await server.anonymous.delete(path)).toMatchObject(unauthorized)
    expect(await maintainer.post(`${path}/restore`)).toMatchObject(forbidden)
    expect(await outsider.post(`${path}/restore`)).toMatchObject(projectNotFound)
    const reader = server.as(await server.make.token(owner, ['read_api']))
    expect((await reader.delete(path)).body).toMatchObject({ error: 'insufficient_scope', scope: 'api' })
    expect(await server.root.delete(path)).toMatchObject(accepted)
    expect(await server.root.delete('/projects/999999')).toMatchObject(projectNotFound)
    expect(await server.root.delete('/projects/99999999999999999999')).toMatchObject(projectNotFound)
  })

  test('respects If-Unmodified-Since', async () => {
    const project = await made('newer')
    const headers = { 'If-Unmodified-Since': 'Mon, 01 Jan 2024 00:00:00 GMT' }
    const answer = await owner.delete(`/projects/${project.id}`, { headers })
    expect(answer).toMatchObject({ status: 412, body: { message: '412 Precondition Failed' } })
    expect((await hands.row(project.id))?.marked_for_deletion_on).toBeNull()
  })

  test('validates its parameters before any change', async () => {
    const project = await made('odd')
    const path = `/projects/${project.id}`
    expect((await owner.delete(`${path}?permanently_remove=maybe`)).body.error).toBe('permanently_remove is invalid')
    expect((await owner.delete(`${path}?permanently_remove[]=true`)).status).toBe(400)
    expect((await owner.delete(`${path}?permanently_remove=true&full_path=a%00b`)).body.error).toBe(
      'full_path is invalid',
    )
    expect((await hands.row(project.id))?.marked_for_deletion_on).toBeNull()
  })

  test('numbers the suffix when the resulting path is taken', async () => {
    const project = await made('clever')
    const squatter = await made(`clever-deletion_scheduled-${project.id}`)
    expect(await owner.delete(`/projects/${project.id}`)).toMatchObject(accepted)
    expect((await hands.row(project.id))?.path).toBe(`clever-deletion_scheduled-${project.id}-1`)
    expect((await hands.row(squatter.id))?.path).toBe(squatter.path)
    const restored = await owner.post(`/projects/${project.id}/restore`)
    expect(restored.body).toMatchObject({ path: 'clever', name: 'clever' })
  })

  test('succeeds for one of two concurrent requests', async () => {
    const project = await made('twice')
    const answers = await Promise.all([1, 2].map(() => owner.delete(`/projects/${project.id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 400])
    expect((await hands.row(project.id))?.path).toBe(`twice-deletion_scheduled-${project.id}`)
  })
})

describe('restoring a project', () => {
  test('restores path and name, and accepts writes again', async () => {
    const project = await made('back')
    await hands.push(owner, 'owner/back', ['first'])
    await owner.delete(`/projects/${project.id}`)
    const restored = await owner.post(`/projects/${project.id}/restore`)
    expect(restored).toMatchObject({
      status: 201,
      body: { path: 'back', name: 'back', path_with_namespace: 'owner/back', marked_for_deletion_on: null },
    })
    expect(restored.body).not.toHaveProperty('permissions')
    expect((await hands.tryPush(owner, 'owner/back')).code).toBe(0)
    expect((await owner.get('/projects/owner%2Fback')).body.id).toBe(project.id)
  })

  test('retains the suffix when the former path is taken', async () => {
    const project = await made('wanted')
    await owner.delete(`/projects/${project.id}`)
    const other = await made('wanted')
    const restored = await owner.post(`/projects/${project.id}/restore`)
    const kept = `wanted-deletion_scheduled-${project.id}`
    expect(restored).toMatchObject({ status: 201, body: { path: kept, name: kept, marked_for_deletion_on: null } })
    expect((await hands.row(other.id))?.path).toBe('wanted')
  })

  test('succeeds when the path is taken concurrently', async () => {
    for (const round of [1, 2, 3]) {
      const project = await made(`contested-${round}`)
      await owner.delete(`/projects/${project.id}`)
      const [restored, created] = await Promise.all([
        owner.post(`/projects/${project.id}/restore`),
        owner.post('/projects', { path: `contested-${round}` }),
      ])
      expect(restored.status).toBe(201)
      const suffix = created.status === 201 ? `-deletion_scheduled-${project.id}` : ''
      expect([201, 400]).toContain(created.status)
      expect(restored.body.path).toBe(`contested-${round}${suffix}`)
    }
  })

  test('is refused for a project that is not marked', async () => {
    const project = await made('fresh')
    expect(await owner.post(`/projects/${project.id}/restore`)).toMatchObject(
      refused('Project has not been marked for deletion'),
    )
  })

  test('of a project in a marked group retains the day of the group', async () => {
    const group = await server.make.group('leaving', owner)
    const project = await server.make.project('inside', owner, { namespace: group })
    await owner.delete(`/projects/${project.id}`)
    await owner.delete(`/groups/${group.id}`)
    const restored = await owner.post(`/projects/${project.id}/restore`)
    expect(restored).toMatchObject({ status: 201, body: { path: 'inside', marked_for_deletion_on: day() } })
    expect(await owner.post(`/projects/${project.id}/restore`)).toMatchObject(
      refused('Project has not been marked for deletion'),
    )
    expect(await owner.delete(`/projects/${project.id}`)).toMatchObject(alreadyMarked)
    const query = 'permanently_remove=true&full_path=leaving/inside'
    expect(await owner.delete(`/projects/${project.id}?${query}`)).toMatchObject(accepted)
  })
})

describe('removing a project for good', () => {
  test('requires a marked project and its full path', async () => {
    const project = await made('for-good')
    const remove = (query: string) => owner.delete(`/projects/${project.id}?permanently_remove=true${query}`)
    expect(await remove('&full_path=owner/for-good')).toMatchObject(
      refused('Project must be marked for deletion first.'),
    )
    await owner.delete(`/projects/${project.id}`)
    for (const query of ['', '&full_path=', '&full_path=for-good', '&full_path=owner/other']) {
      expect(await remove(query)).toMatchObject(wrongFullPath)
    }
    expect(await maintainer.delete(`/projects/${project.id}?permanently_remove=true`)).toMatchObject(forbidden)
    expect(await remove('&full_path=owner/for-good')).toMatchObject(accepted)
    expect(await owner.get(`/projects/${project.id}`)).toMatchObject(projectNotFound)
    expect(await owner.post(`/projects/${project.id}/restore`)).toMatchObject(projectNotFound)
  })

  test('accepts the current path as well', async () => {
    const project = await made('by-current')
    await owner.delete(`/projects/${project.id}`)
    const query = `permanently_remove=true&full_path=owner/by-current-deletion_scheduled-${project.id}`
    expect(await owner.delete(`/projects/${project.id}?${query}`)).toMatchObject(accepted)
  })

  test('removes rows and files, also after a killed process', async () => {
    const project = await made('attic')
    await hands.push(owner, 'owner/attic', ['first'])
    const bot = await owner.post(`/projects/${project.id}/access_tokens`, {
      name: 'bot',
      scopes: ['api'],
      expires_at: day(30),
    })
    expect(bot.status).toBe(201)
    const stored = await hands.repositoryRow(project.id)
    const { database, jobs } = server.app.platform
    await withPeriod(0, async () => {
      expect(await owner.delete(`/projects/${project.id}`)).toMatchObject(accepted)
      expect(await owner.get(`/projects/${project.id}`)).toMatchObject(projectNotFound)
      expect(await owner.get('/projects/owner%2Fattic')).toMatchObject(projectNotFound)
      expect((await owner.post('/projects', { name: 'attic' })).status).toBe(201)
      await jobs.drain()
    })
    expect(await hands.row(project.id)).toBeNull()
    expect(await hands.at(stored).exists()).toBe(false)
    expect(await removedRepositories(database.read, 10)).toEqual([])
    expect((await server.root.get(`/users/${bot.body.user_id}`)).body.state).toBe('blocked')
    expect(await storedJobs(database)).toEqual([])

    // Killed before the files were gone, or before that was noted: both jobs find their way.
    const { storage, disk_path } = stored
    const removed = { storage, disk_path, removed_at: server.app.platform.clock.now().toISOString() }
    await database.write((tx) => tx.insertInto('removed_repositories').values(removed).execute())
    await hands.run('projects.remove', { projectId: project.id })
    await hands.run('repositories.remove_files', null)
    expect(await removedRepositories(database.read, 10)).toEqual([])
    expect(await storedJobs(database)).toEqual([])
  })

  test('continues with the others when one cannot be removed', async () => {
    const { database, jobs, clock } = server.app.platform
    const project = await made('blocked')
    await hands.push(owner, 'owner/blocked', ['first'])
    const stored = await hands.repositoryRow(project.id)
    const removed_at = clock.now().toISOString()
    const nowhere = { storage: 'nowhere', disk_path: stored.disk_path, removed_at }
    await database.write((tx) => tx.insertInto('removed_repositories').values(nowhere).execute())
    await owner.delete(`/projects/${project.id}`)
    await owner.delete(`/projects/${project.id}?permanently_remove=true&full_path=owner/blocked`)
    await jobs.drain()
    expect(await hands.at(stored).exists()).toBe(false)
    const left = await removedRepositories(database.read, 10)
    expect(left.map(({ storage }) => storage)).toEqual(['nowhere'])
    const [failed] = await storedJobs(database, { kind: 'repositories.remove_files' })
    expect(failed?.last_error).toContain('nowhere')
    await database.write(async (tx) => {
      await tx.deleteFrom('removed_repositories').execute()
      await tx.deleteFrom('jobs').execute()
    })
  })

  test('happens after the period, not before', async () => {
    const due = await made('due')
    const early = await made('early')
    const rescued = await made('rescued')
    for (const { id } of [due, early, rescued]) await owner.delete(`/projects/${id}`)
    await hands.change(due.id, { marked_for_deletion_on: day(-7) })
    await hands.change(early.id, { marked_for_deletion_on: day(-6) })
    await hands.change(rescued.id, { marked_for_deletion_on: day(-30) })
    await owner.post(`/projects/${rescued.id}/restore`)
    await hands.run('projects.remove_due', null)
    expect(await hands.row(due.id)).toBeNull()
    expect(await hands.row(early.id)).toMatchObject({ pending_delete: false })
    expect(await hands.row(rescued.id)).toMatchObject({ path: 'rescued', pending_delete: false })
    // Again: nothing is left to be done.
    await hands.run('projects.remove_due', null)
    expect(await storedJobs(server.app.platform.database)).toEqual([])
  })

  test('is resumed after a failed job', async () => {
    const { database, jobs } = server.app.platform
    const project = await made('left-behind')
    await database.write((tx) =>
      tx.updateTable('projects').set({ pending_delete: true }).where('id', '=', project.id).execute(),
    )
    expect(await owner.get(`/projects/${project.id}`)).toMatchObject(projectNotFound)
    await hands.run('projects.remove_due', null)
    await jobs.drain()
    expect(await hands.row(project.id)).toBeNull()
  })
})

describe('deleting a user', () => {
  test('removes their projects with the files, and their stars', async () => {
    const leaving = await server.user('leaver')
    const project = await server.make.project('mine', leaving)
    await hands.push(leaving, 'leaver/mine', ['first'])
    const stored = await hands.repositoryRow(project.id)
    const starred = await server.make.project('starred', owner, { visibility: 'public' })
    expect((await leaving.post(`/projects/${starred.id}/star`)).body.star_count).toBe(1)
    expect((await server.root.delete(`/users/${leaving.id}`)).status).toBe(204)
    await server.app.platform.jobs.drain()
    expect(await hands.row(project.id)).toBeNull()
    expect(await hands.at(stored).exists()).toBe(false)
    expect((await hands.row(starred.id))?.star_count).toBe(0)
    expect((await server.root.get(`/users/${leaving.id}`)).status).toBe(404)
    expect(await storedJobs(server.app.platform.database)).toEqual([])
  })
})

describe('archiving a project', () => {
  test('refuses writes until it is unarchived; both can be repeated', async () => {
    const project = await made('old')
    await hands.push(owner, 'owner/old', ['first'])
    const path = `/projects/${project.id}`
    for (const _ of [1, 2]) {
      expect(await owner.post(`${path}/archive`)).toMatchObject({ status: 201, body: { archived: true } })
    }
    expect((await hands.tryPush(owner, 'owner/old')).stderr).toContain("You can't push code to an archived project.")
    expect(await owner.post(`${path}/repository/branches`, { branch: 'b', ref: 'main' })).toMatchObject(forbidden)
    for (const _ of [1, 2]) {
      expect(await owner.post(`${path}/unarchive`)).toMatchObject({ status: 201, body: { archived: false } })
    }
    expect((await hands.tryPush(owner, 'owner/old')).code).toBe(0)
  })

  test('requires an owner', async () => {
    const project = await made('not-yours')
    for (const action of ['archive', 'unarchive']) {
      const path = `/projects/${project.id}/${action}`
      expect(await maintainer.post(path)).toMatchObject(forbidden)
      expect(await outsider.post(path)).toMatchObject(projectNotFound)
      expect(await server.anonymous.post(path)).toMatchObject(unauthorized)
      expect(await server.root.post(path)).toMatchObject({ status: 201, body: { archived: action === 'archive' } })
    }
  })
})
