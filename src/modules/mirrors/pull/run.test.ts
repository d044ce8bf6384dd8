import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git } from '../../../testing/index.ts'
import { storedJobs } from '../../../testing/jobs.ts'
import { startTwoServers, type TwoServers } from '../testing.ts'

let two: TwoServers
beforeAll(async () => {
  two = await startTwoServers()
})
afterAll(() => two[Symbol.asyncDispose]())

/** Two projects: the one on `here` is pulled from the one on `there`. */
async function mirrored(name: string, values: Record<string, unknown> = {}, ...refspecs: string[]) {
  const project = await two.pair(name)
  if (refspecs.length > 0) await two.push('there', name, ...refspecs)
  const path = `/projects/${project.id}/mirror/pull`
  const put = await two.alice.put(path, { url: project.address, enabled: true, ...values })
  expect(put.status).toBe(200)
  await two.settle()
  return {
    ...project,
    path,
    put: put.body,
    read: async () => (await two.alice.get(path)).body,
    start: async () => {
      expect(await two.alice.post(path)).toMatchObject({ status: 200, body: null })
      await two.settle()
    },
  }
}

/** Creates a commit with a file larger than a mebibyte. */
async function commitOfNoise(): Promise<string> {
  const { folder } = two
  await writeFile(join(folder, '.git', 'noise'), randomBytes(2 * 1024 * 1024))
  const blob = (await git(folder, 'hash-object', '-w', '.git/noise')).stdout.trim()
  await git(folder, 'update-index', '--add', '--cacheinfo', `100644,${blob},noise`)
  const tree = (await git(folder, 'write-tree')).stdout.trim()
  await git(folder, 'read-tree', 'HEAD')
  return (await git(folder, 'commit-tree', tree, '-m', 'noise')).stdout.trim()
}

const eventsOf = (id: number) =>
  two.here.app.platform.database.read.selectFrom('events').selectAll().where('project_id', '=', id).execute()

// First, because mirrors of other tests would run too.
describe('a pull mirror that fails', () => {
  test('waits longer after every failure, and stops after fourteen until a user starts it', async () => {
    const mirror = await mirrored('hopeless', { url: two.addressOf('bob/missing') })
    const { database } = two.here.app.platform
    const row = async () => {
      const query = database.read.selectFrom('pull_mirrors').selectAll().where('project_id', '=', mirror.id)
      return query.executeTakeFirstOrThrow()
    }
    const waits: number[] = []
    for (let count = 1; count < 14; count += 1) {
      const { due_at, failures } = await row()
      expect(failures).toBe(count)
      const minutes = (Date.parse(due_at ?? '') - two.clock.now().getTime()) / 60_000
      waits.push(minutes)
      await two.pass(minutes)
    }
    expect(waits.slice(0, 6)).toEqual([30, 60, 120, 240, 480, 480])
    expect((await row()).failures).toBe(14)
    await two.pass(24 * 60)
    expect((await row()).failures).toBe(14)
    await two.bob.post('/projects', { name: 'missing' })
    await two.push('there', 'missing', 'main')
    await mirror.start()
    expect(await mirror.read()).toMatchObject({ update_status: 'finished', last_error: null })
    expect(await two.refs('here', 'hopeless')).toEqual({ main: 'three' })
  })
})

