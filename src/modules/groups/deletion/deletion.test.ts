import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../index.ts'
import { openRow, repositoryOfProject } from '../../../platform/repositories/index.ts'
import {
  git,
  makeHistory,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../../testing/index.ts'
import { storedJobs } from '../../../testing/jobs.ts'

let server: TestServer
let owner: Person
let clock: ManualClock
beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  server = await startTestServer({ clock })
  owner = await server.user('olga')
})
afterAll(() => server.stop())

const accepted = { status: 202, body: { message: '202 Accepted' } }
const groupNotFound = { status: 404, body: { message: '404 Group Not Found' } }
const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const refused = (message: string) => ({ status: 400, body: { message } })
const dayMs = 86_400_000
const today = () => clock.now().toISOString().slice(0, 10)

async function tree(name: string) {
  const top = await server.make.group(name, owner)
  const sub = await server.make.group('sub', owner, { parent: top })
  const project = await server.make.project('thing', owner, { namespace: sub })
  return { top, sub, project }
}

function projectRow(id: number) {
  const { database } = server.app.platform
  return database.read.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
}

describe('deleting a group', () => {
  test('marks everything below and frees the path', async () => {
    const { top, sub, project } = await tree('marked')
    expect(await owner.delete(`/groups/${top.id}`)).toMatchObject(accepted)
    const suffix = `-deletion_scheduled-${top.id}`
    expect((await owner.get(`/groups/${top.id}`)).body).toMatchObject({
      name: `marked${suffix}`,
      path: `marked${suffix}`,
      full_path: `marked${suffix}`,
      marked_for_deletion_on: today(),
    })
    expect((await owner.get(`/groups/${sub.id}`)).body).toMatchObject({
      full_path: `marked${suffix}/sub`,
      marked_for_deletion_on: today(),
    })
    expect(await projectRow(project.id)).toMatchObject({
      full_path: `marked${suffix}/sub/thing`,
      marked_for_deletion_on: today(),
    })
    expect(await owner.delete(`/groups/${top.id}`)).toMatchObject(refused('Group has been already marked for deletion'))
    const listed = await owner.get(`/groups?marked_for_deletion_on=${today()}&search=marked`)
    expect(listed.body).toMatchObject([{ id: top.id }])
    expect((await owner.post('/groups', { name: 'marked', path: 'marked' })).status).toBe(201)
  })

  test('refuses writes while it is marked', async () => {
    await using folder = await temporaryDirectory()
    const { top, sub, project } = await tree('refusing')
    const other = await server.make.group('refusing-other', owner)
    await owner.delete(`/groups/${top.id}`)
    for (const { id } of [top, sub]) {
      expect(await owner.put(`/groups/${id}`, { description: 'x' })).toMatchObject(forbidden)
      expect(await owner.post(`/groups/${id}/share`, { group_id: other.id, group_access: 30 })).toMatchObject(forbidden)
      expect(await owner.post(`/groups/${id}/transfer`, { group_id: other.id })).toMatchObject(forbidden)
      expect(await owner.post('/groups', { name: 'n', path: 'n', parent_id: id })).toMatchObject(forbidden)
    }
    expect(await owner.post(`/groups/${other.id}/transfer`, { group_id: sub.id })).toMatchObject(
      refused("Transfer failed: You don't have enough permissions."),
    )
    await makeHistory(folder.path, ['one'])
    const { full_path: path } = (await projectRow(project.id)) as { full_path: string }
    const address = `${server.url.replace('http://', `http://olga:${owner.token}@`)}/${path}.git`
    const pushed = await git(folder.path, 'push', address, 'main')
    expect(pushed.code).not.toBe(0)
  })

  test('can be undone', async () => {
    const { top, sub, project } = await tree('restored')
    await owner.delete(`/groups/${top.id}`)
    const restored = await owner.post(`/groups/${top.id}/restore`)
    expect(restored).toMatchObject({
      status: 201,
      body: { name: 'restored', full_path: 'restored', marked_for_deletion_on: null },
    })
    expect((await owner.get(`/groups/${sub.id}`)).body).toMatchObject({
      full_path: 'restored/sub',
      marked_for_deletion_on: null,
    })
    expect(await projectRow(project.id)).toMatchObject({
      full_path: 'restored/sub/thing',
      marked_for_deletion_on: null,
    })
    expect(await owner.post(`/groups/${top.id}/restore`)).toMatchObject(
      refused('Group has not been marked for deletion'),
    )
    expect((await owner.put(`/groups/${top.id}`, { description: 'again' })).status).toBe(200)
  })

  test('leaves the suffix when the former path is taken', async () => {
    const parent = await server.make.group('busy', owner)
    const group = await server.make.group('seat', owner, { parent })
    await owner.delete(`/groups/${group.id}`)
    await server.make.project('seat', owner, { namespace: parent })
    const restored = await owner.post(`/groups/${group.id}/restore`)
    expect(restored.body).toMatchObject({
      name: 'seat',
      path: `seat-deletion_scheduled-${group.id}`,
      marked_for_deletion_on: null,
    })
  })

  test('leaves separate marks of groups and projects below', async () => {
    const { top, sub, project } = await tree('nested')
    await owner.delete(`/groups/${sub.id}`)
    const first = today()
    clock.advance(dayMs)
    await owner.delete(`/groups/${top.id}`)
    const dateOf = async (id: number) => (await owner.get(`/groups/${id}`)).body.marked_for_deletion_on
    expect([await dateOf(top.id), await dateOf(sub.id)]).toEqual([today(), first])
    expect(await projectRow(project.id)).toMatchObject({ marked_for_deletion_on: first })
    await owner.post(`/groups/${top.id}/restore`)
    expect([await dateOf(top.id), await dateOf(sub.id)]).toEqual([null, first])
    await owner.delete(`/groups/${top.id}`)
    await owner.post(`/groups/${sub.id}/restore`)
    expect([await dateOf(top.id), await dateOf(sub.id)]).toEqual([today(), today()])
    expect(await owner.post(`/groups/${sub.id}/restore`)).toMatchObject(
      refused('Group has not been marked for deletion'),
    )
  })

  test('numbers the suffix when the resulting path is taken', async () => {
    const group = await server.make.group('squatted', owner)
    await server.make.group(`squatted-deletion_scheduled-${group.id}`, owner)
    expect(await owner.delete(`/groups/${group.id}`)).toMatchObject(accepted)
    expect((await owner.get(`/groups/${group.id}`)).body.path).toBe(`squatted-deletion_scheduled-${group.id}-1`)
    const restored = await owner.post(`/groups/${group.id}/restore`)
    expect(restored.body).toMatchObject({ name: 'squatted', path: 'squatted' })
  })

  test('marks what concurrent requests create', async () => {
    for (let round = 0; round < 5; round += 1) {
      const top = await server.make.group(`meanwhile-${round}`, owner)
      const sub = await server.make.group('sub', owner, { parent: top })
      const made = (path: string) => owner.post('/groups', { name: path, path, parent_id: sub.id })
      const answers = await Promise.all([made('a'), owner.delete(`/groups/${top.id}`), made('b')])
      expect(answers[1].status).toBe(202)
      for (const { status, body } of [answers[0], answers[2]]) {
        expect([201, 403]).toContain(status)
        if (status !== 201) continue
        const { marked_for_deletion_on: day, full_path: path } = (await owner.get(`/groups/${body.id}`)).body
        expect(day).toBe(today())
        expect(path).toContain('deletion_scheduled')
      }
    }
  })

  test('requires the role of an owner', async () => {
    const group = await server.make.group('guarded', owner)
    const maintainer = await server.user('deletion-maintainer')
    await server.make.member({ namespace: group }, maintainer, 40)
    expect(await maintainer.delete(`/groups/${group.id}`)).toMatchObject(forbidden)
    expect(await maintainer.post(`/groups/${group.id}/restore`)).toMatchObject(forbidden)
    expect((await server.anonymous.delete(`/groups/${group.id}`)).status).toBe(401)
    expect(await (await server.user('deletion-stranger')).delete(`/groups/${group.id}`)).toMatchObject(groupNotFound)
    const since = { headers: { 'If-Unmodified-Since': 'Sun, 01 Mar 2020 00:00:00 GMT' } }
    expect(await owner.delete(`/groups/${group.id}`, since)).toMatchObject({ status: 412 })
    expect(await owner.delete(`/groups/${group.id}`, { headers: { 'If-Unmodified-Since': 'tomorrow' } })).toMatchObject(
      accepted,
    )
  })

  test('succeeds once for concurrent requests', async () => {
    const group = await server.make.group('delete-race', owner)
    const answers = await Promise.all([owner.delete(`/groups/${group.id}`), owner.delete(`/groups/${group.id}`)])
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 400])
  })
})

describe('removing a group for good', () => {
  const remove = (id: number, full_path?: string) =>
    owner.request('DELETE', `/groups/${id}`, { body: { permanently_remove: true, full_path } })

  /** Where the repository of a project lies, made there if need be. */
  async function madeRepository(project: { id: number }): Promise<string> {
    const { database, config } = server.app.platform
    const row = await repositoryOfProject(database.read, project.id)
    if (!row) throw new Error('the project has no repository')
    await openRow(server.app.platform, row)
    const path = join(config.storages[row.storage] ?? '', row.disk_path)
    return existsSync(path) ? path : `${path}.git`
  }

  test('requires a marked subgroup and its full path', async () => {
    const { top, sub } = await tree('permanent')
    expect(await remove(top.id, 'permanent')).toMatchObject(
      refused('`permanently_remove` option is only available for subgroups.'),
    )
    expect(await remove(sub.id, 'permanent/sub')).toMatchObject(refused('Subgroup must be marked for deletion first.'))
    await owner.delete(`/groups/${sub.id}`)
    const incorrect = refused('`full_path` is incorrect. You must enter the complete path for the subgroup.')
    expect(await remove(sub.id)).toMatchObject(incorrect)
    expect(await remove(sub.id, 'sub')).toMatchObject(incorrect)
    expect(await remove(sub.id, 'permanent/sub')).toMatchObject(accepted)
    expect(await owner.get(`/groups/${sub.id}`)).toMatchObject(groupNotFound)
    await server.app.platform.jobs.drain()
    expect(await owner.get(`/groups/${sub.id}`)).toMatchObject(groupNotFound)
    expect((await owner.get(`/groups/${top.id}`)).status).toBe(200)
  })

  test('removes everything below, including repositories on disk', async () => {
    const { top, sub, project } = await tree('gone')
    const { database, jobs } = server.app.platform
    const place = await madeRepository(project)
    expect(existsSync(place)).toBe(true)
    await owner.delete(`/groups/${sub.id}`)
    const { full_path: current } = (await owner.get(`/groups/${sub.id}`)).body
    expect(await remove(sub.id, current)).toMatchObject(accepted)
    // Hidden before the job has run.
    expect(await owner.get(`/projects/${project.id}/repository/branches`)).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    })
    for (const path of [`/groups/${top.id}/descendant_groups`, `/groups?search=scheduled-${sub.id}`]) {
      expect((await owner.get(path)).body).toEqual([])
    }
    expect((await owner.get(`/namespaces/${sub.id}`)).status).toBe(404)
    await jobs.drain()
    expect(await projectRow(project.id)).toBeUndefined()
    expect(existsSync(place)).toBe(false)
    // A second run of the job finds nothing to do.
    await database.write((tx) => jobs.enqueue(tx, 'groups.remove', { groupId: sub.id }))
    await jobs.drain()
    expect(await storedJobs(database, { state: 'failed' })).toEqual([])
  })

  test('happens after the period, not before', async () => {
    const { top, project } = await tree('due')
    const kept = await server.make.group('due-kept', owner)
    await owner.delete(`/groups/${top.id}`)
    await owner.delete(`/groups/${kept.id}`)
    const { database, jobs } = server.app.platform
    const runDue = async () => {
      await database.write((tx) => jobs.enqueue(tx, 'groups.remove_due', null))
      await jobs.drain()
    }
    clock.advance(6 * dayMs)
    await runDue()
    expect((await owner.get(`/groups/${top.id}`)).status).toBe(200)
    await owner.post(`/groups/${kept.id}/restore`)
    clock.advance(dayMs)
    await runDue()
    expect(await owner.get(`/groups/${top.id}`)).toMatchObject(groupNotFound)
    expect(await projectRow(project.id)).toBeUndefined()
    expect((await owner.get(`/groups/${kept.id}`)).status).toBe(200)
  })

  test('is resumed after a failed job', async () => {
    const { top, sub, project } = await tree('halfway')
    const { database, jobs } = server.app.platform
    await database.write(async (tx) => {
      await tx.updateTable('namespaces').set({ pending_delete: true }).where('id', 'in', [top.id, sub.id]).execute()
      await jobs.enqueue(tx, 'groups.remove_due', null)
    })
    await jobs.drain()
    const rows = database.read.selectFrom('namespaces').select('id').where('id', 'in', [top.id, sub.id])
    expect(await rows.execute()).toEqual([])
    expect(await projectRow(project.id)).toBeUndefined()
  })

  test('retires its bots', async () => {
    const top = await server.make.group('with-bot', owner)
    const sub = await server.make.group('sub', owner, { parent: top })
    const token = await owner.post(`/groups/${sub.id}/access_tokens`, {
      name: 'bot',
      scopes: ['api'],
      access_level: 40,
      expires_at: '2026-04-01',
    })
    expect(token.status).toBe(201)
    const bot = server.as(token.body.token)
    expect((await bot.get(`/groups/${sub.id}`)).status).toBe(200)
    await owner.delete(`/groups/${sub.id}`)
    await remove(sub.id, 'with-bot/sub')
    await server.app.platform.jobs.drain()
    expect((await bot.get('/user')).status).toBe(401)
    const { database } = server.app.platform
    const user = database.read.selectFrom('users').select('state').where('id', '=', token.body.user_id)
    expect((await user.executeTakeFirst())?.state ?? 'gone').not.toBe('active')
  })

  test('happens without a delay where the period is zero', async () => {
    await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
    try {
      const { top } = await tree('at-once')
      expect(await owner.delete(`/groups/${top.id}`)).toMatchObject(accepted)
      expect(await owner.get(`/groups/${top.id}`)).toMatchObject(groupNotFound)
      expect(await owner.post(`/groups/${top.id}/restore`)).toMatchObject(groupNotFound)
      expect((await owner.post('/groups', { name: 'at-once', path: 'at-once' })).status).toBe(201)
      await server.app.platform.jobs.drain()
      const { database } = server.app.platform
      const rows = database.read.selectFrom('namespaces').select('id').where('id', '=', top.id)
      expect(await rows.execute()).toEqual([])
    } finally {
      await server.root.put('/application/settings', { deletion_adjourned_period: 7 })
    }
  })
})