describe('a pull mirror', () => {
  test('has the size limit of imports', async () => {
    const setting = (max_import_size: number) => two.here.root.put('/application/settings', { max_import_size })
    const noise = await commitOfNoise()
    await setting(1)
    const mirror = await mirrored('heavy', {}, `${noise}:refs/heads/main`)
    const last_error = 'The remote repository is larger than an import may be.'
    expect(await mirror.read()).toMatchObject({ update_status: 'failed', last_error })
    expect(await two.refs('here', 'heavy')).toEqual({})
    await setting(100)
    await mirror.start()
    await setting(0)
    expect(await mirror.read()).toMatchObject({ update_status: 'finished', last_error: null })
    expect(await two.refs('here', 'heavy')).toEqual({ main: 'noise' })
  })

  test('fills an empty project as if its maintainer had pushed', async () => {
    const mirror = await mirrored('filled', {}, 'main:refs/heads/trunk', 'main~1:refs/heads/a', 'main:refs/tags/v1')
    expect(mirror.put).toMatchObject({ update_status: 'scheduled', url: mirror.shown, last_update_at: null })
    expect(await two.refs('here', 'filled')).toEqual({ trunk: 'three', a: 'two', 'tags/v1': 'three' })
    const moment = two.clock.now().toISOString()
    expect(await mirror.read()).toMatchObject({
      enabled: true,
      update_status: 'finished',
      last_update_at: moment,
      last_update_started_at: moment,
      last_successful_update_at: moment,
      last_error: null,
    })
    const project = (await two.alice.get(`/projects/${mirror.id}`)).body
    expect(project).toMatchObject({
      default_branch: 'trunk',
      empty_repo: false,
      mirror: true,
      mirror_user_id: two.alice.id,
    })
    const rules = (await two.alice.get(`/projects/${mirror.id}/protected_branches`)).body
    expect(rules.map(({ name }: { name: string }) => name)).toEqual(['trunk'])
    const events = await eventsOf(mirror.id)
    expect(events.map(({ action, author_id }) => [action, author_id])).toEqual(
      Array.from({ length: 3 }, () => ['pushed new', two.alice.id]),
    )
    const commits = await two.alice.get(`/projects/${mirror.id}/repository/commits`)
    expect(commits.body.map(({ title }: { title: string }) => title)).toEqual(['three', 'two', 'one'])
  })

  test('runs every half hour and does not delete refs', async () => {
    const mirror = await mirrored('regular', {}, 'main~2:refs/heads/main', 'main:refs/heads/gone')
    await two.push('there', 'regular', 'main', ':refs/heads/gone', 'main:refs/tags/v1')
    await two.pass(29)
    expect(await two.refs('here', 'regular')).toEqual({ main: 'one', gone: 'three' })
    await two.pass(1)
    expect(await two.refs('here', 'regular')).toEqual({ main: 'three', gone: 'three', 'tags/v1': 'three' })
    const count = (await eventsOf(mirror.id)).length
    await two.pass(30)
    expect((await eventsOf(mirror.id)).length).toBe(count)
    expect((await mirror.read()).last_update_at).toBe(two.clock.now().toISOString())
  })

  test('restores deleted refs, at once on request', async () => {
    const mirror = await mirrored('restored', {}, 'main', 'main:refs/heads/topic')
    expect((await two.alice.delete(`/projects/${mirror.id}/repository/branches/topic`)).status).toBe(204)
    await mirror.start()
    expect(await two.refs('here', 'restored')).toEqual({ main: 'three', topic: 'three' })
  })

  test('does not update diverged branches, and reports a diverged default branch', async () => {
    const mirror = await mirrored('diverged', {}, 'main', 'main~1:refs/heads/topic', 'main~2:refs/heads/fine')
    await two.foreignCommit('ours')
    await two.alice.delete(`/projects/${mirror.id}/protected_branches/main`)
    await two.push('here', 'diverged', 'ours:refs/heads/topic')
    await two.push('there', 'diverged', 'main:refs/heads/topic', 'main:refs/heads/fine')
    await mirror.start()
    expect(await two.refs('here', 'diverged')).toEqual({ main: 'three', topic: 'ours', fine: 'three' })
    expect(await mirror.read()).toMatchObject({ update_status: 'finished' })
    await two.push('here', 'diverged', 'ours:refs/heads/main')
    await mirror.start()
    expect(await two.refs('here', 'diverged')).toMatchObject({ main: 'ours' })
    expect(await mirror.read()).toMatchObject({
      update_status: 'failed',
      last_error:
        'The default branch (main) has diverged from its upstream counterpart and could not be updated automatically.',
    })
  })

  test('overwrites diverged branches when enabled', async () => {
    const values = { mirror_overwrites_diverged_branches: true }
    const mirror = await mirrored('overwritten', values, 'main', 'main:refs/tags/v1')
    await two.foreignCommit('ours')
    await two.alice.delete(`/projects/${mirror.id}/protected_branches/main`)
    await two.push('here', 'overwritten', 'ours:refs/heads/main', 'ours:refs/tags/v1')
    await mirror.start()
    expect(await two.refs('here', 'overwritten')).toEqual({ main: 'three', 'tags/v1': 'three' })
  })

  test('pulls only protected branches, or those that match a pattern', async () => {
    const values = { only_mirror_protected_branches: true }
    const project = await two.pair('guarded')
    await two.alice.post(`/projects/${project.id}/protected_branches`, { name: 'stable*' })
    await two.push('there', 'guarded', 'main', 'main:refs/heads/stable-1')
    await two.alice.put(`/projects/${project.id}/mirror/pull`, { url: project.address, enabled: true, ...values })
    await two.settle()
    expect(await two.refs('here', 'guarded')).toEqual({ 'stable-1': 'three' })
    await mirrored('matched', { mirror_branch_regex: '^rel' }, 'main', 'main:refs/heads/rel/1')
    expect(await two.refs('here', 'matched')).toEqual({ 'rel/1': 'three' })
  })

  test('skips refs that could not be pushed', async () => {
    const project = await two.pair('cleaned')
    await two.push('there', 'cleaned', 'main')
    const { database, git: mechanism } = two.there.app.platform
    const row = await database.read
      .selectFrom('repositories')
      .innerJoin('projects', 'projects.id', 'repositories.project_id')
      .select(['storage', 'disk_path'])
      .where('projects.path', '=', 'cleaned')
      .executeTakeFirstOrThrow()
    const repository = mechanism.repository({ storage: row.storage, diskPath: row.disk_path as never })
    const oid = (await git(two.folder, 'rev-parse', 'main')).stdout.trim()
    for (const ref of [`refs/heads/${oid}`, 'refs/heads/-x', 'refs/tags/-x']) {
      expect(await git(repository.directory, 'update-ref', ref, oid)).toMatchObject({ code: 0 })
    }
    const path = `/projects/${project.id}/mirror/pull`
    await two.alice.put(path, { url: project.address, enabled: true })
    await two.settle()
    expect(await two.refs('here', 'cleaned')).toEqual({ main: 'three' })
    expect((await two.alice.get(path)).body).toMatchObject({ update_status: 'finished' })
  })

  test('passes the gate; a refused ref does not block others', async () => {
    const mirror = await mirrored('gated', {}, 'main')
    await two.alice.post(`/projects/${mirror.id}/protected_tags`, { name: 'v*', create_access_level: 0 })
    const good = Array.from({ length: 5 }, (_, index) => `main:refs/heads/b${index}`)
    await two.push('there', 'gated', 'main:refs/tags/v1', ...good)
    await mirror.start()
    const names = Object.keys(await two.refs('here', 'gated'))
    expect(names).toEqual(['b0', 'b1', 'b2', 'b3', 'b4', 'main'])
    expect(await mirror.read()).toMatchObject({
      update_status: 'failed',
      last_error: 'Some refs were refused:\n\nrefs/tags/v1: You are not allowed to create this tag as it is protected.',
    })
  })

  test('is subject to the push rules for new commits', async () => {
    const mirror = await mirrored('ruled', { enabled: false }, 'main')
    await two.alice.post(`/projects/${mirror.id}/push_rule`, { commit_message_regex: '^\\w+-\\d+' })
    await two.alice.put(mirror.path, { enabled: true })
    await two.settle()
    expect(await two.refs('here', 'ruled')).toEqual({})
    const { update_status, last_error } = await mirror.read()
    expect(update_status).toBe('failed')
    expect(last_error).toContain('does not follow the pattern')
  })

  test('is created by creating or changing a project, too', async () => {
    const source = await two.pair('origin')
    await two.push('there', 'origin', 'main~1:refs/heads/main')
    const made = await two.alice.post('/projects', { name: 'descendant', import_url: source.address, mirror: true })
    await two.alice.put(`/projects/${source.id}`, { import_url: source.address, mirror: true })
    await two.settle()
    // The import runs first; the mirror waits for five minutes.
    await two.pass(6)
    for (const [name, id] of [['descendant', made.body.id] as const, ['origin', source.id] as const]) {
      expect(await two.refs('here', name)).toEqual({ main: 'two' })
      const { body } = await two.alice.get(`/projects/${id}/mirror/pull`)
      expect(body).toMatchObject({ enabled: true, url: source.shown, update_status: 'finished', last_error: null })
    }
    await two.push('there', 'origin', 'main')
    await two.pass(30)
    expect(await two.refs('here', 'descendant')).toEqual({ main: 'three' })
    expect(await two.refs('here', 'origin')).toEqual({ main: 'three' })
    const { status, body } = await two.alice.put(`/projects/${source.id}`, { import_url: 'ssh://x/y', mirror: false })
    const import_url = ['is blocked: Only allowed schemes are http, https, git']
    expect([status, body]).toEqual([400, { message: { import_url } }])
    expect((await two.alice.get(`/projects/${source.id}`)).body.mirror).toBe(true)
  })

  test('is followed by push mirrors', async () => {
    const mirror = await mirrored('chained', {}, 'main~1:refs/heads/main')
    await two.there.make.project('chained-on', two.bob)
    const url = two.addressOf('bob/chained-on')
    await two.alice.post(`/projects/${mirror.id}/remote_mirrors`, { url, enabled: true })
    await two.settle()
    await two.push('there', 'chained', 'main')
    await two.pass(30)
    expect(await two.refs('there', 'chained-on')).toEqual({ main: 'three' })
  })
})

describe('a pull mirror that cannot run', () => {
  test('reports a wrong password without showing it', async () => {
    const values = { url: two.addressOf('bob/locked', ''), auth_user: 'bob', auth_password: 'glpat-wrong@secret' }
    const mirror = await mirrored('locked', values, 'main')
    expect(mirror.put.url).toBe(mirror.shown)
    expect(await mirror.read()).toMatchObject({ update_status: 'failed', last_error: 'Authentication failed.' })
    const stored = await two.here.app.platform.database.read.selectFrom('pull_mirrors').selectAll().execute()
    expect(JSON.stringify([stored, await storedJobs(two.here.app.platform.database)])).not.toMatch(
      /wrong(?:%40|@)secret/,
    )
  })

  test('does not run for a user who may no longer push', async () => {
    const mirror = await mirrored('orphaned', {}, 'main~1:refs/heads/main')
    const carol = await two.here.user('carol')
    const project = { id: mirror.id } as never
    await two.here.make.member({ project }, carol, 40)
    expect((await carol.put(mirror.path, { mirror_trigger_builds: true })).status).toBe(200)
    await two.alice.delete(`/projects/${mirror.id}/members/${carol.id}`)
    await two.push('there', 'orphaned', 'main')
    await mirror.start()
    expect(await two.refs('here', 'orphaned')).toEqual({ main: 'two' })
    expect(await mirror.read()).toMatchObject({
      update_status: 'failed',
      last_error: 'The user of the mirror may no longer push to this project.',
    })
  })

  test('does not take its user from the settings of the project', async () => {
    const mirror = await mirrored('impostor', {}, 'main')
    const root = (await two.here.root.get('/user')).body
    await two.alice.put(`/projects/${mirror.id}`, { mirror_user_id: root.id })
    await two.push('there', 'impostor', 'main:refs/heads/more')
    await mirror.start()
    expect((await eventsOf(mirror.id)).map(({ author_id }) => author_id)).toEqual([two.alice.id, two.alice.id])
  })

  test('does not run while the project is archived or is not a mirror', async () => {
    const mirror = await mirrored('archived', {}, 'main~1:refs/heads/main')
    await two.push('there', 'archived', 'main')
    await two.alice.post(`/projects/${mirror.id}/archive`)
    await two.pass(40)
    expect(await two.refs('here', 'archived')).toEqual({ main: 'two' })
    await two.alice.post(`/projects/${mirror.id}/unarchive`)
    await two.alice.put(`/projects/${mirror.id}`, { mirror: false })
    await two.pass(40)
    expect(await two.refs('here', 'archived')).toEqual({ main: 'two' })
    await two.alice.put(`/projects/${mirror.id}`, { mirror: true })
    await two.pass(1)
    expect(await two.refs('here', 'archived')).toEqual({ main: 'three' })
  })

  test('does not connect to local addresses when that is forbidden', async () => {
    const mirror = await mirrored('inside', { enabled: false }, 'main')
    await two.enableWhereLocalIsForbidden(mirror.path)
    const last_error = 'Requests to localhost are not allowed'
    expect(await mirror.read()).toMatchObject({ update_status: 'failed', last_error })
    expect(await two.refs('here', 'inside')).toEqual({})
  })

  test('runs again after the process died', async () => {
    const mirror = await mirrored('killed', {}, 'main~1:refs/heads/main')
    await two.push('there', 'killed', 'main')
    const { database, jobs } = two.here.app.platform
    const inMinutes = (minutes: number) => new Date(two.clock.now().getTime() + minutes * 60_000).toISOString()
    await database.write(async (tx) => {
      const row = tx.updateTable('pull_mirrors').set({ update_status: 'started', due_at: inMinutes(180) })
      const { id: mirrorId } = await row.where('project_id', '=', mirror.id).returning('id').executeTakeFirstOrThrow()
      const id = await jobs.enqueue(tx, 'mirrors.pull', { mirrorId }, { uniqueKey: String(mirrorId) })
      const lease = { state: 'running' as const, lease_owner: 'gone', lease_until: inMinutes(1), attempts: 1 }
      await tx.updateTable('jobs').set(lease).where('id', '=', id!).execute()
    })
    expect((await mirror.read()).update_status).toBe('started')
    await two.pass(2)
    expect(await two.refs('here', 'killed')).toEqual({ main: 'three' })
    expect(await mirror.read()).toMatchObject({ update_status: 'finished' })
  })
})

test('a pull mirror waits while its worker is switched off', async () => {
  await two.here.root.post('/features/pull_mirror_worker', { value: false })
  await mirrored('paused', {}, 'main')
  expect(await two.refs('here', 'paused')).toEqual({})
  await two.here.root.delete('/features/pull_mirror_worker')
  await two.pass(1)
  expect(await two.refs('here', 'paused')).toEqual({ main: 'three' })
})
